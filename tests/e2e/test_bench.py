"""The benchmark: what is timed side by side does the same, and a budget that is missed is seen."""

import importlib.machinery
import importlib.util
import json
import shutil
import subprocess
import sys

import pytest

from conftest import SOURCE

BENCH = SOURCE / "bench"


def load(name):
    loader = importlib.machinery.SourceFileLoader(f"bench_{name}", str(BENCH / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    kept, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = kept
    return module


five = load("five.py")

# What the check of five words makes of a command.
COMMANDS = {"ls": False, "mkfs": True, "rm -rf ./x": False, "cd / && rm -rf /tmp/x": True, "chmod 777 a": True,
            "chmod 0777 a": False, "curl https://x": True, "git push": False, "one\ntwo; mkfs.ext4 x\n": True,
            "git push --force-with-lease": True, 'echo "é" \\ && *': False}


@pytest.mark.parametrize("how", ["bash", "node", "python", "five in bash", "rules"])
def test_the_hooks_that_are_timed_side_by_side_refuse_the_same(hooke, how):
    commands = {"bash": [["bash", BENCH / "guard.sh"]], "node": [["node", BENCH / "guard.mjs"]],
                "python": [["/usr/bin/python3", BENCH / "guard.py"]],
                "five in bash": [[BENCH / "word.sh", word] for word in five.WORDS],
                "rules": [[hooke.program, "answer", "claude"]]}[how]
    if not shutil.which(str(commands[0][0])):
        pytest.skip(f"{commands[0][0]} is not installed")
    off = {"disabled_hooks": ["command-guard", "loop-guard"]}
    (hooke.config_dir / "config.json").write_text(
        json.dumps({**off, "hooks": [five.rule(n, word) for n, word in enumerate(five.WORDS)]}))
    refused = {}
    for text in COMMANDS:
        event = {"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash",
                 "tool_input": {"command": text}}
        done = [subprocess.run(command, input=json.dumps(event), capture_output=True, text=True,
                               env=hooke.env, cwd=hooke.cwd, timeout=60, check=False)
                for command in commands]
        refused[text] = any("not allowed" in one.stderr + one.stdout for one in done)
        assert how == "rules" or {one.returncode for one in done} <= {0, 2}
    assert refused == COMMANDS


def judged(figures, **more):
    row = ("a row", ("ours.py", "a"), ("theirs.py", "start-node"), "<=", 2)
    return load("run").judge(row, figures, more.get("reasons", {}), more.get("failed", ()))


def test_a_budget_that_is_missed_is_seen():
    theirs = {("theirs.py", "start-node"): 10.0}
    assert judged({("ours.py", "a"): 19.0, **theirs})["ok"] is True
    assert judged({("ours.py", "a"): 21.0, **theirs})["ok"] is False


def test_a_row_whose_program_fails_is_no_row_within_its_budget():
    theirs = {("theirs.py", "start-node"): 10.0}
    assert judged(theirs, reasons={"ours.py": "it fell over"}, failed={"ours.py"})["ok"] is False
    assert judged(theirs)["ok"] is False, "it runs and has no such row"
    assert judged({("ours.py", "a"): 1.0})["ok"] is None, "what others need is not installed"
    assert judged(theirs, reasons={"ours.py": "go is not installed"})["ok"] is None
