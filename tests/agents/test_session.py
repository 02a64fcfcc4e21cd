"""One prompt, many tool calls: what hooks did to each, as the model was told.

All tests look at the same run. Each step of its script is a tool call; what became of it is new in
the request that follows.
"""

FOLLOW_UP = "there is more to do"
LIMIT = 2
TOKEN = "ghp_" + "0" * 36
CONFIG = f"""
limits: {{ continuations: {LIMIT} }}
hooks:
  - {{ name: greeting, on: chat.message, when: not message.internal, inject: told with the prompt }}
  - name: no-deploy
    on: tool.execute.before
    tool: bash
    when: has(args.command, "refused")
    block: deploying is not for you
  - name: new-words
    on: tool.execute.before
    tool: bash
    when: has(args.command, "old-words")
    modify: {{ args: {{ command: echo new-words | tee changed }} }}
    inject: told before a tool
  - name: seen
    on: tool.execute.after
    tool: bash
    when: has(output, "new-words")
    inject: told after a tool
  - {{ name: output-truncator, max_tokens: 500 }}
  - {{ name: directory-agents, tools: [read, write] }}
  - {{ name: keep-going, on: agent.stop, continue: {FOLLOW_UP} }}
"""


def prepare(agent):
    agent.write("home/.config/hooke/config.yaml", CONFIG)
    agent.write("work/src/AGENTS.md", "the rules of src\n")
    agent.write("work/src/a.c", "int a;\n")
    agent.write("work/lib/AGENTS.md", "the rules of lib\n")
    agent.steps = {
        "refused": agent.bash("echo refused > refused"),
        "changed": agent.bash("echo old-words > kept"),
        "long": agent.bash("seq 100001 103000"),
        "token": agent.bash("printf 'it is ghp_%036d' 0"),
        "read": agent.read(agent.cwd / "src/a.c") if agent.reader else agent.bash("cat src/a.c"),
        "write": (agent.create(agent.cwd / "lib/b.c", "int b;") if agent.writer
                  else agent.bash("echo 'int b;' > lib/b.c")),
    }
    ends = [({"text": f"end {n}"}, agent.bash(f"echo more-{n}")) for n in range(LIMIT + 2)]
    agent.model.turns = [*agent.steps.values(), *(turn for end in ends for turn in end)]
    agent.done = agent.run()


def new_after(agent, step):
    """What the model read after a step and had not read before, as far as one can tell by a word."""
    index = list(agent.steps).index(step)
    before, after = agent.model.sent(index), agent.model.sent(index + 1)
    return lambda word: word in after and word not in before


def test_a_prompt_comes_with_context(hooked):
    assert hooked.model.sent(0).count("told with the prompt") == 1


def test_a_refused_command_does_not_run_and_the_model_reads_why(hooked):
    assert new_after(hooked, "refused")("deploying is not for you")
    assert not (hooked.cwd / "refused").exists()


def test_a_changed_command_is_the_one_that_runs(hooked):
    assert new_after(hooked, "changed")("new-words")
    assert (hooked.cwd / "changed").exists()
    assert not (hooked.cwd / "kept").exists()


def test_context_from_before_and_after_a_tool_is_in_the_next_request(hooked):
    assert new_after(hooked, "changed")("told before a tool")
    assert new_after(hooked, "changed")("told after a tool")
    assert hooked.model.sent().count("told before a tool") == 1
    assert hooked.model.sent().count("told after a tool") == 1


def test_long_output_is_cut_and_says_so(hooked):
    assert new_after(hooked, "long")("left out to save context")
    assert "103000" in hooked.model.sent()
    assert "102500" not in hooked.model.sent()


def test_a_credential_in_an_output_is_masked(hooked):
    assert new_after(hooked, "token")("it is [a GitHub token, masked")
    assert not [n for n in range(len(hooked.model.asked)) if TOKEN in hooked.model.sent(n)]


def test_a_file_comes_with_the_agents_md_of_its_folder_once(hooked):
    told = hooked.model.sent().count("the rules of src")
    if hooked.reader:
        assert new_after(hooked, "read")("the rules of src")
        assert told == 1
    else:  # it reads by commands: there is no file that hooks could know of
        assert new_after(hooked, "read")("int a;")
        assert told == 0


def test_a_file_that_is_written_comes_with_them_where_that_is_asked_for(hooked):
    """OpenCode itself tells of a file that is read what this test's neighbour looks for: not here."""
    assert (hooked.cwd / "lib/b.c").exists()
    assert new_after(hooked, "write")("the rules of lib") == bool(hooked.writer)


def test_follow_ups_reach_the_model_until_the_limit(hooked):
    said = [n for n in range(LIMIT + 2) if f"more-{n}" in hooked.model.sent()]
    if hooked.follows_up:
        assert said == list(range(LIMIT))
        assert hooked.model.sent().count(FOLLOW_UP) == LIMIT * hooked.follow_up_said
        assert f"the limit is {LIMIT}" in hooked.warnings()
    else:  # it has ended; how it goes on while it stays is in test_limits.py
        assert len(hooked.model.asked) == len(hooked.steps) + 1


def test_every_call_was_seen_once(hooked):
    asked = len(hooked.model.asked)
    calls = [turn for turn in hooked.model.turns[:asked] if "tool" in turn]
    seen = [r for r in hooked.receipts() if r["point"] == "tool.execute.before"]
    assert len(seen) == len(calls), hooked.done.stderr


def test_a_daemon_is_asked_where_one_runs(hooked):
    if hooked.daemon or hooked.starts_daemon:
        assert hooked.served() >= len(hooked.steps)
    else:
        assert hooked.served() is None
