"""What an agent cannot do, and what becomes of it: as docs/agents says."""

import contextlib
import socket
import threading
import time

import pytest

from agents import AGENTS, LIMIT as SECONDS

CONFIG = """
hooks:
  - name: other-prompt
    on: chat.message
    when: has(message.text, "kindly")
    modify: { message: { text: do it at once } }
  - name: no-names
    on: chat.message
    when: has(message.text, "my name")
    safety_critical: true
    modify: { message: { text: say hello to somebody } }
  - name: careful
    on: tool.execute.before
    when: has(args.command, "asked")
    ask: a person has to look
  - name: far-enough
    on: tool.execute.before
    when: has(args.command, "too-far")
    stop: that is far enough
"""

# What is added where nobody is asked; whether a prompt can be changed; whether a stop before a tool
# ends the run.
CAN = {
    "claude": ("", False, True),
    "codex": (" (Codex can't be made to ask)", False, False),
    "gemini": (" (nobody can be asked: Gemini CLI has no terminal)", False, True),
    "opencode": (" (OpenCode cannot ask here)", True, True),
}


@pytest.mark.parametrize("name", AGENTS)
def test_what_cannot_be_said_becomes_what_is_declared(start, model, name):
    agent = start(name)
    why, prompts, stops = CAN[name]
    agent.write("home/.config/hooke/config.yaml", CONFIG)
    agent.install()
    model.turns = [agent.bash("echo asked > asked"), agent.bash("echo too-far > too-far"),
                   {"text": "finished"}]
    done = agent.run("kindly do it")
    assert ("do it at once" in model.sent(0), "kindly" in model.sent(0)) == (prompts, not prompts)
    assert f"a person has to look{why}" in model.sent(1)
    assert len(model.asked) == (2 if stops else 3), done.stderr
    assert stops or "that is far enough" in model.sent(2)
    assert not (agent.cwd / "asked").exists() and not (agent.cwd / "too-far").exists()
    warned = agent.warnings()
    assert ("has no 'change'" in warned) == (not prompts), warned


@pytest.mark.parametrize("name", [name for name in AGENTS if not CAN[name][1]])
def test_a_prompt_that_had_to_be_changed_is_refused(start, model, name):
    agent = start(name)
    agent.write("home/.config/hooke/config.yaml", CONFIG)
    agent.install()
    agent.run("my name is Nobody")
    assert not model.asked
    assert agent.receipts()


HALF_SAID = """
hooks:
  - name: boxed
    on: tool.execute.before
    when: has(args.command, "touch")
    safety_critical: true
    replace: { args: { command: touch other }, argv_prefix: [nice] }
"""


@pytest.mark.parametrize("name", ["codex", "gemini"])
def test_what_can_be_said_only_in_part_is_refused(start, model, name):
    agent = start(name)
    agent.write("home/.config/hooke/config.yaml", HALF_SAID)
    agent.install()
    model.turns = [agent.bash("touch this"), {"text": "finished"}]
    agent.run()
    assert "a safety-critical hook changed 'argv_prefix'" in model.sent(1)
    assert not (agent.cwd / "this").exists() and not (agent.cwd / "other").exists()


@pytest.mark.parametrize("name", ["codex", "gemini"])
@pytest.mark.parametrize("byte, passed", [(b"y", True), (b"Y", False)])
def test_what_a_daemon_left_undecided_is_refused_for_a_safety_critical_hook(
        start, model, name, byte, passed):
    agent = start(name)
    agent.install()
    agent.env["HOOKE_SOCKET"] = str(agent.home / "daemon")
    model.turns = [{"text": "finished"}]
    with socket.socket(socket.AF_UNIX) as place:
        place.bind(agent.env["HOOKE_SOCKET"])
        place.listen(16)

        def take_and_die():
            with contextlib.suppress(OSError):
                while True:
                    client, _ = place.accept()
                    with client:
                        client.recv(1 << 20)
                        client.sendall(byte)
        thread = threading.Thread(target=take_and_die)
        thread.start()
        agent.run()
        place.shutdown(socket.SHUT_RDWR)
        thread.join(SECONDS)
    assert bool(model.asked) == passed
    assert not agent.receipts(), "no hook ran"


# OpenCode -----------------------------------------------------------------------------------------

KEEP_GOING = """
limits: { continuations: 2 }
hooks: [{ name: keep-going, on: agent.stop, continue: there is more to do }]
"""


def wait_for(what):
    until = time.monotonic() + SECONDS
    while not what():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.02)


def test_opencode_follows_up_while_its_server_stays(start, model):
    agent = start("opencode")
    agent.write("home/.config/hooke/config.yaml", KEEP_GOING)
    agent.install()
    agent.serve()
    agent.stay()
    model.turns = [turn for n in range(4)
                   for turn in ({"text": f"end {n}"}, agent.bash(f"echo more-{n}"))]
    agent.run()
    wait_for(lambda: "the limit is 2" in agent.warnings())
    assert len(model.asked) == 5
    assert [f"more-{n}" in model.sent() for n in range(3)] == [True, True, False]
    assert model.sent().count("there is more to do") == 2
    assert agent.served() > len(model.asked)


@pytest.mark.parametrize("required", [False, True])
def test_opencode_without_a_daemon_says_so_and_goes_on_unless_told_otherwise(start, model, required):
    agent = start("opencode")
    agent.write("home/.config/hooke/config.yaml", CONFIG)
    agent.install(**({"required": True} if required else {}))
    agent.env["HOOKE_SOCKET"] = ""
    model.turns = [agent.bash("echo asked > asked"), {"text": "finished"}]
    done = agent.run()
    assert done.stderr.count("hooks do not run: HOOKE_SOCKET is empty") == 1
    assert (agent.cwd / "asked").exists() == (not required)
    assert bool(model.asked) == (not required)


def test_what_a_failed_tool_of_opencode_printed_is_changed(start, model):
    """OpenCode asks no hook of a tool that failed: the plugin looks at what is sent."""
    agent = start("opencode")
    agent.write("home/.config/hooke/config.yaml", """
hooks: [{ name: hide, on: tool.execute.after, when: not success, replace: { output: it is elsewhere } }]
""")
    agent.install()
    model.turns = [agent.read("/none/such"), agent.bash("echo on"), {"text": "finished"}]
    done = agent.run()
    assert len(model.asked) == 3, done.stderr
    for n in (1, 2):
        assert model.sent(n).count("it is elsewhere") == 1
        assert model.sent(n).count("/none/such") == 1, "what the model itself has written stays"
