"""hooke emit: one event through its chain."""

import json
import os
import subprocess

import pytest

TOKEN = "ghp" + "_0123456789abcdefghijABCDEFGHIJ012345"
LS = {"tool": "bash", "args": {"command": "ls"}}


def test_prints_an_empty_verdict_when_nobody_has_an_opinion(hooke):
    r = hooke("emit", "session.idle")
    assert (r.rc, r.out, r.err) == (0, "{}\n", "")


def test_exits_2_and_says_the_reason_when_blocked(hooke):
    r = hooke.emit("tool.execute.before", {"tool": "bash", "args": {"command": "echo " + TOKEN}})
    assert r.rc == 2
    assert r.json["decision"] == "block"
    assert "GitHub token" in r.json["reason"]
    assert len(r.lines) == 1


def test_keeps_state_between_calls_of_one_session(hooke):
    codes = [hooke.emit("PreToolUse", LS, "--session", "s1").rc for _ in range(4)]
    assert codes == [0, 0, 0, 2]
    assert hooke.emit("PreToolUse", LS, "--session", "s2").rc == 0


def test_every_call_without_session_is_a_session_of_its_own(hooke):
    assert [hooke.emit("PreToolUse", LS).rc for _ in range(5)] == [0] * 5


def test_reads_data_from_a_file_and_from_standard_input(hooke):
    text = json.dumps({"tool": "bash", "args": {"command": TOKEN}})
    (hooke.cwd / "event.json").write_text(text)
    assert hooke("emit", "PreToolUse", "--data", "@event.json").rc == 2
    assert hooke("emit", "PreToolUse", "--data=-", input=text).rc == 2


def test_names_the_place_of_bad_json(hooke):
    r = hooke("emit", "PreToolUse", "--data", '{"tool" 1}')
    assert r.rc == 64 and r.out == ""
    assert r.err.startswith("hooke: --data:1:9: ")
    (hooke.cwd / "bad.json").write_text('{\n "tool": }')
    r = hooke("emit", "PreToolUse", "--data", "@bad.json")
    assert r.rc == 64 and r.err.startswith("hooke: bad.json:2:10: ")
    r = hooke("emit", "PreToolUse", "-d", "-", input="[")
    assert r.rc == 64 and r.err.startswith("hooke: standard input:1:2: ")
    assert r.err.count("\n") == 1


def test_data_must_be_an_object(hooke):
    r = hooke("emit", "PreToolUse", "--data", "[1]")
    assert r.rc == 64 and "must be an object" in r.err


def test_a_missing_data_file_is_named(hooke):
    r = hooke("emit", "PreToolUse", "--data", "@nowhere.json")
    assert r.rc == 64 and "nowhere.json" in r.err


def test_suggests_the_nearest_point(hooke):
    r = hooke("emit", "tool.execute.befor")
    assert r.rc == 64
    assert r.err == "hooke: unknown point 'tool.execute.befor', did you mean 'tool.execute.before'?\n"


def test_foreign_names_bring_their_match_along(hooke):
    hooke.config(
        """\
hooks:
  - { name: sub-only, on: SubagentStop, stop: sub }
  - { name: after-failure, on: PostToolUseFailure, inject: [{ id: f, text: failed }] }
  - { name: after-success, on: PostToolUse, inject: [{ id: s, text: worked }] }
"""
    )
    assert hooke("emit", "SubagentStop").json["stop"] == "sub"
    assert hooke("emit", "Stop").json == {}
    failed = hooke.emit("PostToolUseFailure", {"tool": "bash"}).json
    worked = hooke.emit("PostToolUse", {"tool": "bash"}).json
    assert [i["text"] for i in failed["inject"]] == ["failed"]
    assert [i["text"] for i in worked["inject"]] == ["worked"]


def test_a_main_session_name_refuses_a_parent(hooke):
    r = hooke("emit", "Stop", "--parent", "p")
    assert r.rc == 64 and "--parent" in r.err


def test_trace_shows_every_hook_with_outcome_and_time(hooke):
    hooke.config("disabled_hooks: [loop-guard]\n")
    r = hooke.emit("PreToolUse", LS, "--trace")
    assert r.lines[0] == "{}"
    ran = next(line for line in r.lines if line.startswith("secret-guard"))
    held = next(line for line in r.lines if line.startswith("loop-guard"))
    assert "none" in ran and "µs" in ran
    assert "held back" in held and "off" in held and "µs" not in held


def test_trace_with_json_is_one_object(hooke):
    r = hooke.emit("PreToolUse", LS, "--trace", "--json", "--session", "s1")
    assert set(r.json) == {"verdict", "receipt"}
    assert r.json["receipt"]["session"] == "s1"
    assert [run["hook"] for run in r.json["receipt"]["runs"]] == [
        "secret-guard", "loop-guard", "command-guard", "sandbox"]


def test_trace_tells_what_cadence_held_back(hooke):
    hooke.config("hook_cadence: { system-prompt: 3 }\n")
    data = {"todos": [{"status": "done"}]}
    point = "experimental.chat.system.transform"
    texts = [hooke.emit(point, data, "--session", "c", "--trace").out for _ in range(4)]
    held = ["held back" in t for t in texts]
    assert held == [False, True, True, False]
    assert "cadence: time 2, fires every 3" in texts[1]


def test_session_flags_reach_the_receipt(hooke):
    flags = ["--session", "s", "--agent", "orchestrator", "--parent", "p", "--turn", "3"]
    receipt = hooke("emit", "chat.message", *flags, "--trace", "--json").json["receipt"]
    assert (receipt["agent"], receipt["parent"], receipt["turn"]) == ("orchestrator", "p", 3)


def test_cwd_decides_which_workspace_counts(hooke):
    r = hooke("emit", "session.idle", "--cwd", "nowhere")
    assert r.rc == 64 and "nowhere" in r.err
    (hooke.cwd / "file").write_text("")
    assert "is no folder" in hooke("emit", "session.idle", "--cwd", "file").err
    assert hooke("emit", "session.idle", "--cwd", hooke.cwd / ".git").rc == 0


def test_a_stop_ends_the_caller_s_work_as_a_block_does(hooke):
    hooke.config(
        """\
hooks:
  - { name: first, on: PreToolUse, layer: guard, priority: 9, stop: the end }
  - { name: second, on: PreToolUse, block: never asked }
"""
    )
    r = hooke.emit("PreToolUse", LS)
    assert r.rc == 2 and r.json == {"stop": "the end"}
    assert hooke("test", "first", "--point", "PreToolUse").rc == 2


def test_set_and_config_reach_the_engine(hooke, tmp_path):
    r = hooke.emit("PreToolUse", LS, "--set", "hook_cadence.loop-guard=x", "--trace")
    assert r.rc == 0
    other = tmp_path / "other.yaml"
    other.write_text("hooks: [{ name: no, on: session.created, stop: other }]\n")
    assert hooke("emit", "session.created", "--config", other).json["stop"] == "other"
    assert hooke("emit", "session.created", "--config", tmp_path / "none").rc == 1
    assert hooke("emit", "session.created", "--set", "novalue").rc == 64


def test_strict_refuses_a_bad_configuration_with_78(hooke):
    hooke.config("strict: true\nhokos: []\n")
    r = hooke("emit", "session.idle")
    assert r.rc == 78 and r.out == ""
    assert "hooke config check" in r.err


def test_problems_are_warned_about_and_do_not_stop_the_event(hooke):
    path = hooke.config("disabled_hooks: [lop-guard]\n")
    r = hooke("emit", "session.idle")
    assert r.rc == 0 and r.out == "{}\n"
    assert f"hooke: warning: {path}:1:" in r.err and "loop-guard" in r.err


def test_log_file_takes_the_warnings_with_their_time(hooke, tmp_path):
    hooke.config("disabled_hooks: [lop-guard]\n")
    log = tmp_path / "log"
    r = hooke("emit", "session.idle", HOOKE_LOG_FILE=str(log))
    assert r.err == ""
    line = log.read_text()
    assert line[:2] == "20" and "Z hooke: warning: " in line


def test_an_unknown_log_level_is_said(hooke):
    assert "HOOKE_LOG" in hooke("emit", "session.idle", HOOKE_LOG="loud").err


def test_a_full_disk_is_a_failure(hooke):
    with open("/dev/full", "w") as full:
        done = subprocess.run([hooke.program, "emit", "session.idle"], stdout=full,
                              stderr=subprocess.PIPE, text=True, cwd=hooke.cwd, env=hooke.env)
    assert done.returncode == 1 and "No space left" in done.stderr


def test_a_reader_that_leaves_is_no_noise(hooke):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([hooke.program, "help", "points"], stdout=write,
                          stderr=subprocess.PIPE, text=True, cwd=hooke.cwd, env=hooke.env)
    os.close(write)
    assert done.returncode == 1 and done.stderr == ""


def test_verdicts_never_carry_terminal_sequences(hooke):
    hooke.config('hooks: [{ name: rude, on: session.created, stop: "\\e[31mred" }]\n')
    r = hooke("emit", "session.created", "--trace")
    assert "\x1b" not in r.out


@pytest.mark.parametrize("flag", ["--session", "--agent", "--parent", "--recipe"])
def test_names_that_are_no_utf8_are_refused(hooke, flag):
    r = hooke("emit", "session.idle", flag, "a\udcffb")
    assert (r.rc, r.out) == (64, "") and r.err.count("\n") == 1
    assert f"{flag} is not valid UTF-8" in r.err and not hooke.receipts.exists()
    assert hooke("emit", "session.idle", flag, "größe-✓").rc == 0
