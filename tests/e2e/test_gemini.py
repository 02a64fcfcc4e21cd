"""Hooks as people have written them for Gemini CLI, run by `hooke emit` in its dialect."""

import json
import re
import shutil
import time

import fences
import pytest

SOURCE = fences.SOURCE
PAGE = SOURCE / "docs/gemini.md"
CALL = {"tool": "bash", "call_id": "c1", "args": {"command": "ls"}}

pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")


def configure(hooke, *hooks, on="BeforeTool"):
    entries = []
    for i, hook in enumerate(hooks):
        text, keys = hook if isinstance(hook, tuple) else (hook, {})
        entries.append({"name": f"h{i}", "on": on, "dialect": "gemini", "exec": text, **keys})
    hooke.config(json.dumps({"hooks": entries}), "config.json")


def emit(hooke, point="BeforeTool", data=CALL, *flags):
    r = hooke.emit(point, data, "--trace", "--json", *flags)
    r.verdict = r.json["verdict"]
    r.runs = {x["hook"]: {"end": "done", **x} for x in r.json["receipt"]["runs"]
              if x["hook"].startswith("h")}
    r.warnings = r.json["receipt"].get("warnings", [])
    return r


def said(**words):
    return "echo '" + json.dumps(words) + "'"


# Outcomes -----------------------------------------------------------------------------------------

@pytest.mark.parametrize("name, text, verdict, end", [
    ("exit 0, empty", "true", {}, "done"),
    ("exit 0, plain text", "echo hello", {"say": "hello"}, "done"),
    ("exit 0, broken JSON", "echo '{bad'", {"say": "{bad"}, "done"),
    ("exit 0, log on stderr", "echo log >&2", {"say": "log"}, "done"),
    ("exit 2 + stderr", "echo no >&2; exit 2", {"decision": "block", "reason": "no"}, "done"),
    ("exit 2, silent", "exit 2", {}, "failed"),
    ("exit 2 + JSON allow", said(decision="allow") + "; exit 2", {}, "done"),
    ("exit 2 + JSON on stderr", said(decision="deny", reason="no") + " >&2; exit 2",
     {"decision": "block", "reason": "no"}, "done"),
    ("exit 1 + stderr", "echo odd >&2; exit 1", {"say": "Warning: odd"}, "failed"),
    ("exit 1 + JSON deny", said(decision="deny", reason="no") + "; exit 1",
     {"decision": "block", "reason": "no"}, "done"),
    ("killed by signal", "kill -9 $$", {}, "failed"),
    ("killed after JSON", said(decision="deny", reason="no") + "; kill -9 $$",
     {"decision": "block", "reason": "no"}, "done"),
    ("encoded twice", "echo '" + json.dumps(json.dumps({"decision": "deny", "reason": "no"})) + "'",
     {"decision": "block", "reason": "no"}, "done"),
])
def test_every_end_of_a_before_tool_hook(hooke, name, text, verdict, end):
    configure(hooke, text)
    r = emit(hooke)
    assert (r.verdict, r.runs["h0"]["end"]) == (verdict, end), name


def test_exit_127_denies_with_the_words_of_the_shell(hooke):
    configure(hooke, "no-such-program")
    r = emit(hooke)
    assert r.verdict["decision"] == "block" and "command not found" in r.verdict["reason"]


def test_a_timeout_goes_on(hooke):
    configure(hooke, (said(decision="deny") + "; exec sleep 40", {"timeout": "300ms"}))
    began = time.monotonic()
    r = emit(hooke)
    assert r.verdict == {} and r.runs["h0"]["end"] == "timed-out"
    assert time.monotonic() - began < 20


def test_a_crash_of_a_safety_critical_hook_blocks_and_is_shown(hooke):
    configure(hooke, ("echo Traceback >&2; exit 1", {"safety_critical": True}))
    r = emit(hooke)
    assert r.verdict["decision"] == "block" and r.verdict["say"] == "Warning: Traceback"
    assert "exited with code 1: Traceback" in r.verdict["reason"]


def test_allow_does_not_skip_the_question_for_consent(hooke):
    configure(hooke, said(decision="allow", reason="fine"))
    assert emit(hooke).verdict == {}


# Effects ------------------------------------------------------------------------------------------

def test_changed_input_comes_back_in_our_names(hooke):
    configure(hooke, said(hookSpecificOutput={"tool_input": {"file_path": "b"}}))
    r = emit(hooke, "BeforeTool", {"tool": "read", "args": {"path": "a"}})
    assert r.verdict == {"replace": {"args": {"path": "b"}}}


def test_a_failing_hook_does_not_keep_a_later_one_from_running(hooke):
    configure(hooke, "exit 1", said(decision="deny", reason="second"))
    r = emit(hooke)
    assert r.verdict == {"decision": "block", "reason": "second"}


def test_context_reaches_the_prompt_and_the_tool_output(hooke):
    extra = said(hookSpecificOutput={"additionalContext": "use <tabs>"})
    for on, data in [("BeforeAgent", {"message": {"text": "hi"}}), ("AfterTool", CALL)]:
        configure(hooke, extra, on=on)
        r = emit(hooke, on, data)
        assert [i["text"] for i in r.verdict["inject"]] == [
            "<hook_context>use &lt;tabs&gt;</hook_context>"]


def test_the_end_is_refused_with_a_new_prompt(hooke):
    configure(hooke, said(decision="deny", reason="run the tests"), on="AfterAgent")
    assert emit(hooke, "AfterAgent", {}).verdict == {
        "result": "continue", "follow_up_messages": ["run the tests"]}


def test_a_request_is_changed_and_what_has_no_point_is_said(hooke):
    request = {"model": "other", "messages": [{"role": "user", "content": "hello"}]}
    configure(hooke, said(hookSpecificOutput={"llm_request": request}), on="BeforeModel")
    r = emit(hooke, "BeforeModel", {"messages": [{"role": "user", "content": "hi"}]})
    assert r.verdict == {"replace": {"messages": request["messages"]}}
    assert "'model' of 'llm_request' can't be changed here" in r.warnings[0]


def test_each_hook_sees_what_the_one_before_changed(hooke):
    configure(hooke, said(hookSpecificOutput={"tool_input": {"command": "pwd"}}), "cat >seen")
    emit(hooke)
    assert json.loads((hooke.cwd / "seen").read_text())["tool_input"] == {"command": "pwd"}


@pytest.mark.parametrize("event", ["AfterModel", "BeforeToolSelection"])
def test_an_event_without_a_point_is_a_problem(hooke, event):
    configure(hooke, "true", on=event)
    r = hooke("config", "check")
    assert r.rc != 0 and f"'{event}' of gemini is not supported" in r.out + r.err


# Around them --------------------------------------------------------------------------------------

def test_it_runs_in_bash_with_geminis_variables(hooke):
    """A folder's name is text, whatever it looks like."""
    sub = hooke.cwd / "a b; touch injected"
    sub.mkdir()
    configure(hooke, '[[ -n $BASH_VERSION ]] && printf "%s\\n" "$GEMINI_PROJECT_DIR" "$GEMINI_CWD" '
              '"$GEMINI_SESSION_ID" "$CLAUDE_PROJECT_DIR" "$GEMINI_PLANS_DIR" >seen; '
              'cd $GEMINI_CWD 2>/dev/null; true')
    assert emit(hooke, "BeforeTool", CALL, "--session", "s1", "--cwd", sub).verdict == {}
    assert (sub / "seen").read_text().splitlines() == [
        str(hooke.cwd), str(sub), "s1", str(hooke.cwd),
        f"{hooke.home}/.gemini/tmp/{hooke.cwd.name}/plans"]
    assert not (sub / "injected").exists()


def test_an_entry_may_set_geminis_variables(hooke):
    configure(hooke, ('echo "$GEMINI_CWD"', {"env": {"GEMINI_CWD": "/elsewhere"}}))
    assert emit(hooke).verdict == {"say": "/elsewhere"}


@pytest.mark.parametrize("event, data", [
    ("SessionStart", {}), ("SessionEnd", {}), ("BeforeAgent", {}), ("AfterAgent", {}),
    ("BeforeModel", {}), ("BeforeTool", CALL), ("AfterTool", {**CALL, "success": False}),
    ("PreCompress", {}), ("Notification", {})])
def test_the_page_names_every_field_of_a_payload(hooke, event, data):
    configure(hooke, "cat >seen", on=event)
    emit(hooke, event, data)
    seen = json.loads((hooke.cwd / "seen").read_text())
    assert seen["hook_event_name"] == event and f"`{event}`" in PAGE.read_text()
    named = set(re.findall(r"`(\w+)`", PAGE.read_text()))
    assert set(seen) | set(seen.get("llm_request", {})) | set(seen.get("tool_response", {})) <= named


def test_the_page_names_every_field_of_an_answer():
    code = (SOURCE / "src/dialect/gemini_answer.c").read_text()
    names = re.findall(r'\] = \{ "(\w+)", JSON_', code)
    assert len(names) > 10
    for name in names:
        assert f"`{name}`" in PAGE.read_text(), name
