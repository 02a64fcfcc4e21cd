"""Claude Code alone: what it tells of, and takes, that the other agents do not."""

import json

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


def test_the_report_of_a_subagent_is_an_output_like_any_other(start, model):
    """It comes in parts, the first of which are Claude Code's own notes."""
    agent = start_with(start)
    model.turns = [agent.task("go on"), agent.bash("echo inside"), {"text": f"it is {TOKEN}"},
                   {"text": "finished"}]
    agent.run()
    assert len(model.asked) == 4
    assert "it is [a GitHub token, masked" in model.sent() and TOKEN not in model.sent()


def test_a_subagent_is_a_session_of_its_own_in_which_hooks_hold(start, model):
    agent = start_with(start, """
hooks:
  - { name: hello, on: SubagentStart, inject: told at its start }
  - { name: no, on: tool.execute.before, when: "has(args.command, 'refused')", block: never here }
  - { name: more, on: SubagentStop, when: continuations < 1, continue: there is more to do }
""")
    model.turns = [agent.task("go on"), agent.bash("echo refused > refused"), {"text": "inner end"},
                   {"text": "inner end again"}, {"text": "finished"}]
    agent.run()
    assert len(model.asked) == 5 and not (agent.cwd / "refused").exists()
    told = [[word in model.sent(n) for n in range(5)]
            for word in ("told at its start", "never here", "there is more to do")]
    assert told == [[False, True, True, True, False], [False, False, True, True, False],
                    [False, False, False, True, False]]
    sessions = {r["session"] for r in agent.receipts() if r["point"] == "agent.stop"}
    assert len(sessions) == 2 and max(sessions).startswith(min(sessions) + "/")


def test_news_of_a_task_in_the_background_is_no_prompt_that_anybody_typed(start, model):
    agent = start_with(start, """
hooks:
  - { name: typed, on: chat.message, when: not message.internal, inject: a person says }
  - { name: news, on: chat.message, when: message.internal, inject: nobody says }
""")
    work = agent.bash("true")
    work["args"]["run_in_background"] = True
    model.turns = [work, {"text": "I wait"}, {"text": "finished"}]
    agent.run()
    assert "<task-notification>" in model.sent()  # with its second request, or with one more
    assert [model.sent().count(words) for words in ("a person says", "nobody says")] == [1, 1]


def test_hooks_add_to_a_compaction_or_refuse_it(start, model):
    agent = start_with(start)
    agent.run("hello")
    config = "hooks: [{ name: c, on: experimental.session.compacting, %s }]"
    words = {"": False, config % "modify: { context: Keep the plan. }": True}
    for text, told in words.items():
        agent.write("home/.config/hooke/config.yaml", text)
        agent.run("/compact keep names", again=True)
        asked = model.asked[-1]["messages"][-1]["content"]
        assert "Additional Instructions:\\nkeep names\\n\\n" in json.dumps(asked)
        assert ("Keep the plan." in str(asked), "{}" in str(asked)) == (told, False)
        agent.run("go on", again=True)
    asked = len(model.asked)
    agent.write("home/.config/hooke/config.yaml", config % "block: not now")
    done = agent.run("/compact", again=True)
    assert len(model.asked) == asked and "not now" in done.stdout


def test_hooks_decide_where_claude_would_ask(start, model):
    agent = start_with(start, """
hooks:
  - { name: fine, on: permission.ask, when: "has(args.command, 'fine')", allow: it is fine }
  - { name: no, on: permission.ask, when: "has(args.command, 'never')", block: nobody may }
  - { name: at-once, on: tool.execute.before, when: "has(args.command, 'at-once')", allow: go on }
""")
    agent.options = ["--output-format", "json"]
    names = ("fine", "never", "at-once", "other")
    model.turns = [*(agent.bash(f"touch {name}") for name in names), {"text": "finished"}]
    done = agent.run()
    assert [(agent.cwd / name).exists() for name in names] == [True, False, True, False], done.stdout
    assert "nobody may" in model.sent(2)
    asked = [r for r in agent.receipts() if r["point"] == "permission.ask"]
    assert [r["outcome"] for r in asked] == ["allow", "block", "none"]


SERVER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    result = {
        "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                       "serverInfo": {"name": "here", "version": "1"}},
        "tools/list": {"tools": [{"name": "say", "inputSchema": {"type": "object"}}]},
        "tools/call": {"content": [{"type": "text", "text": "the first part"},
                                   {"type": "text", "text": "it is ghp_" + "0" * 36}]},
    }.get(asked["method"], {})
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def test_a_credential_in_any_part_of_an_mcp_server_s_answer_is_masked(start, model):
    agent = start_with(start)
    server = agent.write("work/server.py", SERVER)
    servers = {"here": {"command": "/usr/bin/python3", "args": [str(server)]}}
    agent.options = [*agent.options, "--mcp-config", json.dumps({"mcpServers": servers})]
    model.turns = [{"tool": "mcp__here__say", "args": {}}, {"text": "finished"}]
    done = agent.run()
    assert "the first part" in model.sent() and TOKEN not in model.sent(), done.stdout
    assert "it is [a GitHub token, masked" in model.sent()


def test_a_person_is_told_what_hooks_say(start, model):
    points = {"UserPromptSubmit": "chat.message", "PreToolUse": "tool.execute.before",
              "PostToolUse": "tool.execute.after", "Stop": "agent.stop"}
    agent = start_with(start, "hooks: [" + ", ".join(
        f"{{ name: at-{name}, on: {point}, say: hello at {name} }}"
        for name, point in points.items()) + "]")
    agent.options = [*agent.options[:-1], "stream-json", "--verbose"]
    model.turns = [agent.bash("true"), {"text": "finished"}]
    done = agent.run()
    assert [name for name in points if f"says: hello at {name}" in done.stdout] == list(points)
    assert "hello at" not in model.sent()
