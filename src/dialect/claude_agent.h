/*
 * claude_agent.h - what Claude Code and Codex write when they run a hook, as data of our events:
 * Codex took over the fields of Claude Code. For their tables of events (dialect/agent.h).
 */
#pragma once

#include "dialect/agent.h"

/* Data of one event each. */
typedef const struct json *agent_data_fn(struct arena *a, const struct json *in);

agent_data_fn claude_data_start, claude_data_subagent, claude_data_prompt, claude_data_stop,
    claude_data_compact, claude_data_end;

/* Of the tools, which the two spell differently. */
const struct json *claude_data_tool(struct arena *a, enum tools_system system,
                                    const struct json *in);
const struct json *claude_data_result(struct arena *a, enum tools_system system,
                                      const struct json *in);

/*
 * The text of a tool's structured answer, and the answer with another text in its place. NULL: it
 * has no place for a text.
 */
const struct json *claude_response_text(struct arena *a, const struct json *response);
const struct json *claude_response_with(struct arena *a, const struct json *response,
                                        const struct json *text);
