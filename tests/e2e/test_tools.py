"""Names of tools: an entry takes any system's, and the page lists what the table knows."""

import re

import fences
import pytest

SOURCE = fences.SOURCE
SYSTEMS = ["CLAUDE", "CODEX", "GEMINI", "OPENCODE", "KODELET", "ACAI"]


@pytest.mark.parametrize("name, tool", [
    ("bash", "bash"), ("Bash", "bash"), ("run_shell_command", "bash"), ("exec_command", "bash"),
    ("Read", "read"), ("read_file", "read"), ("replace", "edit"), ("todowrite", "todo"),
    ("spawn_agent", "task"), ("'/^Web/'", "web_fetch"), ("Edit", "apply_patch"),
    ("mcp__x__y", "mcp__x__y")])
def test_an_entry_takes_any_name_of_a_tool(hooke, name, tool):
    hooke.config(f"hooks: [{{ name: mine, on: PreToolUse, tool: {name}, block: no }}]\n")
    assert hooke.emit("PreToolUse", {"tool": tool}).rc == 2
    assert hooke.emit("PreToolUse", {"tool": "other"}).rc == 0
    plan = hooke("plan", "PreToolUse", "--tool", tool)
    assert plan.rc == 0 and "mine" in plan.out


def test_an_agent_is_not_a_tool(hooke):
    hooke.config("hooks: [{ name: mine, on: PreToolUse, agent: Bash, block: no }]\n")
    assert hooke.emit("PreToolUse", {"tool": "bash"}, "--agent", "bash").rc == 0


def table(section, mark):
    rows = [[c.strip() for c in line.strip("|\n").split("|")]
            for line in section.splitlines() if line.startswith("| `")]
    return {(row[0].strip("`"), s): re.findall(r"`(\w+)`", cell)
            for row in rows for s, cell in zip(SYSTEMS, row[1:], strict=True) if mark in row[0]}


def test_the_page_lists_every_name():
    text = (SOURCE / "docs/tools.md").read_text()
    tools, args = text.split("## Arguments")
    source = (SOURCE / "src/hook/tools.def").read_text()
    known = {}
    for ours, system, theirs in re.findall(r'^TOOL\("(\w+)", (\w+), "(\w+)"\)', source, re.M):
        known.setdefault((ours, system), []).append(theirs)
    assert {k: v for k, v in table(tools, "`").items() if v} == known
    known = {}
    for tool, ours, system, theirs in re.findall(
            r'^ARG\("(\w+)", "(\w+)", (\w+), "(\w+)"\)', source, re.M):
        known.setdefault((f"{tool}.{ours}", system), []).append(theirs)
    assert {k: v for k, v in table(args, ".").items() if v} == known
