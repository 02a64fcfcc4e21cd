#!/usr/bin/python3
"""What one PreToolUse event of 4 KB costs Claude Code: hooke-answer with the daemon and without,
beside programs that do nothing and hooks that do the check of five rules in other languages.

    answer.py BUILD       prints "<row><TAB><nanoseconds, median>"; HOME is its own

bench_start does the timing, with the event as the standard input of every command."""
import json
import os
import shutil
import subprocess
import sys
import time

import five

HERE = os.path.dirname(os.path.realpath(__file__))


def event(cwd, session):
    """About 4 KB, as Claude Code writes it; nothing in it is refused."""
    command = "grep -rn 'connection refused' src | head -50; " + "echo 'some long words'; " * 150
    return json.dumps({"session_id": session, "transcript_path": "/dev/null", "cwd": cwd,
                       "permission_mode": "default", "hook_event_name": "PreToolUse",
                       "tool_name": "Bash", "tool_use_id": "toolu_1",
                       "tool_input": {"command": command, "description": "look for a message"}})


# Built-ins that write to the store: one counts calls, the other has it noted that a tool ran.
KEEPING = ["loop-guard", "todo-continuation"]


# How many hooks look at the event.
HOOKS = {"answer": 3, "answer-rules": 8, "answer-state": 4, "answer-five": 5}


def configurations(hooke):
    """What is in force: the built-ins that keep nothing, the same with the check of the other languages as
    five rules, all built-ins, and five hooks."""
    rules = [five.rule(n, word) for n, word in enumerate(five.WORDS)]
    return {"answer": {"disabled_hooks": KEEPING},
            "answer-rules": {"disabled_hooks": KEEPING, "hooks": rules},
            "answer-state": {"hooks": [five.PATIENT]},
            "answer-five": five.configuration(hooke, os.environ)}


def configure(home, name, configuration):
    """A session for each, so that what is counted begins anew."""
    with open(os.path.join(home, "event.json"), "w", encoding="utf-8") as f:
        f.write(event(home, f"{name}-{os.getpid()}"))
    folder = os.path.join(home, ".config/hooke")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as f:
        json.dump(configuration, f)


def others():
    """Hooks that do the same check; each exits with 0 and says nothing."""
    found = []
    if shutil.which("bash") and shutil.which("jq"):
        found += ["--", "hook-bash-jq", "bash", os.path.join(HERE, "guard.sh")]
    if shutil.which("node"):
        found += ["--", "hook-node", "node", os.path.join(HERE, "guard.mjs")]
    return found + ["--", "hook-python", "/usr/bin/python3", os.path.join(HERE, "guard.py")]


def measure(timer, home, runs, *commands, **env):
    subprocess.run([timer, "-n", str(runs), "-i",
                    os.path.join(home, "event.json"), *commands], cwd=home, check=True,
                   env={**os.environ, **env})


def served(hooke):
    """How many events the daemon has answered."""
    return five.ask(hooke, "serve", "--status", env=os.environ)["served"]


def check(hooke, name, answered, least):
    """What is timed must have happened: every hook looked, and the daemon answered where it was to."""
    last = five.ask(hooke, "trace", "--session", f"{name}-{os.getpid()}", "-n", "1", env=os.environ)
    ran = [run["hook"] for run in last["runs"]]
    if len(ran) != HOOKS[name] or last["outcome"] != "none":
        raise SystemExit(f"{name}: {HOOKS[name]} hooks were to look and consent, not {ran}: {last['outcome']}")
    if answered < least or (answered > 0) != (least > 0):
        raise SystemExit(f"{name}: the daemon answered {answered} events, not {least}")


def settle(answer, home, **env):
    """Configuration that is younger than the clock of the file system is read again every time."""
    time.sleep(0.3)
    for _ in range(3):
        with open(os.path.join(home, "event.json"), encoding="utf-8") as f:
            subprocess.run(answer, stdin=f, check=True, capture_output=True,
                           env={**os.environ, **env})


def main(timer, hooke, nothing, nothing_static):
    home = os.environ["HOME"]
    answer = [hooke + "-answer", "claude"]
    floors = ["start-static", nothing_static, "--", "start-dynamic", nothing]
    with subprocess.Popen([hooke, "serve"], stderr=subprocess.PIPE,
                          text=True) as daemon:
        try:
            daemon.stderr.readline()  # it listens
            for name, configuration in configurations(hooke).items():
                configure(home, name, configuration)
                settle(answer, home)
                before = served(hooke)
                measure(timer, home, 300, *floors, "--", name + "-daemon", *answer)
                check(hooke, name, served(hooke) - before, 300)
                settle(answer, home, HOOKE_SOCKET="")
                before = served(hooke)
                measure(timer, home, 100, *floors, "--", name + "-alone", *answer, HOOKE_SOCKET="")
                check(hooke, name, served(hooke) - before, 0)
        finally:
            daemon.terminate()
    measure(timer, home, 15, *others()[1:])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
