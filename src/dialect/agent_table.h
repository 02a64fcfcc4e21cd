/*
 * agent_table.h - what the tables of agents (dialect/agent.h) are made of: readings and means that
 * more than one agent has.
 *
 *     { .name = "PreToolUse", .point = POINT_TOOL_EXECUTE_BEFORE, .data = agent_data_tool,
 *       .field = "args", .shape = agent_shape_args, .says = { [PART_SAY] = &agent_say, … } }
 *
 * Everything is in the arena or borrowed from what the agent wrote.
 */
#pragma once

#include "dialect/agent.h"

/* The member `from` of `in` as `name`, where it is a text. */
void agent_copy(struct arena *a, struct json *data, struct str name, const struct json *in,
                struct str from);

/* {tool, call_id, args, native} of a document with tool_name and tool_input. */
struct json *agent_tool_data(struct arena *a, const struct dialect_agent *ag, const struct json *in,
                             const struct json *output);

agent_data_fn agent_data_start, agent_data_prompt, agent_data_tool, agent_data_asked,
    agent_data_notification, agent_data_end;

/* {messages, continuations, status}: how often is for whoever answers to count. */
const struct json *agent_stop_data(struct arena *a, const struct json *in,
                                   const struct json *messages);

/* {role, content}, where the content is a text. */
void agent_push_message(struct arena *a, struct json *list, const char *role,
                        const struct json *content);

/* Changed arguments of a tool under the names that the agent used. */
agent_shape_fn agent_shape_args;

#define AGENT_OUT "hookSpecificOutput."

extern const struct agent_means agent_say, agent_stop, agent_context;
