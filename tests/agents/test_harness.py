"""The agents play the script as it is written, before hooke has anything to do with them, and reach
nothing but the model."""

import pytest

from agents import AGENTS, PROMPT


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_runs_a_command_and_sends_its_output(start, model, name):
    agent = start(name)
    model.turns = [agent.bash("printf %s-%s one 42"), {"text": "finished"}]
    done = agent.run()
    assert len(model.asked) == 2, done.stderr
    assert PROMPT in model.sent(0)
    assert "one-42" in model.sent(1)
    assert "finished" in done.stdout


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_reaches_nobody_but_loopback(start, model, name):
    agent = start(name)
    model.turns = [agent.bash("ip route get 192.0.2.1 2>&1"), {"text": "finished"}]
    agent.run()
    assert "Network is unreachable" in model.sent(1)
