"""Resident hooks as a user has them: the examples, the protocol of docs/resident.md, their life."""

import json
import os
import re
import shutil
import time

import fences
import pytest

SOURCE = fences.SOURCE
PAGE = (SOURCE / "docs/resident.md").read_text()
FULL = {"usage": {"current_context_window": 150000, "max_context_window": 200000}}

# Answers every event with what it was sent, and notes every message.
ECHO = r"""#!/usr/bin/python3
import json, os, sys
with open("starts", "a") as f:
    f.write("start\n")
for line in sys.stdin:
    message = json.loads(line)
    with open("seen", "a") as f:
        f.write(line)
    if "id" not in message:
        continue
    result = None
    if message["method"] == "initialize":
        result = {"name": "echo", "subscriptions": json.loads(os.environ.get("SUBSCRIBE", "[]"))}
    if message["method"] == "event":
        result = {"say": os.environ["HOOKE_HOOK"] + " " + os.environ["HOOKE_DEPTH"]}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


@pytest.fixture
def hooke(hooke):
    shutil.copytree(SOURCE / "examples/hooks", hooke.config_dir, dirs_exist_ok=True)
    program = hooke.config_dir / "echo.py"
    program.write_text(ECHO)
    program.chmod(0o755)
    for path in hooke.config_dir.iterdir():
        os.utime(path, (1, 1))
    return hooke


def entry(hooke, keys):
    hooke.config(f"hooks: [{{ name: res, {keys} }}]\n")


def starts(hooke):
    path = hooke.cwd / "starts"
    return path.read_text().count("\n") if path.exists() else 0


def seen(hooke):
    return [json.loads(line) for line in (hooke.cwd / "seen").read_text().splitlines()]


# Examples -----------------------------------------------------------------------------------------

def test_resident_py_compacts_once_in_five_turns(hooke):
    entry(hooke, "resident: [./resident.py]")
    said = {turn: hooke.emit("turn.after", FULL, "--session", "s1", "--turn", turn).json
            for turn in (3, 4, 7, 8)}
    compact = {"result": "callback", "callback": "compact"}
    assert said == {3: compact, 4: {}, 7: {}, 8: compact}
    assert hooke.emit("turn.after", FULL, "--session", "s2", "--turn", 4).json == compact
    assert hooke.emit("turn.after", {"usage": {"max_context_window": 9}}).json == {}
    assert hooke.emit("turn.after", {}).json == {}
    assert hooke("state", "get", "compacted", "--session", "s1", "--hook", "res").out == "8\n"


def test_resident_sh_reminds_every_so_often(hooke):
    entry(hooke, "resident: [./resident.sh], env: { EVERY: 1 }")
    note = hooke.emit("PostToolUse", {"tool": "bash"}).json["inject"][0]
    assert note["text"] == "Say in one sentence where you stand."
    entry(hooke, "resident: [./resident.sh], env: { EVERY: 2 }")
    assert hooke.emit("PostToolUse", {"tool": "bash"}).json == {}


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_resident_mjs_answers_at_both_points(hooke):
    entry(hooke, "resident: [./resident.mjs]")
    for point in ("PreToolUse", "PostToolUse"):
        r = hooke.emit(point, {"tool": "bash", "call_id": "c"}, "--trace", "--json")
        run = next(x for x in r.json["receipt"]["runs"] if x["hook"] == "res")
        assert "end" not in run and r.json["verdict"] == {}


# Protocol -----------------------------------------------------------------------------------------

def test_messages_are_those_of_the_page(hooke):
    entry(hooke, "on: PreToolUse, resident: [./echo.py]")
    r = hooke("emit", "PreToolUse", "--session", "s1", "--data", '{"tool":"bash"}')
    assert r.json == {"say": "res 1"}
    messages = seen(hooke)
    assert [m["method"] for m in messages] == ["initialize", "event", "shutdown", "exit"]
    for message in messages:
        assert message["jsonrpc"] == "2.0" and f"| `{message['method']}`" in PAGE
    first = messages[0]["params"]
    assert set(first) == {"hooke", "session", "cwd", "workspace"}
    assert first["session"] == "s1" and first["workspace"] == str(hooke.cwd)
    event = messages[1]["params"]
    assert event["hooke"] == 1 and event["point"] == "tool.execute.before"
    assert event["session"]["id"] == "s1" and event["data"] == {"tool": "bash"}


def test_an_observer_gets_the_verdict_and_a_guard_is_told_of_its_second_look(hooke):
    hooke.config("hooks:\n"
                 "  - { name: guard, on: PreToolUse, layer: guard, resident: [./echo.py] }\n"
                 "  - { name: change, on: PreToolUse, modify: { args: { all: true } } }\n"
                 "  - { name: last, on: PreToolUse, mode: observe, resident: [./echo.py] }\n")
    hooke.emit("PreToolUse", {"tool": "ls"})
    events = [m["params"] for m in seen(hooke) if m["method"] == "event"]
    assert [e.get("again") for e in events] == [None, True, None]
    assert ["verdict" in e for e in events] == [False, False, True]


@pytest.mark.parametrize("match", [{"tool": "bash"}, {"match": {"tool": "bash", "session": "main"}}])
def test_subscriptions_decide_where_there_is_no_on(hooke, match):
    wants = [{"point": "PreToolUse", "layer": "guard", **match}, {"point": "Stop"}]
    hooke.env["SUBSCRIBE"] = json.dumps(wants)
    entry(hooke, "resident: [./echo.py]")
    plan = hooke("plan", "PreToolUse", "--json").json
    assert "res" in {h["name"] if "name" in h else h["hook"] for h in plan}
    assert hooke.emit("PreToolUse", {"tool": "bash"}).json == {"say": "res 1"}
    assert hooke.emit("PreToolUse", {"tool": "read"}).json == {}
    assert hooke.emit("agent.stop", {}).json == {"say": "res 1"}
    assert hooke.emit("session.idle", {}).json == {}


def test_what_it_subscribes_to_is_remembered_until_the_program_changes(hooke):
    hooke.env["SUBSCRIBE"] = '[{"point":"Stop"}]'
    entry(hooke, "resident: [./echo.py]")
    program = hooke.config_dir / "echo.py"
    hooke("list")
    while starts(hooke) != (hooke("list") and starts(hooke)):
        pass  # a file this young is not trusted to stay as it is
    before = starts(hooke)
    for _ in range(3):
        assert hooke.emit("session.idle", {}).rc == 0
    assert starts(hooke) == before
    program.write_text(ECHO + "# changed\n")
    hooke.emit("session.idle", {})
    assert starts(hooke) == before + 1


def test_keys_of_the_entry_win(hooke):
    hooke.env["SUBSCRIBE"] = '[{"point":"PreToolUse","tool":"bash","timeout":"1s"}]'
    entry(hooke, "resident: [./echo.py], tool: read, timeout: 9s")
    assert hooke.emit("PreToolUse", {"tool": "bash"}).json == {}
    assert hooke.emit("PreToolUse", {"tool": "read"}).json == {"say": "res 1"}
    assert "9 s" in hooke("show", "res").out


@pytest.mark.parametrize("subscribe, words", [
    ("[]", "it subscribes to no point"),
    ("{}", "its subscriptions are no list"),
    ('[{"point":"no.such"}]', "unknown point 'no.such'"),
    ('[{"point":"Stop","on":"Stop"}]', "unknown key 'on'"),
    ('[{"tool":"bash"}]', "it names no 'point'"),
    ('[{"point":"Stop","layer":"top"}]', "'layer' must be one of"),
    ('[3]', "expected an object"),
    ('[{"point":"Stop","match":"bash"}]', "'match' must be an object"),
    ('[{"point":"Stop","match":{"layer":"guard"}}]', "unknown key 'layer'"),
])
def test_a_wrong_subscription_is_a_problem(hooke, subscribe, words):
    hooke.env["SUBSCRIBE"] = subscribe
    entry(hooke, "resident: [./echo.py]")
    r = hooke("config", "check")
    assert r.rc == 1 and words in r.out + r.err and "config.yaml:1:9" in r.out + r.err


def test_inside_a_hook_nothing_is_started(hooke):
    entry(hooke, "resident: [./echo.py]")
    assert hooke.emit("PreToolUse", {"tool": "bash"}, HOOKE_DEPTH="1").json == {}
    entry(hooke, "on: PreToolUse, resident: [./echo.py]")
    r = hooke.emit("PreToolUse", {"tool": "bash"}, "--trace", "--json", HOOKE_DEPTH="1")
    assert r.json["receipt"]["held"][0]["why"] == "depth"
    assert starts(hooke) == 0


def test_inside_a_hook_it_is_held_back_where_it_is_known_to_be(hooke):
    hooke.env["SUBSCRIBE"] = '[{"point":"PreToolUse"}]'
    entry(hooke, "resident: [./echo.py]")
    until = time.monotonic() + 10
    while time.monotonic() < until and not (hooke.home / ".local/state/hooke/resident").exists():
        hooke.emit("PreToolUse", {"tool": "bash"})
    before = starts(hooke)
    r = hooke.emit("PreToolUse", {"tool": "bash"}, "--trace", "--json", HOOKE_DEPTH="1")
    assert r.json["receipt"]["held"][0]["why"] == "depth"
    assert starts(hooke) == before


def test_other_dialects_are_refused(hooke):
    entry(hooke, "on: Stop, resident: [./echo.py], dialect: kodelet")
    assert "speaks no other dialect" in hooke("config", "check").out


@pytest.mark.parametrize("keys", ["", "on: tool.execute.after, "])
def test_a_program_of_the_workspace_runs_with_its_pinned_bytes_only(hooke, keys):
    folder = hooke.cwd / ".hooke"
    folder.mkdir()
    (folder / "config.yaml").write_text(
        f"hooks: [{{ name: status, {keys}resident: [./resident.sh], env: {{ EVERY: 1 }} }}]\n")
    program = folder / "resident.sh"
    shutil.copy(SOURCE / "examples/hooks/resident.sh", program)
    assert hooke.emit("tool.execute.after", {}).json == {}
    assert hooke("trust", "--yes").rc == 0
    assert hooke.emit("tool.execute.after", {}).json["inject"][0]["id"] == "status"
    with program.open("a") as file:
        file.write("\n")
    assert hooke.emit("tool.execute.after", {}).json == {}
    assert hooke("trust", "--yes").rc == 0
    assert hooke.emit("tool.execute.after", {}).json["inject"][0]["id"] == "status"


def test_a_condition_decides_whether_it_is_asked(hooke):
    hooke.env["SUBSCRIBE"] = '[{"point":"PreToolUse"}]'
    entry(hooke, "resident: [./echo.py], when: tool == 'bash'")
    assert hooke("config", "check").rc == 0
    assert hooke.emit("PreToolUse", {"tool": "read"}).json == {}
    assert hooke.emit("PreToolUse", {"tool": "bash"}).json == {"say": "res 1"}


def test_methods_and_limits_of_the_page_are_those_of_the_code():
    service = (SOURCE / "src/runner/service.c").read_text()
    methods = re.findall(r'\{ "([\w.]+)", \w+_method \}', service)
    assert len(methods) == 4
    for method in methods:
        assert f"| `{method}`" in PAGE
    for code in re.findall(r"= (-32[06]\d\d)", (SOURCE / "src/runner/rpc.h").read_text()):
        assert code in PAGE or code == "-32600"


# Prewarm ------------------------------------------------------------------------------------------

def test_a_prewarmed_command_answers_and_leaves_nothing_behind(hooke):
    hooke.config("hooks: [{ name: x, on: PreToolUse, prewarm: true,"
                 " exec: 'echo $$ >>pids; cat >/dev/null; echo ran >>ran' }]\n")
    for count in (1, 2):
        assert hooke.emit("PreToolUse", {"tool": "bash"}).rc == 0
        assert (hooke.cwd / "ran").read_text().count("\n") == count
    for pid in (hooke.cwd / "pids").read_text().split():
        assert not os.path.exists(f"/proc/{pid}")
