"""hooke replay: captured events through the configuration of now."""

import json
import shutil

import fences
import pytest
from test_help import on_terminal

LS = {"tool": "bash", "args": {"command": "ls"}}
PUSH = {"tool": "bash", "args": {"command": "git push"}}
NO_PUSH = "hooks: [{ name: no-push, on: PreToolUse, when: 'has(args.command, \"push\")', block: no }]\n"
TOKEN = "ghp" + "_" + "0123456789abcdefghijABCDEFGHIJ012345"


@pytest.fixture
def saved(hooke):
    return hooke.cwd / "saved"


@pytest.fixture
def save(hooke, saved):
    def run(point, data, *flags):
        return hooke.emit(point, data, *flags, HOOKE_CAPTURE=str(saved))

    return run


def test_nothing_changed(hooke, save):
    hooke.config(NO_PUSH)
    save("PreToolUse", LS)
    save("PreToolUse", PUSH)
    r = hooke("replay", "saved")
    assert (r.rc, r.out, r.err) == (0, "2 events replayed, none changed\n", "")


def test_a_decision_that_changed_is_named_with_its_hook(hooke, save):
    save("PreToolUse", LS)
    save("PreToolUse", PUSH)
    hooke.config(NO_PUSH)
    r = hooke("replay", "saved")
    assert r.rc == 1
    assert r.lines[0].split() == ["EVENT", "POINT", "TOOL", "THEN", "NOW", "BY"]
    assert r.lines[1].split()[1:] == ["tool.execute.before", "bash", "none", "block", "no-push"]
    assert r.lines[-1] == "2 events replayed, 1 changed" and len(r.lines) == 4


def test_json(hooke, save):
    save("PreToolUse", LS, "--session", "s1")
    save("PreToolUse", PUSH, "--session", "s1")
    hooke.config(NO_PUSH)
    j = hooke("replay", "saved", "--json").json
    assert {k: j[k] for k in ("replayed", "changed", "unknown", "left_out")} == {
        "replayed": 2, "changed": 1, "unknown": 0, "left_out": 0}
    one, = j["events"]
    assert one.pop("id") and one == {
        "point": "tool.execute.before", "tool": "bash", "session": "s1", "change": "changed",
        "then": "none", "now": "block", "by": "no-push"}
    everything = hooke("replay", "saved", "--json", "--all").json["events"]
    assert [e["change"] for e in everything] == ["same", "changed"]


@pytest.mark.parametrize("point,data,before,after,then,now", [
    ("PreToolUse", LS, "stop: x", "block: x", "stop", "block"),
    ("PreToolUse", LS, "ask: x", "allow: x", "ask", "allow"),
    ("PreToolUse", LS, "modify: { args: { n: 1 } }", "inject: { id: i, text: x }",
     "change args", "inject i"),
    ("turn.after", {}, "callback: compact", "callback: title", "callback compact", "callback title"),
    ("agent.stop", {}, "continue: go on", "stop: x", "continue", "stop"),
    ("chat.message", {}, "inject: { id: b, text: x }", "inject: { id: a, text: x }",
     "inject b", "inject a"),
])
def test_what_is_compared(hooke, save, point, data, before, after, then, now):
    config = "hooks: [{{ name: mine, on: {}, {} }}]\n"
    hooke.config(config.format(point, before))
    save(point, data)
    assert hooke("replay", "saved").rc == 0
    hooke.config(config.format(point, after))
    one, = hooke("replay", "saved", "--json").json["events"]
    assert (one["then"], one["now"]) == (then, now)


@pytest.mark.parametrize("after", ["block: another reason", "block: x, priority: 9"])
def test_what_is_not_compared(hooke, save, after):
    hooke.config("hooks: [{ name: mine, on: PreToolUse, block: x }]\n")
    save("PreToolUse", LS)
    hooke.config("hooks: [{ name: mine, on: PreToolUse, " + after + " }]\n")
    assert hooke("replay", "saved").rc == 0


def test_session_and_point_narrow(hooke, save):
    save("PreToolUse", LS, "--session", "s1")
    save("PreToolUse", LS, "--session", "s2")
    save("turn.after", {}, "--session", "s2")
    assert hooke("replay", "saved", "--session", "s2").out.startswith("2 events")
    assert hooke("replay", "saved", "--point", "PreToolUse").out.startswith("2 events")
    assert hooke("replay", "saved", "-s", "s1", "-p", "PreToolUse").out.startswith("1 event ")
    r = hooke("replay", "saved", "--session", "nobody")
    assert r.rc == 1 and "matches" in r.err


def test_cadence_and_once_begin_anew(hooke, save):
    hooke.config("hook_cadence: { third: 3 }\nhooks:\n"
                 "  - { name: third, on: chat.message, inject: { id: t, text: x } }\n"
                 "  - { name: first, on: chat.message, once: true, inject: { id: o, text: x } }\n")
    for session in ("s1", "s2", "s1", "s1", "s1"):
        save("chat.message", {}, "--session", session)
    for _ in range(2):
        assert hooke("replay", "saved").out == "5 events replayed, none changed\n"
    then = [e["then"] for e in hooke("replay", "saved", "--all", "--json").json["events"]]
    assert then == ["inject o t", "inject o t", "none", "none", "inject t"]


def test_leaves_no_trace(hooke, save, tmp_path):
    save("PreToolUse", LS, "--session", "s1")
    receipts = hooke("trace", "--json").out
    before = hooke("state", "get", "streak", "--session", "s1", "--hook", "loop-guard").out
    hooke("replay", "saved")
    assert hooke("trace", "--json").out == receipts
    assert hooke("state", "get", "streak", "--session", "s1", "--hook", "loop-guard").out == before
    assert list((tmp_path / "tmp").iterdir()) == []


def test_commands_run_unless_held_back(hooke, save):
    ran = hooke.cwd / "ran"
    hooke.config(json.dumps({"hooks": [
        {"name": "note", "on": "turn.after", "exec": f"echo x >>{ran}; echo note"},
        {"name": "rule", "on": "PreToolUse", "block": "x"}]}))
    save("turn.after", {})
    save("PreToolUse", LS)
    assert hooke("replay", "saved").rc == 0 and ran.read_text() == "x\nx\n"
    r = hooke("replay", "saved", "--no-commands")
    assert r.rc == 0 and ran.read_text() == "x\nx\n"
    assert "commands were held back" in r.out
    assert r.lines[-1] == "2 events replayed, none changed, 1 can't be compared"


def test_removed_secrets_can_not_be_compared(hooke, save):
    assert save("PreToolUse", {"tool": "bash", "args": {"command": "echo " + TOKEN}}).rc == 2
    r = hooke("replay", "saved")
    assert r.rc == 0 and "secrets were removed" in r.out and "secret-guard" in r.out
    assert r.lines[-1] == "1 event replayed, none changed, 1 can't be compared"


def test_a_file_that_is_no_capture_is_named_and_the_rest_goes_on(hooke, save, saved):
    save("PreToolUse", LS)
    (saved / "a.json").write_text("{")
    (saved / "b.json").write_text('{"event":{},"verdict":{},"hooke":1}')
    (saved / "c.json").write_text('{"some":"thing"}')
    (saved / "d.json").write_text('{"event":{"point":"Stop"},"verdict":{},"hooke":2}')
    (saved / "notes.txt").write_text("not looked at")
    r = hooke("replay", "saved")
    assert r.rc == 1 and r.lines == ["1 event replayed, none changed, 4 files left out"]
    assert [line.split("'")[1] for line in r.err.splitlines()] == [
        f"saved/{n}.json" for n in "abcd"]


def test_a_folder_that_is_none(hooke, saved):
    assert "'nowhere'" in hooke("replay", "nowhere").err and hooke("replay", "nowhere").rc == 1
    saved.mkdir()
    r = hooke("replay", "saved")
    assert r.rc == 1 and "no captured event" in r.err and "--capture" in r.err


def test_a_folder_of_another_machine(hooke, save, saved):
    hooke.config(json.dumps({"hooks": [{"name": "c", "on": "turn.after", "exec": "echo hi"}]}))
    there = hooke.cwd / "there"
    there.mkdir()
    save("turn.after", {}, "--cwd", there)
    shutil.rmtree(there)
    assert hooke("replay", "saved").rc == 0


def test_on_a_terminal(hooke, save):
    for _ in range(40):
        save("turn.after", {})
    text = on_terminal(hooke, "replay", "saved", NO_COLOR="1")
    assert "16 of 40" in text and text.endswith("40 events replayed, none changed\r\n")


@pytest.mark.parametrize("block", fences.blocks("json", "capture"), ids=str)
def test_documented_captures_are_read(hooke, saved, block):
    saved.mkdir()
    (saved / "x.json").write_text(block.text)
    j = hooke("replay", "saved", "--json").json
    assert (j["replayed"], j["left_out"]) == (1, 0)
    assert j["events"][0]["then"] == json.loads(block.text)["outcome"]


def test_wrong_words_are_usage_errors(hooke):
    for words in ([], ["a", "b"], ["a", "--point", "nope"], ["a", "--nope"]):
        assert hooke("replay", *words).rc == 64, words
