#!/bin/sh
# No session makes more than MAX_CALLS tool calls; halfway it hears how many are left.
max=${MAX_CALLS:-200}
calls=$(hooke state incr calls) || exit 1
if [ "$calls" -gt "$max" ]; then
	echo "all $max tool calls of this session are used up: say where you stand and stop" >&2
	exit 2
fi
if [ "$calls" -eq $((max / 2)) ]; then
	echo "$((max - calls)) tool calls are left in this session."
fi
