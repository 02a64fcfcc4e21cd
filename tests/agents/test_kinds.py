"""A hook written once gives the same result in every agent, whatever kind of hook it is.

Each kind has one that refuses commands which name its `…-no` and gives those that name its `…-old`
other words.
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

CLAUDE = """case $(cat) in
*claude-no*)
	echo "the claude says no" >&2
	exit 2
	;;
*claude-old*)
	printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":%s}}' \\
		'{"command":"echo claude-new | tee claude-new"}'
	;;
esac
"""

RESIDENT = """#!/bin/sh
while IFS= read -r line; do
	id=${line#*\\"id\\":} id=${id%%,*} result=null
	case $line in
	*'"method":"initialize"'*)
		result='{"name":"resident","subscriptions":[{"point":"PreToolUse","tool":"bash"}]}'
		;;
	*resident-no*) result='{"decision":"block","reason":"the resident says no"}' ;;
	*resident-old*)
		result='{"modify":{"args":{"command":"echo resident-new | tee resident-new"}}}'
		;;
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
  - { name: resident, resident: [./resident.sh] }
"""


def prepare(agent):
    agent.write("home/.config/hooke/config.yaml", CONFIG)
    agent.write("home/.config/hooke/resident.sh", RESIDENT, 0o755)
    agent.write("work/.kodelet/hooks/words", KODELET, 0o755)
    agent.write("home/.claude/words.sh", CLAUDE)
    settings = agent.home / ".claude/settings.json"  # Claude Code's own, with hooke in them, maybe
    there = json.loads(settings.read_text()) if settings.exists() else {"hooks": {}}
    there["hooks"].setdefault("PreToolUse", []).append(
        {"matcher": "Bash", "hooks": [{"type": "command", "command": "sh ~/.claude/words.sh"}]})
    settings.write_text(json.dumps(there))
    agent.hooke("trust", "--yes")
    names = [f"{kind}-{word}" for kind in KINDS for word in ("no", "old")]
    agent.model.turns = [*(agent.bash(f"echo {name} > {name}") for name in names),
                         {"text": "finished"}]
    agent.requests = {name: n + 1 for n, name in enumerate(names)}
    agent.done = agent.run()
    assert len(agent.model.asked) == len(names) + 1, agent.done.stderr


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
