"""Claude Code alone: what it tells of, and takes, that the other agents do not."""

import pytest

TOKEN = "ghp_" + "0" * 36
TELL_TOKEN = "printf 'it is ghp_%036d' 0"


def start_with(start, config=""):
    agent = start("claude")
    agent.write("home/.config/hooke/config.yaml", config)
    agent.install()
    return agent


@pytest.mark.parametrize("inside", [False, True], ids=["", "in-a-subagent"])
def test_a_credential_that_a_failing_command_prints_is_not_sent(start, model, inside):
    """Claude Code lets nobody change such an output, and takes a stop only after the batch."""
    agent = start_with(start)
    model.turns = [*([agent.task("go on")] if inside else []), agent.bash(f"{TELL_TOKEN}; exit 1"),
                   {"text": "finished"}]
    done = agent.run()
    assert not [n for n in range(len(model.asked)) if TOKEN in model.sent(n)], done.stdout


def test_a_stop_at_the_start_of_a_session_holds(start, model):
    agent = start_with(start, "hooks: [{ name: no, on: session.created, stop: not today }]")
    done = agent.run()
    assert not model.asked
    assert "not today" in done.stdout
