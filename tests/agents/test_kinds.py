"""A hook written once gives the same result in every agent, whatever kind of hook it is.

Each kind has hooks that refuse commands which name its `…-no`, give those that name its `…-old` other
words, show another output where the real one has its `…-raw`, and keep the agent going once.
"""

import json

import pytest

KINDS = ("kodelet", "claude", "rule", "resident")

KODELET = """#!/bin/sh
[ "$1" = hook ] && { echo before_tool_call; exit; }
case $(cat) in
*kodelet-no*) echo '{"blocked":true,"reason":"the kodelet says no"}' ;;
*kodelet-old*) echo '{"input":{"command":"echo kodelet-new | tee kodelet-new"}}' ;;
esac
"""

KODELET_AFTER = """#!/bin/sh
[ "$1" = hook ] && { echo after_tool_call; exit; }
case $(cat) in
*kodelet-raw-1*) echo '{"output":{"metadata":{"output":"kodelet-shown"}}}' ;;
esac
"""

KODELET_STOP = """#!/bin/sh
[ "$1" = hook ] && { echo agent_stop; exit; }
cat >/dev/null
echo '{"follow_up_messages":["the kodelet goes on"]}'
"""

CLAUDE = """case $(cat) in
*'"Stop"'*)
	echo '{"decision":"block","reason":"the claude goes on"}'
	;;
*claude-no*)
	echo "the claude says no" >&2
	exit 2
	;;
*claude-old*)
	printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":%s}}' \\
		'{"command":"echo claude-new | tee claude-new"}'
	;;
*claude-raw-1*)
	printf '{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":%s}}' \\
		'{"stdout":"claude-shown","stderr":"","interrupted":false,"isImage":false}'
	;;
esac
"""

RESIDENT = """#!/bin/sh
while IFS= read -r line; do
	id=${line#*\\"id\\":} id=${id%%,*} result=null
	case $line in
	*'"method":"initialize"'*)
		result='{"name":"resident","subscriptions":[{"point":"PreToolUse","tool":"bash"},'
		result=$result'{"point":"PostToolUse","tool":"bash"},{"point":"Stop"}]}'
		;;
	*'"agent.stop"'*) result='{"follow_up_messages":["the resident goes on"]}' ;;
	*resident-no*) result='{"decision":"block","reason":"the resident says no"}' ;;
	*resident-old*)
		result='{"modify":{"args":{"command":"echo resident-new | tee resident-new"}}}'
		;;
	*resident-raw-1*) result='{"replace":{"output":"resident-shown"}}' ;;
	*'"method":"exit"'*) exit ;;
	esac
	printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$result"
done
"""

CONFIG = """
hooks:
  - name: no-rule
    on: tool.execute.before
    tool: bash
    when: has(args.command, "rule-no")
    block: the rule says no
  - name: new-rule
    on: tool.execute.before
    tool: bash
    when: has(args.command, "rule-old")
    modify: { args: { command: echo rule-new | tee rule-new } }
  - name: other-rule
    on: tool.execute.after
    when: has(output, "rule-raw-1")
    replace: { output: rule-shown }
  - { name: rule-goes-on, on: agent.stop, continue: the rule goes on }
  - { name: resident, resident: [./resident.sh] }
"""


def prepare(agent):
    agent.write("home/.config/hooke/config.yaml", CONFIG)
    agent.write("home/.config/hooke/resident.sh", RESIDENT, 0o755)
    for name, text in (("words", KODELET), ("results", KODELET_AFTER), ("ends", KODELET_STOP)):
        agent.write(f"work/.kodelet/hooks/{name}", text, 0o755)
    agent.write("home/.claude/words.sh", CLAUDE)
    settings = agent.home / ".claude/settings.json"  # Claude Code's own, with hooke in them, maybe
    there = json.loads(settings.read_text()) if settings.exists() else {"hooks": {}}
    handler = {"type": "command", "command": "sh ~/.claude/words.sh"}
    for event, entry in (("PreToolUse", {"matcher": "Bash"}), ("PostToolUse", {"matcher": "Bash"}), ("Stop", {})):
        there["hooks"].setdefault(event, []).append(entry | {"hooks": [handler]})
    settings.write_text(json.dumps(there))
    agent.hooke("trust", "--yes")
    steps = {f"{kind}-{word}": agent.bash(f"echo {kind}-{word} > {kind}-{word}")
             for kind in KINDS for word in ("no", "old")}
    steps |= {f"{kind}-raw": agent.bash(f"printf %s-%s {kind}-raw 1") for kind in KINDS}
    agent.model.turns = [*steps.values(), {"text": "finished"}]
    agent.requests = {name: n + 1 for n, name in enumerate(steps)}
    agent.done = agent.run()
    assert len(agent.model.asked) > len(steps), agent.done.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_it_refuses_and_says_why(hooked, kind):
    request = hooked.requests[f"{kind}-no"]
    assert f"the {kind} says no" in hooked.model.sent(request)
    assert f"the {kind} says no" not in hooked.model.sent(request - 1)
    assert not (hooked.cwd / f"{kind}-no").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_it_gives_other_words(hooked, kind):
    request = hooked.requests[f"{kind}-old"]
    assert f"{kind}-new" in hooked.model.sent(request)
    assert (hooked.cwd / f"{kind}-new").exists()
    assert not (hooked.cwd / f"{kind}-old").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_it_shows_another_output(hooked, kind):
    assert f"{kind}-shown" in hooked.model.sent(hooked.requests[f"{kind}-raw"])
    assert f"{kind}-raw-1" not in hooked.model.sent()


@pytest.mark.parametrize("kind", KINDS)
def test_it_keeps_the_agent_going(hooked, kind):
    asked = hooked.requests["resident-raw"] + 1
    if hooked.follows_up:
        assert f"the {kind} goes on" in hooked.model.sent(asked)
        assert f"the {kind} goes on" not in hooked.model.sent(asked - 1)
    if hooked.name != "claude":  # which runs the hooks of its settings itself, and those never tire
        assert len(hooked.model.asked) == asked + hooked.follows_up, "and no tool ran, so only once"
