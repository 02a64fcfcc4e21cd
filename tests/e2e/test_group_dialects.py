"""Groups in the dialects of other agents, whole: settings files of Claude in home and workspace, and
entries for Codex and Gemini with the rules by which those add answers up."""

import json
import time

import pytest


def settings(root, **events):
    path = root / ".claude/settings.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"permissions": {}, "hooks": {
        event: [{"matcher": m, "hooks": [{"type": "command", **h} for h in handlers]}
                for m, handlers in groups] for event, groups in events.items()}}))


def log(hooke, name, then=""):
    return {"command": f"echo {name} >>{hooke.home}/log; {then}"}


def logged(hooke):
    path = hooke.home / "log"
    lines = sorted(path.read_text().split()) if path.exists() else []
    path.unlink(missing_ok=True)
    return lines


def run_of(r, name):
    return next(x for x in r.json["receipt"]["runs"] if x["hook"] == name)


@pytest.fixture
def claude(hooke):
    settings(hooke.home, PreToolUse=[
        ("Bash", [log(hooke, "user"), log(hooke, "both"),
                  {**log(hooke, "git"), "if": "Bash(git *)"},
                  {**log(hooke, "later"), "async": True}, log(hooke, "fails", "exit 1")]),
        ("Edit|Write", [log(hooke, "edit", "echo no edits >&2; exit 2")])])
    settings(hooke.cwd, PreToolUse=[
        ("Bash", [log(hooke, "both"), log(hooke, "theirs", "echo not here >&2; exit 2"),
                  {"command": "exec sleep 60", "timeout": 0.3}])])
    return hooke


def bash(hooke, command):
    return hooke.emit("PreToolUse", {"tool": "bash", "args": {"command": command}},
                      "--trace", "--json")


def test_settings_of_home_and_workspace_are_one_group(claude):
    assert bash(claude, "ls").json["verdict"] == {}  # the workspace is not trusted
    assert logged(claude) == ["both", "fails", "later", "user"]
    assert claude("trust", "--yes").rc == 0
    begin = time.monotonic()
    r = bash(claude, "ls")
    assert time.monotonic() - begin < 20
    assert r.json["verdict"] == {"decision": "block", "reason": "not here"}
    assert logged(claude) == ["both", "fails", "later", "theirs", "user"]
    assert "has 2 handlers that failed" in run_of(r, "claude/PreToolUse")["detail"]
    bash(claude, "git status")
    assert "git" in logged(claude)
    r = claude.emit("PreToolUse", {"tool": "write", "args": {"path": "a"}})
    assert r.json["reason"] == "no edits" and logged(claude) == ["edit"]


@pytest.mark.parametrize("flags, event", [
    ((), "Stop"), (("--session", "s1", "--parent", "s0", "--agent", "explorer"), "SubagentStop")])
def test_stops_of_main_and_sub_are_told_apart(hooke, flags, event):
    settings(hooke.home, **{name: [("", [{"command": f"cat >$HOME/{name}; echo {name} >&2; exit 2"}])]
                            for name in ("Stop", "SubagentStop")})
    assert hooke.emit("agent.stop", {}, *flags).json == {
        "result": "continue", "follow_up_messages": [event]}
    assert json.loads((hooke.home / event).read_text())["hook_event_name"] == event
    other = {"Stop": "SubagentStop", "SubagentStop": "Stop"}[event]
    assert not (hooke.home / other).exists()


# Entries ------------------------------------------------------------------------------------------

def entry(hooke, dialect, on, *handlers):
    hooke.config(json.dumps({"hooks": [
        {"name": "all", "on": on, "dialect": dialect, "group": list(handlers)}]}))
    r = hooke("config", "check")
    assert r.rc == 0, r.out


def says(before="", match=None, **answer):
    text = json.dumps(answer)
    return {"exec": f"{before}cat >/dev/null; printf '%s' '{text}'",
            **({"match": match} if match else {})}


def allow(command, before="", match=None):
    return says(before, match, hookSpecificOutput={
        "hookEventName": "PreToolUse", "permissionDecision": "allow",
        "updatedInput": {"command": command}})


LS = {"tool": "bash", "args": {"command": "ls"}}


def test_codex_takes_the_last_change_as_configured(hooke):
    entry(hooke, "codex", "PreToolUse", allow("first", "sleep 0.2; ", "^Bash$"),
          allow("last", match="Bash|Edit"), {"exec": "touch ran", "match": "Bas"})
    assert hooke.emit("PreToolUse", LS).json == {"replace": {"args": {"command": "last"}}}
    assert not (hooke.cwd / "ran").exists()
    entry(hooke, "codex", "PreToolUse", allow("x"), {"exec": "echo one >&2; exit 2"},
          says(decision="block", reason="two"))
    assert hooke.emit("PreToolUse", LS).json == {"decision": "block", "reason": "one"}


def test_codex_joins_the_reasons_to_go_on(hooke):
    entry(hooke, "codex", "Stop", {"exec": "echo one >&2; exit 2"},
          says(decision="block", reason="two"), {"exec": "echo text"})
    r = hooke.emit("Stop", {}, "--trace", "--json")
    assert r.json["verdict"] == {"result": "continue", "follow_up_messages": ["one\n\ntwo"]}
    assert run_of(r, "all")["end"] == "failed"


def test_gemini_lets_any_deny_win_before_a_tool(hooke):
    entry(hooke, "gemini", "BeforeTool", says(match="run_.*", decision="deny", reason="bad"),
          says(decision="allow", reason="fine"), says(match="^read_file$", decision="ask"))
    assert hooke.emit("BeforeTool", LS).json == {"decision": "block", "reason": "bad\nfine"}


def test_gemini_lets_the_last_word_count_before_the_model(hooke):
    data = {"messages": [{"role": "user", "content": "hi"}]}
    entry(hooke, "gemini", "BeforeModel", says(decision="deny", reason="x"), says(decision="allow"))
    assert hooke.emit("BeforeModel", data).json == {}
    entry(hooke, "gemini", "BeforeModel", says(decision="allow"), says(decision="deny", reason="x"))
    assert hooke.emit("BeforeModel", data).json["decision"] == "block"


def test_gemini_joins_contexts_of_the_handlers_for_that_start(hooke):
    entry(hooke, "gemini", "SessionStart",
          *(says(match=m, hookSpecificOutput={"additionalContext": text})
            for m, text in (("startup", "A<b>"), ("resume", "B"), (None, "C"))))
    r = hooke.emit("SessionStart", {"source": "startup"})
    assert r.json["inject"][0]["text"] == "<hook_context>A&lt;b&gt;\nC</hook_context>"
