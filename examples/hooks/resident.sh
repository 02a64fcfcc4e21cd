#!/bin/sh
# A resident hook: after every EVERY tool calls the model is asked to say where it stands. The count
# is this process's own, over all sessions.
every=${EVERY:-20} calls=0

answer() {
	printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"
}

while IFS= read -r line; do
	id=${line#*\"id\":} id=${id%%,*} # hooke writes it first
	case $line in
	*'"method":"initialize"'*)
		answer '{"name":"status","subscriptions":[{"point":"tool.execute.after"}]}'
		;;
	*'"method":"event"'*)
		calls=$((calls + 1))
		if [ $((calls % every)) -eq 0 ]; then
			answer '{"inject":[{"id":"status","text":"Say in one sentence where you stand."}]}'
		else
			answer '{}'
		fi
		;;
	*'"method":"shutdown"'*) answer null ;;
	*'"method":"exit"'*) exit 0 ;;
	esac
done
