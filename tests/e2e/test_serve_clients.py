"""hooke serve: what belongs to one client stays with it, and everything is as without the daemon."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading

import pytest

from daemon import GUARD, WAIT, Daemon, answer, client, pre_tool_use, wait_for

MADE_UP = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}|(?<=same-)\d+")
KEY = "k3y" + "7" * 30  # no shape that is known: only the variable tells


@pytest.fixture
def daemon(hooke):
    hooke.config(GUARD)
    running = Daemon(hooke, DAEMONS_API_KEY=KEY[::-1])
    yield running
    running.end()


def test_secrets_are_those_of_the_client(daemon, hooke):
    def ask(text, **env):
        done = answer(hooke, "claude", event=pre_tool_use(hooke, f"echo {text}"), **env)
        return "deny" in done.stdout

    assert ask(KEY, MY_API_KEY=KEY)
    assert not ask(KEY)
    assert not ask(KEY[::-1])  # nobody but the daemon knows it
    assert hooke("serve", "--status", "--json").json["served"] == 3


def test_a_sandbox_is_made_as_the_client_would(daemon, hooke, tmp_path):
    hooke.config("hooks: [{ name: sandbox, elsewhere: true, program: bwrap }]")
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "bwrap").write_text("#!/bin/sh\nexit 0\n")
    (mine / "bwrap").chmod(0o755)
    call = {"tool": "bash", "args": {"command": "ls"}}
    env = {**hooke.env, "PATH": f"{mine}:/usr/bin:/bin", "TMPDIR": "/var/lib"}
    host = daemon.host(cwd=str(hooke.cwd), env=env, dialect="opencode")
    got = host.emit("tool.execute.before", call)["verdict"]
    words = got["replace"]["args"]["command"].replace("'", "").split()
    assert words[0] == str(mine / "bwrap")
    assert "/var/lib" in words


def test_what_runs_later_has_the_umask_of_its_client(hooke):
    told, go = hooke.home / "told", hooke.home / "go"
    os.mkfifo(go)
    hooke.config("hooks:\n  - name: late\n    on: PreToolUse\n    group:\n"
                 f"      - {{ exec: 'read x <{go}', async: true }}\n"
                 f"      - {{ exec: 'umask >>{told}', async: true }}\n")
    os.umask(0o022)
    daemon = Daemon(hooke)
    subprocess.run(["sh", "-c", f"umask 027; exec {client()} claude"], cwd=hooke.cwd, text=True,
                   input=json.dumps(pre_tool_use(hooke, "ls")), env=hooke.env, check=True)
    wait_for(lambda: told.exists() and told.read_text())
    answer(hooke, "claude", event=pre_tool_use(hooke, "ls"))
    wait_for(lambda: told.read_text().count("\n") == 2)
    assert told.read_text().split() == ["0027", "0022"]
    gate = os.open(go, os.O_RDWR)  # nobody sees its end before both have read
    os.write(gate, b"go\ngo\n")
    daemon.end()
    os.close(gate)


def test_a_prewarmed_process_has_the_umask_of_its_client(hooke):
    told = hooke.home / "told"
    hooke.config("hooks: [{ name: warm, on: PreToolUse, prewarm: true, "
                 "exec: 'cat >/dev/null; umask >>$HOME/told' }]")
    daemon = Daemon(hooke)
    masks = ["0027", "0027", "0027", "0077", "0077", "0022"]
    for n, mask in enumerate(masks):
        subprocess.run(["sh", "-c", f"umask {mask}; exec {client()} claude"], cwd=hooke.cwd,
                       input=json.dumps(pre_tool_use(hooke, f"ls {n}")), env=hooke.env,
                       check=True, text=True)
    assert told.read_text().split() == masks
    daemon.end()


def test_no_variable_and_no_folder_of_one_reaches_another(hooke, tmp_path):
    hooke.config("hooks: [{ name: tells, on: UserPromptSubmit, "
                 "exec: 'cat >/dev/null; echo \"$MARK$OTHER $(pwd) $(umask)\"' }]")
    daemon = Daemon(hooke, HOOKE_LOG="debug", OTHER="daemon")
    wrong = []

    def one(n):
        folder = tmp_path / f"f{n}"
        folder.mkdir()
        for turn in range(5):
            event = {"session_id": f"s{n}", "cwd": str(folder), "transcript_path": "/dev/null",
                     "hook_event_name": "UserPromptSubmit", "prompt": f"{turn}"}
            done = subprocess.run(["sh", "-c", f"umask 0{n % 8}7; exec {client()} claude"],
                                  input=json.dumps(event), text=True, capture_output=True,
                                  cwd=folder, env={**hooke.env, "MARK": f"secret{n}"}, timeout=60)
            said = f"secret{n} {folder} 00{n % 8}7"
            if said not in done.stdout:
                wrong.append((n, done))

    threads = [threading.Thread(target=one, args=(n,)) for n in range(30)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
    assert hooke("serve", "--status", "--json").json["served"] == 150
    assert "secret" not in daemon.end()[1]


# Other users


def as_nobody(path, *lines):
    """What another user gets who connects and writes."""
    code = ("import socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.settimeout(20)\n"
            "try:\n    s.connect(sys.argv[1])\n    s.sendall(sys.argv[2].encode())\n"
            "    print(s.recv(1000))\nexcept OSError as e:\n    print(type(e).__name__)\n")
    return subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                           "/usr/bin/python3", "-c", code, path, "".join(lines)],
                          capture_output=True, text=True, cwd="/").stdout.strip()


@pytest.fixture
def reachable():
    """A folder that every user can enter; pytest's own are closed to others."""
    if os.getuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("only root can become another user, with setpriv")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield pathlib.Path(folder)


def test_nobody_else_can_connect(hooke, reachable):
    daemon = Daemon(hooke, HOOKE_SOCKET=str(reachable / "s"))
    assert as_nobody(reachable / "s") == "PermissionError"
    daemon.end()


def test_somebody_else_who_can_connect_is_refused(hooke, reachable):
    daemon = Daemon(hooke, HOOKE_SOCKET=str(reachable / "s"))
    (reachable / "s").chmod(0o666)
    hello = '{"jsonrpc":"2.0","id":1,"method":"hello","params":{"version":1}}\n'
    stop = '{"jsonrpc":"2.0","id":2,"method":"stop"}\n'
    assert as_nobody(reachable / "s", hello, stop) in ("b''", "BrokenPipeError",
                                                       "ConnectionResetError")
    assert daemon.process.poll() is None
    assert "another user was refused" in daemon.end()[1]


def test_a_client_hands_nothing_to_the_socket_of_somebody_else(hooke, reachable):
    code = ("import socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.bind(sys.argv[1])\n"
            "s.listen(1)\nprint('ready', flush=True)\nprint(s.accept()[0].recv(1))\n")
    reachable.chmod(0o777)
    path = str(reachable / "s")
    other = subprocess.Popen(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                              "/usr/bin/python3", "-c", code, path], stdout=subprocess.PIPE,
                             text=True, cwd="/")
    hooke.started.append(other)
    hooke.config(GUARD)
    assert other.stdout.readline() == "ready\n"
    done = answer(hooke, "claude", event=pre_tool_use(hooke, "rm"), HOOKE_SOCKET=path)
    assert "not for agents" in done.stdout
    assert other.communicate(timeout=WAIT)[0] == "b''\n"


# The same without the daemon


VARIED = GUARD + """
  - name: asks
    on: PreToolUse
    when: tool == "bash" and has(args.command, "push")
    ask: Really push?
  - name: rewrites
    on: PreToolUse
    when: tool == "bash" and has(args.command, "grep")
    modify: { args: { command: rg } }
  - name: adds
    on: UserPromptSubmit
    inject: Mind the tests.
    cadence: 2
  - name: tells
    on: [PostToolUse, SessionStart]
    exec: 'cat >/dev/null; echo "$MARK $(pwd) $(umask) $HOOKE_POINT"'
  - name: fails
    on: PreToolUse
    tool: write
    exec: 'echo broken >&2; exit 3'
    safety_critical: true
  - name: goes-on
    on: Stop
    when: continuations == nil or continuations < 1
    continue: Run the tests.
  - name: watches
    on: [PreToolUse, Stop]
    mode: observe
    exec: 'cat >/dev/null; echo seen >&2'
"""


def events(hooke):
    """A session in Claude Code, and some of what else may come."""
    def event(name, **data):
        return json.dumps({"session_id": "same", "transcript_path": "/dev/null",
                           "cwd": str(hooke.cwd), "permission_mode": "default",
                           "hook_event_name": name, **data})

    def before(tool, **args):
        return event("PreToolUse", tool_name=tool, tool_input=args, tool_use_id="t1")

    def after(tool, output, **args):
        return event("PostToolUse", tool_name=tool, tool_input=args, tool_use_id="t1",
                     tool_response=output)

    return [
        event("SessionStart", source="startup", model="m"),
        event("UserPromptSubmit", prompt="first"), event("UserPromptSubmit", prompt="second"),
        event("UserPromptSubmit", prompt="third: ultrawork"),
        before("Bash", command="ls"), before("Bash", command="rm -r x"),
        before("Bash", command="git push"), before("Bash", command="grep -r x ."),
        before("Write", file_path="/x", content="y"), before("Read", file_path="README.md"),
        before("Bash", command=f"echo {KEY}"), before("mcp__x__y", a=[1, {"b": None}]),
        after("Bash", {"stdout": "line\n" * 20000, "stderr": ""}, command="ls"),
        after("Read", {"file": {"content": "text"}}, file_path="README.md"),
        event("PreCompact", trigger="auto", custom_instructions=""),
        event("Stop", stop_hook_active=False), event("Stop", stop_hook_active=True),
        event("Notification", message="wait"), event("SubagentStop", stop_hook_active=False),
        "this is no JSON", '{"session_id": 7}', "", event("NoSuchEvent"),
        event("SessionEnd", reason="other"),
    ]


def receipts(hooke, begins):
    """What they say, without times and the names that are made up for each."""
    def plain(value):
        if isinstance(value, dict):
            return {k: plain(v) for k, v in value.items()
                    if k not in ("id", "at", "us", "after") and not k.endswith("_us")}
        return [plain(v) for v in value] if isinstance(value, list) else value

    lines = [MADE_UP.sub("", line) for f in sorted(hooke.receipts.glob("*.jsonl")) for line in f.open()]
    return [plain(json.loads(line)) for line in lines[begins:]], len(lines)


def test_answers_and_receipts_are_the_same_without_it(hooke):
    hooke.config(VARIED)
    (hooke.cwd / "AGENTS.md").write_text("Be brief.\n")
    (hooke.cwd / "README.md").write_text("A readme.\n")
    seen, begins = [], 0
    for run in range(2):
        daemon = Daemon(hooke) if run else None
        said = []
        for text in events(hooke):
            done = subprocess.run([client(), "claude"], input=text, text=True, capture_output=True,
                                  cwd=hooke.cwd, env={**hooke.env, "MARK": "m", "MY_TOKEN": KEY},
                                  timeout=WAIT)
            told = [t for t in done.stderr.splitlines() if not t.startswith("hooke: warning:")]
            said.append((text, done.returncode, MADE_UP.sub("", done.stdout), told))
        written, begins = receipts(hooke, begins)
        seen.append((said, written))
        if daemon:
            assert hooke("serve", "--status", "--json").json["served"] == len(said)
            daemon.end()
        shutil.rmtree(hooke.home / ".local/share/hooke")
    for cold, warm in zip(seen[0][0] + seen[0][1], seen[1][0] + seen[1][1], strict=True):
        assert cold == warm
    assert len(seen[0][1]) >= 20


def test_a_configuration_that_is_refused_leaves_no_thread_in_its_folder(hooke, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    hooke.config("strict: true\nhooks: 7\n")
    daemon = Daemon(hooke)
    host = daemon.host(cwd=str(folder))
    refused = host.call("emit", point="session.idle", session={"id": "s"}, data={})
    assert "strict" in refused["error"]["message"]
    tasks = pathlib.Path(f"/proc/{daemon.process.pid}/task")
    wait_for(lambda: not [t for t in tasks.iterdir() if os.readlink(t / "cwd") == str(folder)])
    host.close()
    daemon.end()
