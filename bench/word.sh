#!/bin/bash
# One of five hooks before a tool: no command may contain a word. As people write them: a shell, and jq.
#
#     word.sh WORD
command=$(jq -r '.tool_input.command')
if [[ $command == *"$1"* ]]; then
	echo "not allowed: $1" >&2
	exit 2
fi
