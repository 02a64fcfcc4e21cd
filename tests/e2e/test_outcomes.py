"""What the ways a hook's program may end mean in each dialect, with real programs.

Every row is one program; every column what its system makes of it. The words of the columns:
nothing, block, allow, ask, stop, change, context (text for the model), shown (a line for the
person), failed (the run counts as failed, the action goes on).
"""

import json
import shlex

import pytest

BEFORE = {"tool": "bash", "args": {"command": "ls"}, "call_id": "c1"}
AFTER = dict(BEFORE, output="out", success=True)
POINTS = {
    "PreToolUse": BEFORE,
    "PostToolUse": AFTER,
    "PermissionRequest": dict(BEFORE, why="asked"),
    "UserPromptSubmit": {"message": {"id": "m", "text": "hello", "parts": []}},
    "SessionStart": {"source": "startup"},
    "SubagentStart": {"source": "subagent"},
    "Stop": {},
    "PreCompact": {"trigger": "auto", "prompt": "", "context": []},
    "SessionEnd": {"reason": "other"},
    "BeforeTool": BEFORE,
    "AfterTool": AFTER,
    "BeforeAgent": {"message": {"id": "m", "text": "hello", "parts": []}},
    "AfterAgent": {},
}


def program(code, out="", err=""):
    """A shell command that writes to both streams and exits."""
    return (
        f"cat >/dev/null; printf %s {shlex.quote(out)}; "
        f"printf %s {shlex.quote(err)} >&2; exit {code}"
    )


def specific(event, **fields):
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, **fields}})


def deny(event="PreToolUse"):
    return specific(event, permissionDecision="deny", permissionDecisionReason="from json")


def meaning(run, verdict):
    """The run of the one hook, in a word and the text that goes with it."""
    if run.get("end", "done") != "done":
        return "failed", run.get("detail", "")
    if verdict.get("stop"):
        return "stop", verdict["stop"]
    if verdict.get("decision"):
        return verdict["decision"], verdict.get("reason", "")
    if verdict.get("replace"):
        return "change", json.dumps(verdict["replace"])
    if verdict.get("follow_up_messages"):
        return "continue", verdict["follow_up_messages"][0]
    if verdict.get("inject"):
        return "context", verdict["inject"][0]["text"]
    if verdict.get("say"):
        return "shown", verdict["say"]
    return "nothing", ""


def ask(hooke, dialect, event, command):
    entry = {"name": "h", "on": event, "dialect": dialect, "exec": command, "timeout": "5s"}
    hooke.config(json.dumps({"hooks": [entry]}))
    sub = ["--parent", "p"] if event == "SubagentStart" else []
    r = hooke.emit(event, POINTS[event], "--trace", "--json", *sub).json
    (run,) = [h for h in r["receipt"]["runs"] if h["hook"] == "h"]
    return meaning(run, r["verdict"])


OBJECT = "{}"
UNKNOWN = '{"colour": "red"}'
BROKEN = '{"decision":'
TEXT = "some text"
BLOCK = '{"decision": "block", "reason": "from json"}'
ALLOW = specific("PreToolUse", permissionDecision="allow")
CHANGE = specific("PreToolUse", permissionDecision="allow", updatedInput={"command": "ls -l"})

CLAUDE = [
    # event, exit code, stdout, stderr, what it means, a text of it
    ("PreToolUse", 0, "", "", "nothing", ""),
    ("PreToolUse", 2, "", "no", "block", "no"),
    ("PreToolUse", 1, "", "oops", "failed", "oops"),
    ("PreToolUse", 0, deny(), "", "block", "from json"),
    ("PreToolUse", 2, deny(), "no", "block", "from json"),
    ("PreToolUse", 2, ALLOW, "no", "block", "no"),
    ("PreToolUse", 1, deny(), "oops", "block", "from json"),
    ("PreToolUse", 1, ALLOW, "oops", "allow", ""),
    ("PreToolUse", 0, UNKNOWN, "", "failed", ""),
    ("PreToolUse", 2, UNKNOWN, "no", "block", "no"),
    ("PreToolUse", 1, UNKNOWN, "oops", "failed", ""),
    ("PreToolUse", 0, BROKEN, "", "nothing", ""),
    ("PreToolUse", 0, TEXT, "", "nothing", ""),
    ("PreToolUse", 0, "[1]", "", "nothing", ""),
    ("PreToolUse", 0, '"x"', "", "nothing", ""),
    ("PreToolUse", 2, TEXT, "no", "block", "no"),
    ("PreToolUse", 1, TEXT, "oops", "failed", "oops"),
    ("PreToolUse", 2, "", "", "block", ""),
    ("PreToolUse", 126, "", "not executable", "failed", "not executable"),
    ("PreToolUse", 127, "", "not found", "failed", "not found"),
    ("PreToolUse", 0, CHANGE, "", "allow", ""),
    ("PreToolUse", 0, '{"continue": false, "stopReason": "end"}', "", "stop", "end"),
    ("PreToolUse", 0, '{"systemMessage": "look"}', "", "shown", "look"),
    ("UserPromptSubmit", 0, TEXT, "", "context", TEXT),
    ("UserPromptSubmit", 0, BROKEN, "", "context", BROKEN),
    ("UserPromptSubmit", 0, BLOCK, "", "block", "from json"),
    ("UserPromptSubmit", 2, "", "no", "block", "no"),
    ("SessionStart", 0, TEXT, "", "context", TEXT),
    ("SessionStart", 2, "", "no", "shown", "no"),
    ("PostToolUse", 2, "", "look again", "context", "look again"),
    ("PostToolUse", 0, BLOCK, "", "context", "from json"),
    ("PermissionRequest", 2, "", "no", "failed", ""),
    ("Stop", 2, "", "not yet", "continue", "not yet"),
    ("Stop", 0, BLOCK, "", "continue", "from json"),
    ("PreCompact", 2, "", "no", "block", "no"),
]

CODEX = [
    ("PreToolUse", 0, "", "", "nothing", ""),
    ("PreToolUse", 0, TEXT, "", "nothing", ""),
    ("PreToolUse", 0, BROKEN, "", "failed", ""),
    ("PreToolUse", 0, "[1]", "", "failed", ""),
    ("PreToolUse", 0, UNKNOWN, "", "failed", ""),
    ("PreToolUse", 0, deny(), "", "block", "from json"),
    ("PreToolUse", 0, specific("PreToolUse", permissionDecision="deny"), "", "failed", ""),
    ("PreToolUse", 0, ALLOW, "", "failed", ""),
    ("PreToolUse", 0, CHANGE, "", "change", "ls -l"),
    ("PreToolUse", 0, specific("PreToolUse", updatedInput={}), "", "failed", ""),
    (
        "PreToolUse",
        0,
        specific("PreToolUse", permissionDecision="ask", permissionDecisionReason="why"),
        "",
        "failed",
        "",
    ),
    ("PreToolUse", 0, BLOCK, "", "block", "from json"),
    ("PreToolUse", 0, '{"decision": "approve"}', "", "failed", ""),
    ("PreToolUse", 0, '{"continue": false}', "", "failed", ""),
    ("PreToolUse", 0, '{"suppressOutput": true}', "", "failed", ""),
    ("PreToolUse", 0, specific("PreToolUse", additionalContext="ctx"), "", "context", "ctx"),
    ("PreToolUse", 2, "", "no", "block", "no"),
    ("PreToolUse", 2, "", " ", "failed", ""),
    ("PreToolUse", 2, ALLOW, "no", "block", "no"),
    ("PreToolUse", 1, deny(), "oops", "failed", "oops"),
    ("PreToolUse", 127, "", "not found", "failed", "not found"),
    ("PermissionRequest", 2, "", "no", "block", "no"),
    (
        "PermissionRequest",
        0,
        specific("PermissionRequest", decision={"behavior": "allow"}),
        "",
        "allow",
        "",
    ),
    (
        "PermissionRequest",
        0,
        specific("PermissionRequest", decision={"behavior": "deny"}),
        "",
        "block",
        "denied",
    ),
    (
        "PermissionRequest",
        0,
        specific("PermissionRequest", decision={"behavior": "deny", "interrupt": True}),
        "",
        "failed",
        "",
    ),
    ("PostToolUse", 0, BLOCK, "", "block", "from json"),
    ("PostToolUse", 0, '{"decision": "block"}', "", "failed", ""),
    ("PostToolUse", 0, '{"continue": false, "stopReason": "end"}', "", "block", "end"),
    ("PostToolUse", 0, '{"continue": false}', "", "block", "stopped"),
    ("PostToolUse", 0, '{"suppressOutput": true}', "", "failed", ""),
    ("PostToolUse", 0, TEXT, "", "nothing", ""),
    ("PostToolUse", 2, "", "no", "block", "no"),
    ("UserPromptSubmit", 0, TEXT, "", "context", TEXT),
    ("UserPromptSubmit", 0, BLOCK, "", "block", "from json"),
    ("UserPromptSubmit", 0, '{"decision": "block"}', "", "failed", ""),
    ("UserPromptSubmit", 0, '{"continue": false, "stopReason": "end"}', "", "stop", "end"),
    ("UserPromptSubmit", 2, "", "no", "block", "no"),
    ("SessionStart", 0, TEXT, "", "context", TEXT),
    ("SessionStart", 2, "", "no", "failed", "no"),
    ("SessionStart", 0, '{"continue": false, "stopReason": "end"}', "", "stop", "end"),
    ("SubagentStart", 0, TEXT, "", "context", TEXT),
    ("SubagentStart", 0, '{"continue": false}', "", "nothing", ""),
    ("Stop", 0, BLOCK, "", "continue", "from json"),
    ("Stop", 0, TEXT, "", "failed", ""),
    ("Stop", 0, '{"decision": "block", "reason": " "}', "", "failed", ""),
    ("Stop", 2, "", "not yet", "continue", "not yet"),
    ("PreCompact", 0, '{"continue": false, "stopReason": "end"}', "", "block", "end"),
    ("PreCompact", 0, BLOCK, "", "failed", ""),
    ("PreCompact", 2, "", "no", "failed", "no"),
    ("PreCompact", 0, TEXT, "", "nothing", ""),
    ("SessionEnd", 0, BLOCK, "", "nothing", ""),
    ("SessionEnd", 2, "", "no", "failed", "no"),
]

GEMINI = [
    ("BeforeTool", 0, "", "", "nothing", ""),
    ("BeforeTool", 0, TEXT, "", "shown", TEXT),
    ("BeforeTool", 0, BROKEN, "", "shown", BROKEN),
    ("BeforeTool", 0, "", "a log line", "shown", "a log line"),
    ("BeforeTool", 0, UNKNOWN, "", "nothing", ""),
    ("BeforeTool", 1, "", "oops", "failed", "oops"),
    ("BeforeTool", 2, "", "no", "block", "no"),
    ("BeforeTool", 3, TEXT, "", "block", TEXT),
    ("BeforeTool", 2, "", "", "failed", ""),
    ("BeforeTool", 2, '{"decision": "allow"}', "", "nothing", ""),
    ("BeforeTool", 1, BLOCK, "", "block", "from json"),
    ("BeforeTool", 2, "", BLOCK, "block", "from json"),
    ("BeforeTool", 0, json.dumps(BLOCK), "", "block", "from json"),
    ("BeforeTool", 127, "", "not found", "block", "not found"),
    ("BeforeTool", 0, '{"decision": "ask", "reason": "sure?"}', "", "ask", "sure?"),
    ("BeforeTool", 0, '{"continue": false, "stopReason": "end"}', "", "stop", "end"),
    ("BeforeTool", 0, '{"decision": "deny"}', "", "block", "No reason provided"),
    (
        "BeforeTool",
        0,
        specific("BeforeTool", tool_input={"command": "ls -l"}),
        "",
        "change",
        "ls -l",
    ),
    ("AfterTool", 0, BLOCK, "", "block", "from json"),
    (
        "AfterTool",
        0,
        specific("AfterTool", additionalContext="a <b> c"),
        "",
        "context",
        "a &lt;b&gt; c",
    ),
    ("BeforeAgent", 0, BLOCK, "", "block", "from json"),
    ("BeforeAgent", 2, "", "no", "block", "no"),
    ("AfterAgent", 0, BLOCK, "", "continue", "from json"),
]


def rows():
    for dialect, table in (("claude", CLAUDE), ("codex", CODEX), ("gemini", GEMINI)):
        for row in table:
            yield pytest.param(dialect, *row, id=f"{dialect}-{row[0]}-{row[1]}-{row[2][:30]}")


@pytest.mark.parametrize("dialect,event,code,out,err,word,text", rows())
def test_outcome(hooke, dialect, event, code, out, err, word, text):
    got, said = ask(hooke, dialect, event, program(code, out, err))
    assert (got, text in said) == (word, True), said
