"""Several prompts in one session, each a process of its own: what hooks remember from one to the
next, and a prompt that is refused."""

CONFIG = """
hooks:
  - { name: every-other, on: chat.message, cadence: 2, inject: every other prompt }
  - { name: just-once, on: chat.message, inject: { text: once in a session, once: true } }
  - name: no-passwords
    on: chat.message
    when: has(message.text, "password")
    block: passwords have no place here
"""
PROMPTS = ("the first prompt", "the second prompt", "the third prompt")


def prepare(agent):
    agent.write("home/.config/hooke/config.yaml", CONFIG)
    agent.model.turns = [{"text": "fine"}]
    agent.done = [agent.run(prompt, again=n > 0) for n, prompt in enumerate(PROMPTS)]
    agent.asked = len(agent.model.asked)
    agent.refused = agent.run("the password is swordfish", again=True)
    agent.asked_then = len(agent.model.asked)
    agent.run("the last prompt", again=True)


def test_the_prompts_are_one_conversation(hooked):
    assert hooked.asked == len(PROMPTS), hooked.done
    assert all(prompt in hooked.model.sent(2) for prompt in PROMPTS)
    assert len({r["session"] for r in hooked.receipts() if r["point"] == "chat.message"}) == 1


def test_a_cadence_counts_over_processes(hooked):
    assert [hooked.model.sent(n).count("every other prompt") for n in range(3)] == [1, 1, 2]


def test_once_is_once_in_a_session(hooked):
    assert [hooked.model.sent(n).count("once in a session") for n in range(3)] == [1, 1, 1]


def test_the_model_never_reads_a_refused_prompt(hooked):
    assert hooked.asked_then == len(PROMPTS)
    assert "the last prompt" in hooked.model.sent() and "the first prompt" in hooked.model.sent()
    assert "swordfish" not in str(hooked.model.asked + hooked.model.others)
    outcomes = [r["outcome"] for r in hooked.receipts() if r["point"] == "chat.message"]
    assert [n for n, outcome in enumerate(outcomes) if outcome == "block"] == [len(PROMPTS)]


def test_the_person_is_told_why(hooked):
    shown = "passwords have no place here" in hooked.refused.stdout + hooked.refused.stderr
    assert shown == hooked.shows_refusals
