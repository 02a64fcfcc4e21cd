#!/bin/sh
# PreToolUse: no rm -rf. For Claude Code and Codex.
command=$(jq -r '.tool_input.command // ""')
case $command in
*"rm -rf"*)
	jq -n '{hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: "deny",
		permissionDecisionReason: "rm -rf is not allowed"}}'
	;;
esac
