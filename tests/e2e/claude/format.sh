#!/bin/sh
# PostToolUse: says which file it would format.
jq '{hookSpecificOutput: {hookEventName: .hook_event_name,
	additionalContext: ("formatted " + .tool_input.file_path)}}'
