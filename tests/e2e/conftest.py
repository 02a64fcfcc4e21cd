"""The built program as a user runs it: a home, a workspace and an environment of its own."""

import json
import os
import pathlib
import subprocess

import pytest

from daemon import GUARD, Daemon

SOURCE = pathlib.Path(__file__).resolve().parents[2]


class Result:
    def __init__(self, done):
        self.rc = done.returncode
        self.out = done.stdout
        self.err = done.stderr

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def lines(self):
        return self.out.splitlines()


class Hooke:
    """Call it with the words of a command line; it gives back rc, out and err."""

    def __init__(self, root):
        self.program = os.environ["HOOKE"]
        self.home = root / "home"
        self.cwd = root / "work"
        self.config_dir = self.home / ".config/hooke"
        self.receipts = self.home / ".local/state/hooke/receipts"
        for folder in (self.config_dir, self.cwd / ".git"):
            folder.mkdir(parents=True)
        self.env = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "TMPDIR": str(root / "tmp"),
            "TZ": "UTC",
        }
        (root / "tmp").mkdir()
        self.started = []  # processes that end with the test, also when it fails
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
            if name in os.environ:
                self.env[name] = os.environ[name]

    def __call__(self, *words, input="", **env):
        done = subprocess.run(
            [self.program, *map(str, words)],
            input=input,
            capture_output=True,
            text=True,
            cwd=self.cwd,
            env={**self.env, **env},
            timeout=60,
        )
        assert "Sanitizer" not in done.stderr, done.stderr
        return Result(done)

    def config(self, text, name="config.yaml"):
        path = self.config_dir / name
        path.write_text(text)
        return path

    def emit(self, point, data, *flags, **env):
        return self("emit", point, "--data", json.dumps(data), *flags, **env)


@pytest.fixture
def hooke(tmp_path):
    hooke = Hooke(tmp_path)
    yield hooke
    for process in hooke.started:
        if process.poll() is None:
            process.kill()
            process.wait()


@pytest.fixture
def daemon(hooke):
    """One that runs, with a guard to ask."""
    hooke.config(GUARD)
    running = Daemon(hooke)
    yield running
    running.end()


@pytest.fixture
def source():
    return SOURCE
