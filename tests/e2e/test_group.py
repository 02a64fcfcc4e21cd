"""Commands of several programs, as `hooke emit` runs them."""

import json
import shutil

import pytest

KODELET_BLOCK = """printf '{"blocked":true,"reason":"%s"}'"""


def group(hooke, *handlers, keys="", top=""):
    lines = "".join(f"      - {json.dumps(h)}\n" for h in handlers)
    hooke.config(f"{top}hooks:\n  - name: all\n    on: PreToolUse\n{keys}    group:\n{lines}")


def run_of(r):
    return next(x for x in r.json["receipt"]["runs"] if x["hook"] == "all")


def receipts(hooke):
    return [json.loads(line) for f in sorted(hooke.receipts.glob("*.jsonl"))
            for line in f.read_text().splitlines()]


def test_a_native_group_is_one_verdict(hooke):
    group(hooke, {"exec": "echo first"}, {"exec": "echo no >&2; exit 2"}, {"exec": "echo third"})
    assert hooke("config", "check").rc == 0
    r = hooke.emit("PreToolUse", {"tool": "bash"})
    assert r.rc == 2
    assert r.json["reason"] == "no"
    assert [i["text"] for i in r.json["inject"]] == ["first", "third"]


def test_a_kodelet_group_is_one_verdict(hooke):
    group(hooke, {"exec": "true"}, {"exec": KODELET_BLOCK % "one"}, {"exec": KODELET_BLOCK % "two"},
          keys="    dialect: kodelet\n")
    r = hooke.emit("PreToolUse", {"tool": "bash", "args": {}})
    assert (r.rc, r.json) == (2, {"decision": "block", "reason": "one"})


def test_programs_of_a_list_are_beside_the_configuration(hooke, source):
    shutil.copy(source / "examples/hooks/guard.py", hooke.config_dir)
    group(hooke, {"exec": ["./guard.py"]}, {"exec": "true"})
    r = hooke.emit("PreToolUse", {"tool": "bash", "args": {"command": "git push -f"}})
    assert r.rc == 2


def test_a_safety_critical_group_loses_no_failed_guard(hooke):
    group(hooke, {"exec": "true"}, {"exec": "exit 7"}, keys="    safety_critical: true\n")
    r = hooke.emit("PreToolUse", {}, "--trace", "--json")
    assert r.rc == 2
    assert "config.yaml:7:9) exited with code 7" in r.json["verdict"]["reason"]
    assert run_of(r)["end"] == "failed"


@pytest.mark.parametrize("meaning, decision", [("allow", None), ("ask", "ask"), ("block", "block")])
@pytest.mark.parametrize("others", [[], [{"exec": "true"}]])
def test_the_failure_of_one_handler_has_a_meaning_of_its_own(hooke, meaning, decision, others):
    group(hooke, {"exec": "exit 3", "on_failure": meaning}, *others)
    r = hooke.emit("PreToolUse", {"tool": "bash"}, "--trace", "--json")
    assert r.json["verdict"].get("decision") == decision
    assert run_of(r)["end"] == "failed"
    if decision:
        assert "exited with code 3" in r.json["verdict"]["reason"]


def test_the_stricter_meaning_of_a_failure_counts(hooke):
    group(hooke, {"exec": "exit 3", "on_failure": "ask"}, {"exec": "exit 4", "on_failure": "allow"},
          keys="    on_failure: block\n")
    assert hooke.emit("PreToolUse", {"tool": "bash"}).json["decision"] == "block"


def test_a_failed_handler_leaves_the_others_in_force(hooke):
    group(hooke, {"exec": "echo here"}, {"exec": "exit 7"})
    r = hooke.emit("PreToolUse", {}, "--trace", "--json")
    assert r.rc == 0
    assert r.json["verdict"]["inject"][0]["text"] == "here"
    assert "exited with code 7" in run_of(r)["detail"]
    assert "exited with code 7" in r.err


@pytest.mark.parametrize("limit", [1, 2, 16])
def test_all_run_whatever_the_limit(hooke, limit):
    group(hooke, *[{"exec": f"echo {i}"} for i in range(5)], top=f"limits: {{ processes: {limit} }}\n")
    r = hooke.emit("PreToolUse", {})
    assert [i["text"] for i in r.json["inject"]] == list("01234")


def test_what_runs_in_the_background_is_not_lost(hooke):
    group(hooke, {"exec": "sleep 0.2; echo found it", "async": True}, {"exec": "true"})
    assert hooke.emit("PreToolUse", {}, "--session", "s1").json == {}
    first, second = receipts(hooke)
    assert second["after"] == first["id"]
    assert second["session"] == "s1" and second["runs"][0]["did"] == ["inject"]
    messages = [{"role": "user", "content": "go on"}]
    r = hooke.emit("experimental.chat.messages.transform", {"messages": messages}, "--session", "s1")
    assert "found it" in json.dumps(r.json["replace"]["messages"])


def test_show_prints_the_handlers(hooke):
    group(hooke, {"exec": "echo first"}, {"exec": "echo second", "async": True})
    out = hooke("show", "all").out
    assert "echo first" in out and "async" in out


def test_problems_of_handlers_have_their_place(hooke):
    group(hooke, {"exec": "true"}, {"exec": "x", "asynk": True}, {"exec": "x", "match": "Bash"})
    out = hooke("config", "check").out
    assert "config.yaml:6:23: unknown key 'asynk' of a handler, did you mean 'async'?" in out
    assert "config.yaml:7:32: handlers of the dialect 'native' have no 'match'" in out
