"""Hooks as people have written them for Kodelet, run by `hooke emit` in its dialect."""

import json
import re
import shutil

import fences
import pytest
import scripted

SOURCE = fences.SOURCE
PAGE = SOURCE / "docs/kodelet.md"
SCRIPTS = SOURCE / "tests/e2e/kodelet"

needs_tools = pytest.mark.skipif(not all(map(shutil.which, ("bash", "jq", "bc"))),
                                 reason="bash, jq or bc is not installed")


def entry(hooke, on, keys):
    hooke.config(f"hooks: [{{ name: prog, on: {on}, dialect: kodelet, {keys} }}]\n")


def script(hooke, on, name):
    shutil.copy(SCRIPTS / name, hooke.config_dir)
    entry(hooke, on, f"exec: [./{name}, run]")
    r = hooke("config", "check")
    assert r.rc == 0, r.out


def run_of(r):
    return next(x for x in r.json["receipt"]["runs"] if x["hook"] == "prog")


def usage(now):
    return {"usage": {"current_context_window": now, "max_context_window": 1000}}


# Scripts ------------------------------------------------------------------------------------------

@needs_tools
@pytest.mark.parametrize("on", ["after_turn", "turn.after"])
def test_a_full_window_calls_the_recipe(hooke, on):
    script(hooke, on, "compact-when-full")
    assert hooke.emit(on, usage(900)).json == {"result": "callback", "callback": "compact"}
    assert hooke.emit(on, usage(700)).json == {}


@needs_tools
def test_a_full_window_replaces_the_messages(hooke):
    script(hooke, "after_turn", "keep-the-request")
    talk = {"messages": [{"role": "assistant", "content": "hello"},
                         {"role": "user", "content": [{"type": "text", "text": 'say "hi"'}]},
                         {"role": "user", "content": "more"}]}
    kept = {"role": "user", "content": 'The request was: say "hi"'}
    r = hooke.emit("after_turn", {**usage(900), **talk})
    assert r.json == {"result": "mutate", "messages": [kept]}
    assert hooke.emit("after_turn", {**usage(100), **talk}).json == {}


@needs_tools
@pytest.mark.parametrize("tool, goes_on", [("edit", True), ("write", True), ("read", False)])
def test_an_edit_keeps_the_agent_going(hooke, tool, goes_on):
    script(hooke, "agent_stop", "lint-after-edits")
    call = {"type": "tool_call", "tool": tool, "args": {"path": "a.c"}}
    r = hooke.emit("agent_stop", {"messages": [{"role": "assistant", "content": [call]}]})
    said = {"result": "continue", "follow_up_messages": ["Run the linter before you stop."]}
    assert r.json == (said if goes_on else {})


@needs_tools
@pytest.mark.parametrize("name, event", [("compact-when-full", "after_turn"),
                                         ("keep-the-request", "after_turn"),
                                         ("lint-after-edits", "agent_stop")])
def test_the_scripts_still_answer_kodelet(hooke, name, event):
    entry(hooke, event, f"exec: [{SCRIPTS / name}, hook]")
    r = hooke.emit(event, {}, "--trace", "--json")
    assert "gave a bad answer" in run_of(r)["detail"]  # the name of an event is no result


# Around them --------------------------------------------------------------------------------------

def test_the_payload_is_kodelets(hooke):
    entry(hooke, "before_tool_call", "exec: 'cat >seen'")
    hooke.emit("before_tool_call", {"tool": "write", "call_id": "c1",
                                    "args": {"path": "a", "content": "x"}},
               "--session", "s1", "--parent", "s0", "--recipe", "review")
    assert json.loads((hooke.cwd / "seen").read_text()) == {
        "event": "before_tool_call", "conv_id": "s1", "cwd": str(hooke.cwd),
        "invoked_by": "subagent", "recipe_name": "review", "tool_name": "file_write",
        "tool_input": {"file_path": "a", "text": "x"}, "tool_user_id": "c1"}


def test_turn_end_is_told_by_its_name(hooke):
    hooks = [{"name": f"h{i}", "on": on, "dialect": "kodelet", "exec": f"cat >{on}"}
             for i, on in enumerate(("turn_end", "after_turn"))]
    hooke.config(json.dumps({"hooks": hooks}), "config.json")
    hooke.emit("turn_end", {"turn": 3, "response": "ok"}, "--session", "s1")
    assert json.loads((hooke.cwd / "turn_end").read_text()) == {
        "event": "turn_end", "conv_id": "s1", "cwd": str(hooke.cwd), "invoked_by": "main",
        "turn_number": 3, "response": "ok"}
    assert json.loads((hooke.cwd / "after_turn").read_text())["event"] == "after_turn"


def test_changes_come_back_in_our_names(hooke):
    answer = json.dumps({"blocked": False, "input": {"file_path": "b"}})
    entry(hooke, "before_tool_call", f"exec: [echo, {json.dumps(answer)}]")
    r = hooke.emit("PreToolUse", {"tool": "read", "args": {"path": "a"}})
    assert r.json == {"replace": {"args": {"path": "b"}}}
    answer = json.dumps({"output": {"success": True, "metadata": {"output": "***"}}})
    entry(hooke, "after_tool_call", f"exec: [echo, {json.dumps(answer)}]")
    r = hooke.emit("after_tool_call", {"tool": "bash", "output": "secret"})
    assert r.json == {"replace": {"output": "***"}}


@pytest.mark.parametrize("meaning, decision", [("allow", None), ("block", "block")])
@pytest.mark.parametrize("program, why", [
    ("echo '{\"blocked\":true}'; echo no >&2; exit 2", "exited with code 2: no"),
    ("echo '{\"blocked\":\"true\"}'", "'blocked' must be"), ("echo blocked", "gave a bad answer"),
])
def test_a_failed_run_is_never_an_answer(hooke, program, why, meaning, decision):
    entry(hooke, "before_tool_call", f"exec: {json.dumps(program)}, on_failure: {meaning}")
    r = hooke.emit("before_tool_call", {"tool": "bash"}, "--trace", "--json")
    assert r.json["verdict"].get("decision") == decision
    assert run_of(r)["end"] == "failed" and why in run_of(r)["detail"]


def test_a_point_without_an_event_is_a_problem(hooke):
    entry(hooke, "[PreToolUse, chat.params]", "exec: 'touch ran', on_failure: block")
    r = hooke("config", "check")
    assert r.rc != 0 and "kodelet hooks know no event for 'chat.params'" in r.out + r.err
    assert hooke.emit("PreToolUse", {"tool": "bash"}).rc == 2
    assert not (hooke.cwd / "ran").exists()


# The page -----------------------------------------------------------------------------------------

@pytest.mark.parametrize("event", ["before_tool_call", "after_tool_call", "user_message_send",
                                   "after_turn", "agent_stop"])
def test_the_page_names_every_field_of_a_payload(hooke, event):
    entry(hooke, event, "exec: 'cat >seen'")
    hooke.emit(event, {"tool": "bash", "response": "ok",
                       "auto_compact": {"enabled": True, "threshold": 0.8}}, "--recipe", "r")
    named = set(re.findall(r"`(\w+)`", PAGE.read_text()))
    assert set(json.loads((hooke.cwd / "seen").read_text())) <= named


def test_the_page_names_every_tool_with_another_name():
    rows = re.findall(r'^TOOL\("(\w+)", KODELET, "(\w+)"\)',
                      (SOURCE / "src/hook/tools.def").read_text(), re.M)
    assert len(rows) > 8
    for ours, theirs in (row for row in rows if row[0] != row[1]):
        assert re.search(rf"^\| `{ours}` \| `{theirs}` \|", PAGE.read_text(), re.M), ours


# In a session ------------------------------------------------------------------------------------

@needs_tools
def test_the_scripts_work_in_a_session_in_which_the_model_edits_a_file(hooke):
    """Found in Kodelet's folder, they send the agent on after an edit and shorten a full history."""
    folder = hooke.home / ".kodelet/hooks"
    folder.mkdir(parents=True)
    for name in ("lint-after-edits", "keep-the-request"):
        shutil.copy(SOURCE / "tests/e2e/kodelet" / name, folder)
    (hooke.cwd / "a.txt").write_text("one\n")
    edit = {"path": "a.txt", "old_string": "one", "new_string": "two"}
    scripted.script(hooke,
           {"calls": [{"tool": "read", "args": {"path": "a.txt"}}]},
           {"calls": [{"tool": "edit", "args": edit}]},
           {"text": "Changed."},
           {"expects": "Run the linter before you stop.",
            "calls": [{"tool": "bash", "args": {"command": "echo clean"}}]},
           {"expects": "clean", "text": "Clean.", "usage": {"input_tokens": 110000}},
           {"expects": "The request was: change it", "text": "Done."})
    r = hooke("run", "--json", "change it")
    assert r.rc == 0, r.err
    assert (hooke.cwd / "a.txt").read_text() == "two\n"
    hooks = [(e["hook"], e["did"]) for e in scripted.events(r) if e["type"] == "hook"]
    assert ("kodelet/lint-after-edits", "continue") in hooks
    assert ("kodelet/keep-the-request", "mutate") in hooks


# In a session -------------------------------------------------------------------------------------

def several(hooke, *hooks):
    """Programs that print an answer, in this order: (event, answer)."""
    entries = [{"name": f"h{i}", "on": on, "dialect": "kodelet",
                "exec": ["echo", json.dumps(answer)] if answer else ["true"]}
               for i, (on, answer) in enumerate(hooks)]
    hooke.config(json.dumps({"hooks": entries}))


def test_what_one_hook_changed_is_not_lost_by_the_next(hooke):
    output = {"toolName": "bash", "success": True, "metadataType": "bash",
              "metadata": {"output": "masked"}}
    several(hooke, ("before_tool_call", {"blocked": False, "input": {"command": "echo changed"}}),
            ("before_tool_call", {"blocked": False}), ("before_tool_call", None),
            ("after_tool_call", {"output": output}), ("after_tool_call", None))
    scripted.script(hooke, scripted.call("bash", command="echo given; touch given"),
                    {"expects": "masked", "text": "Done."})
    r = hooke("run", "go", "--json")
    assert r.rc == 0, r.err
    done = scripted.only(scripted.events(r), "tool_result")
    assert [(e["text"], e["output"]) for e in done] == [("echo changed", "masked")]
    assert not (hooke.cwd / "given").exists()


@pytest.mark.parametrize("args", ["", "touch ran", ["touch ran"], {}])
def test_no_guard_is_passed_by_arguments_that_cannot_be_read(hooke, args):
    several(hooke, ("before_tool_call", {"blocked": True, "reason": "never"}))
    scripted.script(hooke, {"calls": [{"tool": "bash", "args": args}]}, {"text": "Done."})
    r = hooke("run", "go", "--json")
    done = scripted.only(scripted.events(r), "tool_result")
    assert r.rc == 0 and [e["ok"] for e in done] == [False]
    assert not (hooke.cwd / "ran").exists()


def test_a_guard_holds_for_subagents(hooke):
    path = hooke.config_dir / "guard.sh"
    path.write_text("#!/bin/sh\nread -r line\ncase $line in\n"
                    "*'\"invoked_by\":\"subagent\"'*) echo '{\"blocked\":true,\"reason\":\"not you\"}';;\n"
                    "esac\n")
    path.chmod(0o755)
    entry(hooke, "before_tool_call", "exec: [./guard.sh]")
    scripted.script(hooke, scripted.call("task", subagent_type="builder", prompt="p", description="d"),
                    scripted.call("bash", command="touch ran"), {"expects": "not you", "text": "No."},
                    {"expects": "No.", "text": "Done."})
    assert hooke("run", "go").rc == 0
    assert not (hooke.cwd / "ran").exists()
