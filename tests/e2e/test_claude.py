"""Hooks as people have written them for Claude Code and Codex, run by `hooke emit`."""

import json
import pathlib
import re
import shutil

import fences
import pytest

SOURCE = fences.SOURCE
SCRIPTS = SOURCE / "tests/e2e/claude"
PAGES = {"claude": SOURCE / "docs/claude.md", "codex": SOURCE / "docs/codex.md"}
EVENTS = {
    "claude": ["SessionStart", "SubagentStart", "UserPromptSubmit", "PreToolUse",
               "PermissionRequest", "PostToolUse", "PostToolUseFailure", "Stop", "SubagentStop",
               "StopFailure", "PreCompact", "PostCompact", "Notification", "SessionEnd"],
    "codex": ["SessionStart", "SubagentStart", "UserPromptSubmit", "PreToolUse",
              "PermissionRequest", "PostToolUse", "Stop", "SubagentStop", "PreCompact",
              "PostCompact", "SessionEnd"],
}

needs_jq = pytest.mark.skipif(not shutil.which("jq"), reason="jq is not installed")
both = pytest.mark.parametrize("dialect", ["claude", "codex"])


def entry(hooke, dialect, on, keys):
    hooke.config(f"hooks: [{{ name: prog, on: {on}, dialect: {dialect}, {keys} }}]\n")
    r = hooke("config", "check")
    assert r.rc == 0, r.out


def answer(hooke, dialect, on, said):
    entry(hooke, dialect, on, f"exec: [echo, {json.dumps(json.dumps(said))}]")


def run_of(r):
    return next(x for x in r.json["receipt"]["runs"] if x["hook"] == "prog")


def shell(command):
    return {"tool": "bash", "call_id": "c1", "args": {"command": command}}


# Scripts ------------------------------------------------------------------------------------------

@needs_jq
@both
def test_a_guard_written_for_both_refuses_a_command(hooke, dialect):
    entry(hooke, dialect, "PreToolUse", f"exec: [{SCRIPTS / 'no-rm.sh'}]")
    hooke.env["HOOKE_DISABLED_HOOKS"] = "command-guard"  # which refuses it, too
    r = hooke.emit("PreToolUse", shell("rm -rf /"))
    assert r.rc == 2 and r.json == {"decision": "block", "reason": "rm -rf is not allowed"}
    assert hooke.emit("PreToolUse", shell("ls")).json == {}


@needs_jq
@both
def test_a_formatter_hears_of_the_absolute_path(hooke, dialect):
    entry(hooke, dialect, "PostToolUse", f"exec: [{SCRIPTS / 'format.sh'}]")
    r = hooke.emit("PostToolUse", {"tool": "write", "args": {"path": "src/a.py"}, "output": "ok"})
    assert r.json["inject"][0]["text"] == f"formatted {hooke.cwd}/src/a.py"


@needs_jq
@both
def test_a_stop_hook_goes_on_once(hooke, dialect):
    entry(hooke, dialect, "Stop", f"exec: [{SCRIPTS / 'tests-first.sh'}]")
    said = {"result": "continue", "follow_up_messages": ["Run the tests before you stop."]}
    assert hooke.emit("Stop", {"continuations": 0}).json == said
    assert hooke.emit("Stop", {"continuations": 1}).json == {}


@both
def test_text_at_a_prompt_is_context(hooke, dialect):
    entry(hooke, dialect, "UserPromptSubmit", "exec: 'echo it is Monday'")
    r = hooke.emit("UserPromptSubmit", {"message": {"text": "hi"}})
    assert r.json["inject"][0]["text"] == "it is Monday"


# What they are told -------------------------------------------------------------------------------

def test_claude_is_told_in_its_own_words(hooke):
    entry(hooke, "claude", "PreToolUse", "exec: 'cat >seen; env >env'")
    hooke.emit("PreToolUse", {"tool": "read", "call_id": "c1", "args": {"path": "a", "limit": 3}},
               "--session", "s1/a7", "--parent", "s1", "--agent", "Explore", OTEL_SECRET="x")
    assert json.loads((hooke.cwd / "seen").read_text()) == {
        "session_id": "s1", "transcript_path": "", "cwd": str(hooke.cwd),
        "hook_event_name": "PreToolUse", "permission_mode": "default", "agent_id": "a7",
        "agent_type": "Explore", "tool_name": "Read",
        "tool_input": {"file_path": f"{hooke.cwd}/a", "limit": 3}, "tool_use_id": "c1"}
    env = (hooke.cwd / "env").read_text().splitlines()
    for line in ("CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=s1", f"CLAUDE_PROJECT_DIR={hooke.cwd}"):
        assert line in env
    assert not any(line.startswith("OTEL_") for line in env)


def test_an_entry_may_say_another_value_of_a_variable(hooke):
    entry(hooke, "claude", "PreToolUse",
          "exec: 'echo $CLAUDE_PROJECT_DIR >seen', env: { CLAUDE_PROJECT_DIR: /else }")
    hooke.emit("PreToolUse", shell("ls"))
    assert (hooke.cwd / "seen").read_text() == "/else\n"


def test_codex_is_told_as_codex_tells(hooke):
    entry(hooke, "codex", "PreToolUse", "exec: 'cat >seen; env >env'")
    hooke.emit("PreToolUse", shell("ls"), "--session", "s1", "--turn", "2")
    assert json.loads((hooke.cwd / "seen").read_text()) == {
        "session_id": "s1", "turn_id": "s1:2", "transcript_path": None, "cwd": str(hooke.cwd),
        "hook_event_name": "PreToolUse", "model": "", "permission_mode": "default",
        "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "c1"}
    assert "CLAUDE" not in (hooke.cwd / "env").read_text()


@both
def test_changes_come_back_in_our_names(hooke, dialect):
    answer(hooke, dialect, "PreToolUse", {"hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "allow",
        "updatedInput": {"file_path": "/b", "content": "x"}}})
    r = hooke.emit("PreToolUse", {"tool": "write", "args": {"path": "a", "content": "x"}})
    assert r.json["replace"] == {"args": {"path": "/b", "content": "x"}}
    assert r.json.get("decision") == ("allow" if dialect == "claude" else None)


# Exit codes ---------------------------------------------------------------------------------------

DENY = json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                                          "permissionDecisionReason": "no"}})


@pytest.mark.parametrize("program, claude, codex", [
    ("true", "no opinion", "no opinion"),
    ("echo hello", "no opinion", "no opinion"),
    ("echo '{bad'", "no opinion", "failed"),
    ("echo '{\"colour\":1}'", "failed", "failed"),
    ("echo no >&2; exit 2", "block", "block"),
    ("exit 2", "block", "failed"),
    ("echo no >&2; exit 1", "failed", "failed"),
    (f"echo '{DENY}'; exit 1", "block", "failed"),
    ("exit 127", "failed", "failed"),
    ("kill -9 $$", "failed", "failed"),
    ("exec sleep 30", "failed", "failed"),
])
@both
def test_outcomes_of_a_hook_before_a_tool(hooke, dialect, program, claude, codex):
    entry(hooke, dialect, "PreToolUse", f"exec: {json.dumps(program)}, timeout: 1s")
    r = hooke.emit("PreToolUse", shell("ls"), "--trace", "--json")
    wanted = {"claude": claude, "codex": codex}[dialect]
    assert r.json["verdict"].get("decision") == ("block" if wanted == "block" else None)
    assert (run_of(r).get("end") in ("failed", "timed-out")) == (wanted == "failed")


@both
def test_a_failed_run_blocks_where_the_entry_says_so(hooke, dialect):
    entry(hooke, dialect, "PreToolUse", "exec: 'exit 3', safety_critical: true")
    r = hooke.emit("PreToolUse", shell("ls"))
    assert r.rc == 2 and "exited with code 3" in r.json["reason"]


def test_blocks_after_a_tool_differ(hooke):
    said = {"decision": "block", "reason": "leaks a key"}
    answer(hooke, "claude", "PostToolUse", said)
    r = hooke.emit("PostToolUse", {"tool": "bash", "output": "x"})
    assert r.rc == 0 and r.json["inject"][0]["text"] == "leaks a key"
    answer(hooke, "codex", "PostToolUse", said)
    assert hooke.emit("PostToolUse", {"tool": "bash", "output": "x"}).json == said


def test_what_has_no_effect_is_said_in_the_receipt(hooke):
    answer(hooke, "claude", "SessionStart", {"hookSpecificOutput": {
        "hookEventName": "SessionStart", "watchPaths": ["a"]}})
    r = hooke.emit("SessionStart", {}, "--trace", "--json")
    assert "'watchPaths' has no effect" in json.dumps(r.json["receipt"])


@both
def test_a_point_without_an_event_is_a_problem(hooke, dialect):
    hooke.config(f"hooks: [{{ name: x, on: chat.params, exec: a, dialect: {dialect} }}]\n")
    r = hooke("config", "check")
    assert r.rc == 1 and f"{dialect} hooks know no event for 'chat.params'" in r.out + r.err


# The pages ----------------------------------------------------------------------------------------

@both
def test_the_page_names_every_event_and_field(hooke, dialect):
    named = set(re.findall(r"`(\w+)`", PAGES[dialect].read_text()))
    for event in EVENTS[dialect]:
        entry(hooke, dialect, event, "exec: 'cat >seen'")
        hooke.emit(event, {"tool": "bash", "title": "t", "metadata": {"duration_ms": 1},
                           "error": {"message": "m"}, "model": "m"})
        told = json.loads((hooke.cwd / "seen").read_text())
        assert told["hook_event_name"] == event and event in named
        assert set(told) <= named, set(told) - named
        (hooke.cwd / "seen").unlink()


def test_of_a_long_text_the_beginning_is_told_and_all_of_it_kept(hooke):
    """CL-19: 10,000 characters, however many bytes."""
    hooke.config(
        "hooks: [{ name: long, on: UserPromptSubmit, dialect: claude,"
        " exec: 'python3 -c \"print(chr(228) * 10003)\"' }]\n"
    )
    r = hooke.emit("UserPromptSubmit", {"message": {"id": "m", "text": "hi", "parts": []}}, PYTHONUTF8="1")
    text = r.json["inject"][0]["text"]
    told, note = text.split("\n")
    assert told == "ä" * 10000 and note.startswith("[3 more characters: all of it is in '")
    assert pathlib.Path(note.split("'")[1]).read_text() == "ä" * 10003
