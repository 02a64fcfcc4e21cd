"""Several turns for one prompt: what is counted from one tool call to the next, where each is a process
of its own."""

CONFIG = """
hooks:
  - { name: every-other, on: tool.execute.after, cadence: 2, inject: every other turn }
"""
TURNS, LIMIT = 4, 3
REASON = f"has the same arguments as the {LIMIT} before it"


def prepare(agent):
    agent.write("home/.config/hooke/config.yaml", CONFIG)
    agent.model.turns = [*(agent.bash(f"echo turn-{n}") for n in range(TURNS)),
                         *(agent.bash("echo again >> again") for _ in range(LIMIT + 1)),
                         {"text": "finished"}]
    agent.done = agent.run()
    assert len(agent.model.asked) == TURNS + LIMIT + 2, agent.done.stderr


def test_a_cadence_opens_every_other_turn(hooked):
    said = [hooked.model.sent(n + 1).count("every other turn") for n in range(TURNS)]
    assert said == [1, 1, 2, 2]


def test_the_same_call_again_and_again_is_refused(hooked):
    said = [REASON in hooked.model.sent(TURNS + n + 1) for n in range(LIMIT + 1)]
    assert said == [False] * LIMIT + [True]
    assert (hooked.cwd / "again").read_text() == "again\n" * LIMIT
