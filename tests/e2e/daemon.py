"""A daemon for one test, and the two ways to speak to it."""

import json
import os
import pathlib
import socket
import subprocess
import time

WAIT = 20


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
