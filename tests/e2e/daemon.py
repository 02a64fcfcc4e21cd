"""A daemon for one test, and the two ways to speak to it."""

import json
import os
import pathlib
import socket
import subprocess
import time

WAIT = 20

GUARD = """
hooks:
  - name: no-rm
    on: tool.execute.before
    when: tool == "bash" and has(args.command, "rm")
    block: rm is not for agents
"""


def wait_for(what, seconds=WAIT):
    """What `what()` gives as soon as it is something; a test that waits in vain fails."""
    until = time.monotonic() + seconds
    while not (got := what()):
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.01)
    return got


class Daemon:
    """`hooke serve` in the environment of the fixture `hooke`."""

    def __init__(self, hooke, *flags, **env):
        self.hooke = hooke
        self.path = hooke.home / ".local/state/hooke/hooke.sock"
        self.process = subprocess.Popen(
            [hooke.program, "serve", *flags], cwd="/", env={**hooke.env, **env},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        hooke.started.append(self.process)
        line = self.process.stderr.readline()
        assert "serving on" in line, line + self.process.stderr.read()

    def end(self, signal="terminate"):
        if self.process.poll() is None:
            getattr(self.process, signal)()
        out, err = self.process.communicate(timeout=WAIT)
        assert "Sanitizer" not in err, err
        return self.process.returncode, err

    def host(self, **hello):
        return Host(self.path, **hello)


class Host:
    """One connection that speaks JSON-RPC."""

    def __init__(self, path, **hello):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(WAIT)
        self.socket.connect(str(path))
        self.file = self.socket.makefile("rb")
        self.last = 0
        if hello:
            self.greeting = self.call("hello", version=1, **hello)

    def send(self, method, **params):
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}
        self.socket.sendall(json.dumps(message).encode() + b"\n")
        return self.last

    def receive(self):
        line = self.file.readline()
        return json.loads(line) if line else None

    def call(self, method, **params):
        sent = self.send(method, **params)
        got = self.receive()
        assert got and got["id"] == sent, got
        return got

    def emit(self, point, data, session="s1", **more):
        got = self.call("emit", point=point, session={"id": session}, data=data, **more)
        assert "result" in got, got
        return got["result"]

    def close(self):
        self.file.close()
        self.socket.close()


def client():
    """The hooke-answer of this build."""
    return pathlib.Path(os.environ["HOOKE"]).parent / "hooke-answer"


def answer(hooke, *words, event, program=None, **env):
    return subprocess.run([program or client(), *words], input=json.dumps(event), text=True,
                          capture_output=True, cwd=hooke.cwd, env={**hooke.env, **env},
                          timeout=WAIT * 2)


def pre_tool_use(hooke, command, session="c1"):
    return {"session_id": session, "transcript_path": "/dev/null", "cwd": str(hooke.cwd),
            "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": command}, "tool_use_id": "toolu_1"}


def waiting_hook(hooke, name="waits"):
    """A hook that says its pid and waits until the test lets it go; it only sees `wait` calls."""
    began, go = hooke.home / f"{name}.pid", hooke.home / f"{name}.go"
    os.mkfifo(go)
    script = hooke.home / f"{name}.sh"
    script.write_text(f"#!/bin/sh\necho $$ >{began}.new; mv {began}.new {began}\nread x <{go}\n")
    script.chmod(0o755)
    return began, go, (f"  - name: {name}\n    on: tool.execute.before\n    tool: wait\n"
                       f"    exec: [{script}]\n")
