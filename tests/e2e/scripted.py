"""Sessions of hooke's own agent that play a script of replies."""

import json
import subprocess

import yaml


def script(hooke, *turns, name="turns.yaml"):
    """Write the turns and make them the model's answers from now on."""
    path = hooke.home / name
    path.write_text(yaml.safe_dump({"turns": list(turns)}, allow_unicode=True))
    hooke.env["HOOKE_SCRIPT"] = str(path)
    hooke.env["HOOKE_MODEL"] = "script/m1"
    return path


def call(tool, **args):
    return {"calls": [{"tool": tool, "args": args}]}


def events(result):
    """The lines of --json; every one must be an object with a type."""
    lines = [json.loads(line) for line in result.lines]
    assert all(isinstance(e, dict) and e["type"] for e in lines)
    return lines


def only(lines, kind):
    return [e for e in lines if e["type"] == kind]


def start(hooke, *words, **more):
    """A run in the background whose lines can be read as they come."""
    return subprocess.Popen([hooke.program, *words], cwd=hooke.cwd, env=hooke.env, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **more)
