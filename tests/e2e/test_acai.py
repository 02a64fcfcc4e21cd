"""Hooks of the describe/execute protocol, run by `hooke emit`; tests are named by the edge case they
pin down."""

import json
import os
import re
import time

import fences
import pytest

SOURCE = fences.SOURCE
PAGE = SOURCE / "docs/acai.md"
CALL = {"tool": "bash", "call_id": "c1", "args": {"command": "ls", "cwd": "src"}}


def answer(**words):
    return "echo " + "'" + json.dumps(words) + "'"


def configure(hooke, *hooks, on="tool-call-start"):
    """Each hook is a shell text, or a pair of one and further keys."""
    entries = []
    for i, hook in enumerate(hooks):
        text, keys = hook if isinstance(hook, tuple) else (hook, {})
        entries.append({"name": f"h{i}", "on": on, "dialect": "acai", "exec": text, **keys})
    hooke.config(json.dumps({"hooks": entries}), "config.json")


def emit(hooke, point="tool-call-start", data=CALL, *flags):
    r = hooke("emit", point, "--data", "-", "--trace", "--json", *flags, input=json.dumps(data))
    r.verdict = r.json["verdict"]
    r.runs = {x["hook"]: {"end": "done", **x} for x in r.json["receipt"]["runs"]
              if x["hook"].startswith("h")}
    r.warnings = r.json["receipt"].get("warnings", [])
    return r


def test_s4_e1_a_hook_that_sleeps_is_ended_and_the_event_goes_on(hooke):
    configure(hooke, ("echo $$ >pid; exec sleep 40", {"timeout": "300ms"}), answer(action="continue"))
    began = time.monotonic()
    r = emit(hooke)
    assert time.monotonic() - began < 20
    assert r.verdict == {} and r.runs["h0"]["end"] == "timed-out" and r.runs["h1"]["end"] == "done"
    assert "hook 'h0' timed out after 300 ms" in r.err
    with pytest.raises(ProcessLookupError):
        os.kill(int((hooke.cwd / "pid").read_text()), 0)


def test_s4_e2_a_failed_hook_is_not_obeyed(hooke):
    configure(hooke, answer(action="block", reason="no") + "; echo broken >&2; exit 1")
    r = emit(hooke)
    assert r.rc == 0 and r.verdict == {}
    assert r.runs["h0"]["detail"] == "exited with code 1: broken"


@pytest.mark.parametrize("text", ["echo '{bad'", "echo fine with me"])
def test_s4_e3_what_is_no_json_changes_nothing(hooke, text):
    configure(hooke, text)
    r = emit(hooke)
    assert r.verdict == {} and "gave a bad answer" in r.err


def test_s4_e3b_silence_is_no_opinion(hooke):
    configure(hooke, "true")
    r = emit(hooke)
    assert r.verdict == {} and r.runs["h0"]["end"] == "done" and not r.warnings


def test_s4_e4_an_unknown_action_is_a_warning(hooke):
    configure(hooke, answer(action="explode"))
    r = emit(hooke)
    assert r.verdict == {} and "not \"explode\"" in r.warnings[0] and "h0" in r.warnings[0]


def test_s4_e5_a_block_ends_the_chain(hooke):
    configure(hooke, answer(action="continue"), answer(action="block", reason="B says no"),
              "touch ran")
    r = emit(hooke)
    assert list(r.runs) == ["h0", "h1"] and not (hooke.cwd / "ran").exists()
    assert r.verdict == {"stop": "B says no"}


def test_s4_e5b_all_that_continue_run_in_order(hooke):
    configure(hooke, "echo a >>order", "echo b >>order")
    assert list(emit(hooke).runs) == ["h0", "h1"]
    assert (hooke.cwd / "order").read_text() == "a\nb\n"


@pytest.mark.parametrize("on", ["agent-start", "step-start", "tool-call-start", "tool-call-end",
                                "step-stop", "agent-stop"])
def test_s4_e6_a_block_stops_the_run(hooke, on):
    configure(hooke, answer(action="block", reason="enough"), on=on)
    assert emit(hooke, on).verdict == {"stop": "enough"}


def test_s4_e7_a_modified_call_is_what_the_tool_and_the_next_hook_get(hooke):
    configure(hooke, answer(action="modify", modifications={"args": {"command": "ls -la"}}),
              "cat >seen")
    r = emit(hooke)
    assert r.verdict == {"replace": {"args": {"command": "ls -la", "cwd": "src"}}}
    seen = json.loads((hooke.cwd / "seen").read_text())
    assert seen["payload"]["args"] == {"command": "ls -la", "cwd": "src"}


@pytest.mark.parametrize("words", [{}, {"modifications": "x"}, {"modifications": None}])
def test_s4_e7b_a_modify_without_modifications_is_a_warning(hooke, words):
    configure(hooke, answer(action="modify", **words))
    r = emit(hooke)
    assert r.verdict == {} and "'modifications' must be an object" in r.warnings[0]


def test_s4_x1_a_missing_script_is_skipped(hooke):
    configure(hooke, ["/nowhere/hook.sh"], answer(action="block", reason="still here"))
    r = emit(hooke)
    assert "'/nowhere/hook.sh' does not exist" in r.runs["h0"]["detail"]
    assert r.verdict == {"stop": "still here"}


def test_s4_x4_what_can_not_be_started_is_skipped(hooke):
    plain, orphan = hooke.cwd / "plain", hooke.cwd / "orphan"
    plain.write_text("echo\n")
    orphan.write_text("#!/nowhere/sh\n")
    orphan.chmod(0o755)
    big = ["/bin/echo", "x" * 200000]
    configure(hooke, [str(plain)], [str(orphan)], big, answer(action="continue"))
    r = emit(hooke)
    assert r.rc == 0 and r.verdict == {}
    assert "is not executable" in r.runs["h0"]["detail"]
    assert "needs '/nowhere/sh'" in r.runs["h1"]["detail"]
    assert "are too long" in r.runs["h2"]["detail"]
    assert r.runs["h3"]["end"] == "done"


def test_s4_l2_a_hook_that_never_answers_costs_its_time_only(hooke):
    """Nor does a process it leaves behind, which holds its standard output."""
    configure(hooke, ("sleep 60 & echo $! >left; exit 0", {"timeout": "10s"}))
    began = time.monotonic()
    assert emit(hooke).verdict == {}
    assert time.monotonic() - began < 8
    os.kill(int((hooke.cwd / "left").read_text()), 9)


def test_s4_l3_the_order_is_the_same_every_time(hooke):
    configure(hooke, *["true"] * 5)
    assert {tuple(emit(hooke).runs) for _ in range(5)} == {("h0", "h1", "h2", "h3", "h4")}


def test_s4_l5_thirty_seconds_unless_the_entry_says_otherwise(hooke):
    configure(hooke, "true", ("true", {"timeout": "5s"}))
    shown = [hooke("show", name, "--json").json for name in ("h0", "h1")]
    assert [s["timeout_ms"] for s in shown] == [30000, 5000]


def test_s4_l6_what_is_remembered_is_in_the_store_not_in_the_process(hooke):
    configure(hooke, f"n=$('{hooke.program}' state incr n); [ $n = 1 ] || "
              + answer(action="block", reason="twice"))
    assert emit(hooke, "tool-call-start", CALL, "--session", "s").verdict == {}
    assert emit(hooke, "tool-call-start", CALL, "--session", "s").verdict == {"stop": "twice"}


@pytest.mark.parametrize("text, why", [
    ("exit 3", "exited with code 3"), ("kill -9 $$", "was killed by SIGKILL"),
    ("echo '{bad'", "gave a bad answer"), ("head -c 2000000 /dev/zero", "wrote more than"),
    ("exec 0<&-; exit 1", "exited with code 1")])
def test_s4_r1_r3_every_failure_is_one_line_and_the_event_goes_on(hooke, text, why):
    configure(hooke, text)
    r = emit(hooke, "tool-call-start", {**CALL, "args": {"text": "x" * 300000}})
    assert r.rc == 0 and r.verdict == {}
    lines = [line for line in r.err.splitlines() if "hook 'h0'" in line]
    assert len(lines) == 1 and why in lines[0]


def test_after_is_an_observer_that_sees_what_was_decided(hooke):
    configure(hooke, (answer(action="block", reason="too late") + "; cat >seen",
                      {"mode": "observe"}))
    r = emit(hooke)
    assert r.verdict == {} and "an observer decides nothing" in r.warnings[0]
    assert json.loads((hooke.cwd / "seen").read_text())["timing"] == "after"


def test_the_protocol_is_acais(hooke):
    sub = hooke.cwd / "src"
    sub.mkdir()
    configure(hooke, "cat >seen; env >vars")
    emit(hooke, "tool-call-start", CALL, "--session", "s1", "--agent", "repl", "--cwd", sub)
    assert json.loads((sub / "seen").read_text()) == {
        "event": "tool-call-start", "timing": "before", "session_id": "s1",
        "project_dir": str(hooke.cwd), "agent_name": "repl",
        "payload": {"name": "Bash", "toolCallId": "c1", "msg": "", "args": CALL["args"]}}
    told = dict(line.split("=", 1) for line in (sub / "vars").read_text().splitlines())
    assert {k: told[k] for k in told if re.match("HOOK_|TOOL_|ACAI_", k)} == {
        "HOOK_ACTION": "execute", "TOOL_ACTION": "execute", "HOOK_EVENT": "tool-call-start",
        "HOOK_TIMING": "before", "ACAI_SESSION_ID": "s1", "ACAI_PROJECT_DIR": str(hooke.cwd),
        "ACAI_AGENT_NAME": "repl"}


def test_the_page_names_every_event_field_and_variable():
    code, page = (SOURCE / "src/dialect/acai.c").read_text(), PAGE.read_text()
    named = re.findall(r'\] = "([a-z-]+)",', code) + re.findall(r'\{ "(\w+)", "\w+", \(?(?:AT|TOOL)', code)
    named += re.findall(r'"((?:HOOK|ACAI|TOOL)_\w+)=', code)
    assert len(named) > 20
    for name in named:
        assert f"`{name}`" in page or f"`{name}=" in page, name
