/*
 * claude_agent.h - what the tables of Claude Code and Codex share: Codex took over the fields of
 * Claude Code. See dialect/agent_table.h for what Gemini CLI has as well.
 */
#pragma once

#include "dialect/agent_table.h"

agent_data_fn claude_data_subagent, claude_data_result, claude_data_stop, claude_data_compact;

extern const struct agent_means claude_block, claude_deny, claude_refuse, claude_consent,
    claude_it_asks;
