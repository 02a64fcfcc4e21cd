"""hooke test: one hook, one event, and everything that came of it."""

import json
import os
import re
import subprocess

import pytest
from test_help import on_terminal

RULE = """
hooks:
  - name: no-force-push
    on: tool.execute.before
    tool: bash
    when: re(args.command, [[push.*--force]])
    block: Not here.
"""
PUSH = json.dumps({"tool": "bash", "args": {"command": "git push --force"}})


def config_of(hooke, **hook):
    hooke.config(json.dumps({"hooks": [{"name": "mine", **hook}]}))


def try_it(hooke, *words, **env):
    return hooke("test", "mine", *words, "--json", **env)


def test_a_rule_that_blocks(hooke):
    hooke.config(RULE)
    r = hooke("test", "no-force-push", "--data", PUSH)
    assert r.rc == 2 and r.err == ""
    assert re.search(r"^  outcome +block$", r.out, re.M) and '"reason": "Not here."' in r.out
    j = hooke("test", "no-force-push", "--data", PUSH, "--json").json
    assert j["hook"] == "no-force-push" and j["runner"] == "rule" and j["outcome"] == "block"
    assert j["verdict"] == {"decision": "block", "reason": "Not here."}
    assert j["point"] == "tool.execute.before" and j["us"] >= 0 and j["state"] == "own"


def test_a_rule_without_opinion(hooke):
    hooke.config(RULE)
    r = hooke("test", "no-force-push", "--json")
    assert r.rc == 0 and r.json["outcome"] == "none" and r.json["verdict"] == {}


def test_a_tool_by_another_system_s_name_has_sample_arguments(hooke):
    config_of(hooke, on="tool.execute.before", tool="Bash", say="seen")
    assert hooke("test", "mine", "--print-event").json["data"]["tool"] == "bash"
    assert "command" in hooke("test", "mine", "--print-event").json["data"]["args"]
    assert try_it(hooke).json["verdict"] == {"say": "seen"}


def test_a_built_in(hooke):
    r = hooke("test", "post-read-nudge", "--json")
    assert r.rc == 0 and r.json["runner"] == "built-in" and r.json["outcome"] == "inject"


def test_only_the_named_hook_runs(hooke):
    token = "ghp" + "_" + "0" * 36
    data = json.dumps({"tool": "bash", "args": {"command": f"echo {token}"}})
    assert hooke("test", "loop-guard", "--point", "PreToolUse", "--data", data).rc == 0
    assert hooke("test", "secret-guard", "--point", "PreToolUse", "--data", data).rc == 2


def test_all_of_standard_error_and_output(hooke):
    config_of(hooke, on="turn.after",
              exec="seq 1 500 >&2; echo '{\"say\":\"x\",\"odd\":1}'; cat >/dev/null")
    r = try_it(hooke)
    assert r.rc == 0
    assert r.json["stderr"].split() == [str(n) for n in range(1, 501)]
    assert r.json["stdout"] == '{"say":"x","odd":1}\n'
    assert r.json["exit_code"] == 0 and r.json["in"] > 100 and r.json["out"] == 20
    assert r.json["warnings"] == ["hook 'mine': unknown field 'odd'"]
    text = hooke("test", "mine").out
    assert "\n  500\n" in text and "unknown field 'odd'" in text and re.search(r"exit code +0", text)


def test_a_group_with_a_handler_in_the_background_is_waited_for(hooke):
    config_of(hooke, on="PreToolUse", group=[
        {"exec": "echo now >&2; exit 2"},
        {"exec": "sleep 0.2; echo later >&2; exit 2", "async": True},
        {"exec": "echo broken >&2; exit 3", "async": True}])
    r = try_it(hooke)
    assert r.rc == 2 and r.json["verdict"] == {"decision": "block", "reason": "now"}
    assert r.json["stderr"].split() == ["now", "later", "broken"]
    assert "in the background it has a handler that failed" in r.json["warnings"][0]
    assert "exited with code 3" in r.json["warnings"][0]
    config_of(hooke, on="PreToolUse", group=[{"exec": "echo later >&2", "async": True}])
    r = try_it(hooke)
    assert r.rc == 0 and r.json["stderr"] == "later\n" and r.json["outcome"] == "none"


@pytest.mark.parametrize("ends", [False, True])
def test_a_resident_tells_all_it_wrote(hooke, ends):
    program = hooke.config_dir / "stay.py"
    program.write_text(f"""#!/usr/bin/env python3
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if m["method"] == "event":
        print("x" * 3000, file=sys.stderr, flush=True)
        if {ends}: sys.exit(3)
    if "id" in m: print(json.dumps({{"jsonrpc": "2.0", "id": m["id"], "result": {{}}}}), flush=True)
""")
    program.chmod(0o755)
    config_of(hooke, on="turn.after", resident=["./stay.py"])
    r = try_it(hooke)
    assert r.rc == (1 if ends else 0) and r.json["stderr"].strip() == "x" * 3000


def test_an_observer_tells_what_it_wrote_too(hooke):
    config_of(hooke, on="turn.after", mode="observe", exec="echo seen >&2")
    assert try_it(hooke).json["stderr"] == "seen\n"


@pytest.mark.parametrize("on_failure,decision,words", [
    ("allow", None, "the event would go on"),
    ("ask", "ask", "a person would be asked"),
    ("block", "block", "the event would be blocked"),
])
def test_a_failure_and_what_it_would_mean(hooke, on_failure, decision, words):
    config_of(hooke, on="tool.execute.before", exec="echo why >&2; exit 3", on_failure=on_failure)
    r = try_it(hooke)
    assert r.rc == 1 and r.json["outcome"] == "failed" and r.json["exit_code"] == 3
    assert r.err == ""  # it is said already
    assert r.json["failure"] == "exited with code 3: why" and r.json["on_failure"] == on_failure
    assert r.json["verdict"].get("decision") == decision
    assert words in hooke("test", "mine").out


def test_a_failure_where_nothing_can_be_refused(hooke):
    config_of(hooke, on="session.idle", exec="exit 3", on_failure="block")
    r = hooke("test", "mine")
    assert r.rc == 1 and "nothing can be refused" in r.out


def test_a_command_that_times_out(hooke):
    config_of(hooke, on="turn.after", exec="sleep 60", timeout="100ms")
    r = try_it(hooke)
    assert r.rc == 1 and r.json["outcome"] == "timed-out" and "timed out" in r.json["failure"]


def test_an_event_that_does_not_match(hooke):
    hooke.config(RULE)
    data = json.dumps({"tool": "read", "args": {"command": "push --force"}})
    r = hooke("test", "no-force-push", "--data", data)
    assert (r.rc, r.out) == (1, "") and "only for the tool bash" in r.err and "--force" in r.err
    r = hooke("test", "no-force-push", "--data", data, "--force", "--json")
    assert r.rc == 2 and r.json["mismatch"] == "only for the tool bash"


def test_other_agents_and_sessions_do_not_match(hooke):
    config_of(hooke, on="chat.message", agent="builder", session="main", inject="x")
    assert try_it(hooke).rc == 0
    assert "only for the agent builder" in try_it(hooke, "--agent", "planner").err
    assert "only for main sessions" in try_it(hooke, "--parent", "p").err


def test_a_hook_that_is_off(hooke):
    hooke.config("disabled_hooks: [post-read-nudge]\n")
    r = hooke("test", "post-read-nudge")
    assert r.rc == 1 and "it is off: disabled_hooks" in r.err
    assert hooke("test", "post-read-nudge", "--force", "--json").json["outcome"] == "inject"


def test_the_sample_matches_the_hook(hooke):
    config_of(hooke, on="PostToolUseFailure", tool=["nothing", "/^web/"], agent=["a", "b"],
              session="sub", inject="x")
    r = try_it(hooke)
    assert r.rc == 0 and r.json["outcome"] == "inject"
    ev = hooke("test", "mine", "--print-event").json
    assert ev["data"]["tool"] == "web_fetch" and "url" in ev["data"]["args"]
    assert ev["data"]["success"] is False and ev["session"]["agent"] == "a"
    assert ev["session"]["parent"]
    config_of(hooke, on="PreToolUse", tool="my_tool", block="x")
    assert try_it(hooke).rc == 2


def points(hooke):
    return [line.split()[0] for line in hooke("help", "points").lines[1:]]


def test_every_point_has_a_sample_of_its_own_fields(hooke):
    names = points(hooke)
    config_of(hooke, on=names, exec="cat")
    for name in names:
        ev = hooke("test", "mine", "--point", name, "--print-event").json
        fields = {f["name"] for f in hooke("show", name, "--json").json["fields"]}
        optional = {"argv_prefix", "sdk", "prefix_broken_by"} | {
            "message.updated": {"error"}, "session.created": {"summary"}}.get(name, set())
        assert ev["point"] == name
        assert set(ev["data"]) <= fields and fields - optional <= set(ev["data"]), name


def test_a_hook_at_several_points_needs_one_named(hooke):
    config_of(hooke, on=["turn.after", "Stop"], exec="cat")
    r = try_it(hooke)
    assert r.rc == 64 and "turn.after, agent.stop" in r.err and "--point" in r.err
    assert try_it(hooke, "--point", "Stop").json["point"] == "agent.stop"
    r = try_it(hooke, "--point", "chat.message")
    assert r.rc == 64 and "is not at 'chat.message'" in r.err
    assert try_it(hooke, "--force", "--point", "chat.message").rc == 64
    assert "did you mean 'Stop'" in try_it(hooke, "--point", "Stopp").err


def test_an_event_that_was_printed_and_edited(hooke):
    hooke.config(RULE)
    ev = hooke("test", "no-force-push", "--print-event").json
    ev["data"]["args"]["command"] = "git push --force"
    path = hooke.cwd / "event.json"
    path.write_text(json.dumps(ev))
    assert hooke("test", "no-force-push", "--event", path).rc == 2
    assert hooke("test", "no-force-push", "--event", "-", input=path.read_text()).rc == 2
    path.write_text(json.dumps({"hooke": 1, "event": ev, "verdict": {}}))
    assert hooke("test", "no-force-push", "--event", path).rc == 2
    assert hooke("test", "no-force-push", "--event", path, "--data", '{"tool":"bash"}').rc != 2
    assert "leave out --point" in hooke("test", "no-force-push", "--event", path, "-p", "Stop").err


@pytest.mark.parametrize("text,words", [
    ("{", "event.json:1:2: "),
    ("[]", "must be an object"),
    ("{}", "unknown point ''"),
    ('{"point":"nope"}', "unknown point 'nope'"),
    ('{"point":"turn.after"}', "session.id"),
    ('{"point":"turn.after","session":{"id":7}}', "'id' of an event must be a string"),
    ('{"point":"turn.after","session":{"id":"s"},"turn":-1}', "'turn' of an event"),
    ('{"point":"turn.after","session":{"id":"s"},"data":[]}', "'data' of an event"),
])
def test_a_file_that_is_no_event(hooke, text, words):
    path = hooke.cwd / "event.json"
    path.write_text(text)
    r = hooke("test", "loop-guard", "--event", path)
    assert r.rc == 64 and words in r.err and r.err.count("\n") == 1


def test_the_session_by_flags(hooke):
    config_of(hooke, on="turn.after", exec="cat >&2")
    folder = hooke.cwd / "sub"
    folder.mkdir()
    r = try_it(hooke, "--agent", "a", "--parent", "p", "--turn", "7", "--recipe", "r",
               "--cwd", folder, "--usage", '{"input_tokens":1}')
    ev = json.loads(r.json["stderr"])
    assert ev["turn"] == 7
    assert {k: ev["session"][k] for k in ("agent", "parent", "recipe", "cwd", "usage")} == {
        "agent": "a", "parent": "p", "recipe": "r", "cwd": str(folder), "usage": {"input_tokens": 1}}


COUNT = {"on": "turn.after", "exec": ["sh", "-c", 'hooke state incr n >&2']}


def with_path(hooke):
    return {"PATH": os.path.dirname(hooke.program) + ":" + hooke.env["PATH"]}


def test_state_is_gone_afterwards(hooke, tmp_path):
    config_of(hooke, **COUNT)
    for _ in range(2):
        r = try_it(hooke, **with_path(hooke))
        assert r.json["stderr"] == "1\n"
    assert "in a store of its own" in hooke("test", "mine", **with_path(hooke)).out
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not (hooke.home / ".local/share/hooke").exists()


def test_state_of_a_session_is_used_and_kept(hooke):
    config_of(hooke, **COUNT)
    said = [try_it(hooke, "--session", "s1", **with_path(hooke)).json for _ in range(2)]
    assert [j["stderr"] for j in said] == ["1\n", "2\n"] and said[0]["state"] == "session"
    assert hooke("state", "get", "n", "--session", "s1", "--hook", "mine").out == "2\n"
    assert "that of session 's1'" in hooke("test", "mine", "-s", "s1", **with_path(hooke)).out


def test_no_receipt_is_written_and_no_cadence_counted(hooke):
    hooke.config("hook_cadence: { mine: 3 }\nhooks: [{ name: mine, on: chat.message, inject: x }]\n")
    for _ in range(3):
        assert try_it(hooke, "--session", "s1").json["outcome"] == "inject"
    assert not hooke.receipts.exists()
    assert hooke("state", "list", "--session", "s1", "--hook", "mine").out.find("@cadence") < 0


def test_the_scratch_store_goes_when_interrupted(hooke, tmp_path):
    fifo = hooke.cwd / "started"
    os.mkfifo(fifo)
    config_of(hooke, on="turn.after", exec=f"echo x >{fifo}; sleep 60")
    process = subprocess.Popen([hooke.program, "test", "mine"], cwd=hooke.cwd, env=hooke.env,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open(fifo) as f:
        f.read()
    assert len(list((tmp_path / "tmp").iterdir())) == 1
    process.terminate()
    process.communicate(timeout=20)
    assert process.returncode == -15 and list((tmp_path / "tmp").iterdir()) == []


def test_a_broken_hook_fails(hooke):
    config_of(hooke, on="turn.after", exec=["./gone"])
    r = try_it(hooke)
    assert r.rc == 1 and "could not be started" in r.json["failure"]


def test_inside_a_hook_no_command_is_started(hooke):
    config_of(hooke, on="turn.after", exec="echo x")
    r = hooke("test", "mine", HOOKE_DEPTH="1")
    assert r.rc == 1 and "held back: inside another hook" in r.out


def test_escapes_do_not_reach_the_terminal(hooke):
    config_of(hooke, on="turn.after", exec=r"printf 'a\033[31mb\n' >&2; printf '\033]0;x\007'")
    text = on_terminal(hooke, "test", "mine", NO_COLOR="1")
    assert "\x1b" not in text and "a [31mb" in text


def test_wrong_words_are_usage_errors(hooke):
    assert "did you mean 'loop-guard'" in hooke("test", "loop-gard").err
    assert "'hooke list'" in hooke("test", "zzzzzzzzz").err
    for words in ([], ["a", "b"], ["loop-gard"], ["loop-guard", "--session", ""],
                  ["loop-guard", "--data", "{"], ["loop-guard", "--event", "nowhere.json"]):
        assert hooke("test", *words).rc == 64, words


def test_trying_the_end_of_a_session_ends_nothing(hooke):
    config_of(hooke, on="session.deleted", exec="true")
    hooke("state", "set", "key", "v", "--session", "s1", "--hook", "mine")
    assert try_it(hooke, "--session", "s1").rc == 0
    assert hooke("state", "get", "key", "--session", "s1", "--hook", "mine").out == "v\n"
