"""Context that hooks leave: many processes on one session, and the rule that history stays."""
import json
import subprocess

TRANSFORM = "experimental.chat.messages.transform"


def test_processes_that_leave_and_place_at_once_lose_and_repeat_nothing(hooke):
    message = json.dumps({"messages": [{"id": "u1", "role": "user", "content": "hi"}]})
    leave = [hooke.program, "emit", "session.created", "--session", "s"]
    hooke.config("\n".join(["hooks:"] + [
        f"  - {{ name: note-{i}, on: session.created, agent: a{i}, inject: 'text-{i}.' }}"
        for i in range(24)]) + "\n")
    running = []
    for i in range(24):
        running.append(subprocess.Popen(leave + ["--agent", f"a{i}"], env=hooke.env, cwd=hooke.cwd,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE))
        if i % 3 == 0:
            running.append(subprocess.Popen(
                [hooke.program, "emit", TRANSFORM, "--session", "s", "--data", message],
                env=hooke.env, cwd=hooke.cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE))
    for process in running:
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0 and err == b""
    out = hooke("emit", TRANSFORM, "--session", "s", "--data", message).out
    assert [out.count(f"text-{i}.") for i in range(24)] == [1] * 24


def test_each_request_begins_with_the_one_before(hooke):
    hooke.config("hooks:\n"
                 "  - { name: after, on: tool.execute.after, inject: { text: mind the tests, class: deterministic } }\n"
                 f"  - {{ name: each, on: {TRANSFORM}, inject: keep the plan in mind }}\n")
    messages, before = [], None
    for turn in range(6):
        messages.append({"id": f"u{turn}", "role": "user", "content": f"say {turn}"})
        for step in range(3):
            data = json.dumps({"messages": messages})
            verdict = hooke("emit", TRANSFORM, "--session", "s", "--data", data).json
            sent = verdict["replace"]["messages"]
            if before:
                assert sent[:len(before)] == before
            before = sent
            messages.append({"id": f"a{turn}-{step}", "role": "assistant", "content": "ok"})
            messages.append({"id": f"t{turn}-{step}", "role": "user",
                             "content": [{"type": "tool_result", "output": "x"}]})
            hooke("emit", "tool.execute.after", "--session", "s", "--data", '{"tool":"edit"}')
    said = json.dumps(before)
    assert said.count("keep the plan in mind") == 6
    assert said.count("mind the tests") == 6
