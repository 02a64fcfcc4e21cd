#!/bin/bash
# The check of bench/answer.py as people write it: a shell, and jq for the JSON.
command=$(jq -r '.tool_input.command')
for word in 'rm -rf /' 'git push --force' 'mkfs' 'chmod 777' 'curl http'; do
	if [[ $command == *"$word"* ]]; then
		echo "not allowed: $word" >&2
		exit 2
	fi
done
