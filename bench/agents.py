#!/usr/bin/python3
"""What a tool call costs in Claude Code, Codex and Gemini CLI: without hooks, with five hooks of hooke at the
event before a tool, with hooke at every event as `hooke install` has it, and with five hooks in bash and jq.

    agents.py BUILD       prints "<row><TAB><nanoseconds, median>" for the agents that are installed

A call lasts from one request to the model that asks for a tool until the next: the model is a script on
loopback, and notes when requests arrive. tests/agents has the agents and the model."""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import five

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "tests/agents"))

CALLS = 12
BEFORE = {"claude": "PreToolUse", "codex": "PreToolUse", "gemini": "BeforeTool"}
FILES = {"claude": "settings.json", "codex": "hooks.json", "gemini": "settings.json"}


def change(agent, make):
    """The hooks of the agent's settings become what `make` makes of them."""
    path = agent.folder / FILES[agent.name]
    settings = json.loads(path.read_text()) if path.exists() else {}
    settings["hooks"] = make(settings.get("hooks", {}))
    path.write_text(json.dumps(settings))


def bash_hooks(agent):
    one = [{"type": "command", "command": f"{HERE}/word.sh '{word}'"} for word in five.WORDS]
    if agent.name == "gemini":
        one = [{"name": f"word-{n}", **hook} for n, hook in enumerate(one)]
    change(agent, lambda _: {BEFORE[agent.name]: [{"hooks": one}]})


def hooke_hooks(agent, hooke, everywhere):
    configuration = five.configuration(hooke, agent.env)
    folder = agent.home / ".config/hooke"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(configuration))
    subprocess.run([hooke, "install", agent.name, "--yes"], env=agent.env, cwd=agent.cwd, check=True,
                   stdout=subprocess.DEVNULL)
    if not everywhere:
        event = BEFORE[agent.name]
        change(agent, lambda hooks: {event: hooks[event]})


def measure(agent, model, guarded):
    """Nanoseconds from one request to the next, in the middle. The first call warms up, and is one that
    hooks refuse: what is timed are hooks at work."""
    calls = [f"echo '{five.WORDS[0]}'", *(f"echo {n}" for n in range(CALLS))]
    model.turns = [*map(agent.bash, calls), {"text": "done"}]
    done = agent.run()
    if len(model.times) != len(model.turns):
        raise SystemExit(f"{agent.name} made {len(model.times)} requests: {done.stderr[-300:]}")
    if ("not allowed" in model.sent(1)) != guarded:
        raise SystemExit(f"{agent.name}: hooks that should {'' if guarded else 'not '}refuse did otherwise")
    gaps = [after - before for before, after in zip(model.times[1:], model.times[2:])]
    return statistics.median(gaps)


def check(agent, hooke):
    """hooke was asked before every call."""
    lines = five.ask(hooke, "doctor", agent.name, env=agent.env, check=False)
    fired = next((line["text"] for line in lines if line["check"] == "fired"), "")
    if f"{BEFORE[agent.name]} {CALLS + 1}" not in fired:
        raise SystemExit(f"{agent.name} did not ask hooke before every call: {fired}")


def run(kind, how, hooke, clocked):
    with tempfile.TemporaryDirectory(prefix="hooke-bench-", dir=os.environ["HOME"]) as root:
        model = clocked({"text": "done"})
        agent = kind(pathlib.Path(root), model)
        daemon = None
        try:
            if how == "bash":
                bash_hooks(agent)
            elif how != "none":
                hooke_hooks(agent, hooke, how == "installed")
                daemon = subprocess.Popen([hooke, "serve"], env=agent.env, stderr=subprocess.PIPE,
                                          text=True)
                daemon.stderr.readline()  # it listens
            took = measure(agent, model, how != "none")
            if daemon:
                check(agent, hooke)
            return took
        finally:
            model.close()
            if daemon:
                daemon.terminate()
                daemon.communicate()


def main(build):
    from agents import AGENTS, why_not
    from model_server import Model

    class Clocked(Model):
        """A model that notes when the requests of a session's turns arrive."""

        def __init__(self, *turns):
            self.times = []
            super().__init__(*turns)

        def take(self, request, aside):
            if not aside:
                self.times.append(time.monotonic_ns())
            return super().take(request, aside)

    hows = ["none", "hooke", "installed"] + (["bash"] if shutil.which("jq") else [])
    for name in BEFORE:
        for how in [] if why_not(name) else hows:
            took = run(AGENTS[name], how, os.path.join(build, "hooke"), Clocked)
            print(f"call-{name}-{how}\t{took}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
