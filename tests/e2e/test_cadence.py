"""Cadence across processes: one counter per session, hook and point, whoever asks."""
import json
import math
import subprocess

import pytest

PROCESSES = 200
SYSTEM = "experimental.chat.system.transform"


def write_config(hooke, text):
    path = hooke.home / ".config/hooke/config.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize("every", [1, 3, 7])
def test_200_processes_fire_exactly_their_share(hooke, every):
    write_config(hooke, "hook_cadence: { note: %d }\n"
                        "hooks: [{ name: note, on: %s, inject: hello }]\n" % (every, SYSTEM))
    argv = [hooke.program, "emit", SYSTEM, "--session", "shared"]
    running = [subprocess.Popen(argv, env=hooke.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
               for _ in range(PROCESSES)]
    fired = 0
    for process in running:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert err == b""
        fired += "inject" in json.loads(out)
    assert fired == math.ceil(PROCESSES / every)


def test_a_full_context_changes_a_dynamic_cadence(hooke):
    write_config(hooke, "hook_cadence: { note: { every: 5, when_context_over: 0.6, then: 1 } }\n"
                        "hooks: [{ name: note, on: %s, inject: hello }]\n" % SYSTEM)

    def fires(now):
        usage = json.dumps({"current_context_window": now, "max_context_window": 100})
        done = hooke("emit", SYSTEM, "--session", "s", "--usage", usage)
        return "inject" in json.loads(done.out)

    assert [fires(10), fires(10), fires(70), fires(70), fires(10)] == [True, False, True, True, False]


def test_an_invalid_cadence_is_one_warning_a_process(hooke):
    write_config(hooke, "hook_cadence: { note: 0 }\n"
                        "hooks: [{ name: note, on: chat.message, inject: hello }]\n")
    done = hooke("emit", "chat.message")
    assert done.rc == 0
    assert done.err.count("[hooke:cadence] Invalid cadence 0 for note, using 1") == 1


def test_cadence_on_the_gate_of_tools_is_ignored_with_a_warning(hooke):
    write_config(hooke, "hook_cadence: { tool.execute.before: 5 }\n"
                        "hooks: [{ name: no, on: tool.execute.before, block: no }]\n")
    for _ in range(5):
        done = hooke("emit", "tool.execute.before", "--session", "s")
        assert done.rc == 2
    assert ("[hooke:cadence] Ignoring cadence > 1 for safety-critical hook: tool.execute.before"
            in done.err)


def test_the_file_of_agent_hive_counts(hooke):
    path = hooke.home / ".config/opencode/agent_hive.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"hook_cadence": {"%s": 3}, "other": 1}' % SYSTEM)
    write_config(hooke, "hooks: [{ name: note, on: %s, inject: hello }]\n" % SYSTEM)
    fired = ["inject" in json.loads(hooke("emit", SYSTEM, "--session", "s").out) for _ in range(7)]
    assert fired == [True, False, False, True, False, False, True]


def test_a_malformed_hive_file_counts_as_none(hooke):
    path = hooke.home / ".config/opencode/agent_hive.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"hook_cadence": {')
    write_config(hooke, "hooks: [{ name: note, on: %s, inject: hello }]\n" % SYSTEM)
    for _ in range(3):
        done = hooke("emit", SYSTEM, "--session", "s")
        assert "inject" in json.loads(done.out)
    assert "agent_hive.json" in done.err


def test_show_and_trace_tell_the_numbers(hooke):
    write_config(hooke, "hook_cadence: { note: 3 }\n"
                        "hooks: [{ name: note, on: %s, inject: hello }]\n" % SYSTEM)
    for _ in range(2):
        hooke("emit", SYSTEM, "--session", "s")
    shown = hooke("show", "note", "--session", "s")
    assert "3" in shown.out and SYSTEM in shown.out
    lines = [json.loads(line) for line in hooke("trace", "--json").out.splitlines()]
    assert lines[-1]["held"][0]["why"] == "cadence"
    assert (lines[-1]["held"][0]["every"], lines[-1]["held"][0]["time"]) == (3, 2)
