/*
 * claude_agent.c - answering Claude Code: its events, and which member of an answer says what.
 *
 * Tests: tests/unit/dialect/test_claude_agent.c, tests/e2e/test_answer.py; docs/agents/claude.md
 */
#include "dialect/claude_agent.h"

#include "dialect/claude_response.h"

/* Reading -------------------------------------------------------------------------------------- */

const struct json *claude_data_subagent(struct arena *a, const struct dialect_agent *ag UNUSED,
                                        const struct json *in UNUSED)
{
    return json_with(a, NULL, STR("source"), json_cstring(a, "subagent"));
}

const struct json *claude_data_stop(struct arena *a, const struct dialect_agent *ag UNUSED,
                                    const struct json *in)
{
    struct json *messages = json_array(a);

    agent_push_message(a, messages, "assistant", json_get(in, STR("last_assistant_message")));
    return agent_stop_data(a, in, messages);
}

const struct json *claude_data_compact(struct arena *a, const struct dialect_agent *ag UNUSED,
                                       const struct json *in)
{
    struct json *data = json_object(a);

    agent_copy(a, data, STR("trigger"), in, STR("trigger"));
    agent_copy(a, data, STR("prompt"), in, STR("custom_instructions"));
    agent_copy(a, data, STR("summary"), in, STR("compact_summary"));
    return data;
}

const struct json *claude_data_result(struct arena *a, const struct dialect_agent *ag,
                                      const struct json *in)
{
    const struct json *response = json_get(in, STR("tool_response"));
    struct json *data = agent_tool_data(a, ag, in, response), *metadata = json_object(a);

    json_add(a, data, STR("output"), claude_response_text(a, response));
    json_add(a, metadata, STR("duration_ms"), json_get(in, STR("duration_ms")));
    json_add(a, data, STR("metadata"), metadata);
    json_add(a, data, STR("success"), json_bool(a, true));
    return data;
}

/* Events of Claude Code alone ------------------------------------------------------------------ */

/* What a task in the background has to tell comes as a prompt, which nobody typed. */
static const struct json *data_prompt(struct arena *a, const struct dialect_agent *ag,
                                      const struct json *in)
{
    const struct json *data = agent_data_prompt(a, ag, in),
                      *message = json_get(data, STR("message"));

    if (!str_starts(json_str(a, json_get(in, STR("prompt"))), STR("<task-notification>")))
        return data;
    return json_with(a, data, STR("message"),
                     json_with(a, message, STR("internal"), json_bool(a, true)));
}

static const struct json *data_failed(struct arena *a, const struct dialect_agent *ag,
                                      const struct json *in)
{
    const struct json *error = json_get(in, STR("error"));
    struct json *data = agent_tool_data(a, ag, in, error);

    json_add(a, data, STR("output"),
             json_type(error) == JSON_STRING ? error : json_cstring(a, "it failed"));
    json_add(a, data, STR("success"), json_bool(a, false));
    return data;
}

static const struct json *data_error(struct arena *a, const struct dialect_agent *ag UNUSED,
                                     const struct json *in)
{
    struct json *error = json_object(a);

    agent_copy(a, error, STR("class"), in, STR("error"));
    agent_copy(a, error, STR("message"), in,
               json_get(in, STR("error_details")) ? STR("error_details")
                                                  : STR("last_assistant_message"));
    return json_with(a, NULL, STR("error"), error);
}

static const struct json *shape_output(struct arena *a, const struct dialect_agent *ag UNUSED,
                                       const struct json *in, const struct json *value)
{
    return claude_response_with(a, json_get(in, STR("tool_response")), value);
}

/* Texts that are to be heeded, as people write them: one, or a list. */
static const struct json *shape_context(struct arena *a, const struct dialect_agent *ag UNUSED,
                                        const struct json *in UNUSED, const struct json *value)
{
    CLEANUP(strbuf) struct strbuf all = { 0 };

    if (json_type(value) == JSON_STRING)
        return value;
    for (const struct json *text = json_first(value); text; text = json_next(text)) {
        struct str words = json_str(a, text);

        if (words.len && all.len)
            strbuf_addstr(&all, "\n\n");
        strbuf_add(&all, words.ptr, words.len);
    }
    return all.len ? json_string_copy(a, strbuf_str(&all)) : NULL;
}

/* Means ---------------------------------------------------------------------------------------- */

#define OUT  AGENT_OUT
#define BARE "printed"

const struct agent_means claude_block = {
    .words = "`decision: block`",
    .members = { { "decision", VALUE_WORD, "block" }, { "reason", VALUE_TEXT, NULL } },
};

const struct agent_means claude_deny = {
    .words = "`permissionDecision: deny`",
    .members = { { OUT "permissionDecision", VALUE_WORD, "deny" },
                 { OUT "permissionDecisionReason", VALUE_TEXT, NULL } },
};

const struct agent_means claude_refuse = {
    .words = "`decision.behavior: deny`",
    .members = { { OUT "decision.behavior", VALUE_WORD, "deny" },
                 { OUT "decision.message", VALUE_TEXT, NULL } },
};

const struct agent_means claude_consent = {
    .words = "`decision.behavior: allow`",
    .members = { { OUT "decision.behavior", VALUE_WORD, "allow" } },
};

const struct agent_means claude_it_asks = { .words = "it asks anyway" };

static const struct agent_means
    /* It is taken no notice of there; at the `brake` and at a prompt it is. */
    stop_later = { .words = "`continue: false` later",
                   .members = { { "continue", VALUE_FALSE, NULL },
                                { "stopReason", VALUE_TEXT, NULL } },
                   .later = true },
    /* The tool must not run while the session ends. */
    stop_tool = { .words = "`continue: false`",
                  .members = { { "continue", VALUE_FALSE, NULL },
                               { "stopReason", VALUE_TEXT, NULL },
                               { OUT "permissionDecision", VALUE_WORD, "deny" },
                               { OUT "permissionDecisionReason", VALUE_TEXT, NULL } } },
    /* By itself a block only adds its reason to the output. */
    block_beside = { .words = "`decision: block`",
                     .beside = true,
                     .members = { { "decision", VALUE_WORD, "block" },
                                  { "reason", VALUE_TEXT, NULL } } },
    block_output = { .words = "`decision: block` and `updatedToolOutput`",
                     .beside = true,
                     .members = { { "decision", VALUE_WORD, "block" },
                                  { "reason", VALUE_TEXT, NULL },
                                  { OUT "updatedToolOutput", VALUE_SHAPED, NULL } } },
    ask = { .words = "`permissionDecision: ask`",
            .members = { { OUT "permissionDecision", VALUE_WORD, "ask" },
                         { OUT "permissionDecisionReason", VALUE_TEXT, NULL } } },
    allow = { .words = "`permissionDecision: allow`",
              .members = { { OUT "permissionDecision", VALUE_WORD, "allow" },
                           { OUT "permissionDecisionReason", VALUE_TEXT, NULL } } },
    input = { .words = "`updatedInput`",
              .members = { { OUT "updatedInput", VALUE_CHANGED, NULL } } },
    output = { .words = "`updatedToolOutput`",
               .members = { { OUT "updatedToolOutput", VALUE_CHANGED, NULL },
                            { OUT "updatedMCPToolOutput", VALUE_MCP, NULL } } },
    printed = { .words = "`context`, as text", .members = { { BARE, VALUE_CHANGED, NULL } } };

static const struct agent_event events[] = {
    { .name = "SessionStart",
      .point = POINT_SESSION_CREATED,
      .data = agent_data_start,
      .says = { [PART_STOP] = &stop_later,
                [PART_INJECT] = &agent_context,
                [PART_SAY] = &agent_say } },
    { .name = "SubagentStart",
      .point = POINT_SESSION_CREATED,
      .sub = true,
      .data = claude_data_subagent,
      .says = { [PART_STOP] = &stop_later,
                [PART_INJECT] = &agent_context,
                [PART_SAY] = &agent_say } },
    { .name = "UserPromptSubmit",
      .point = POINT_CHAT_MESSAGE,
      .data = data_prompt,
      .says = { [PART_BLOCK] = &claude_block,
                [PART_STOP] = &agent_stop,
                [PART_INJECT] = &agent_context,
                [PART_SAY] = &agent_say } },
    { .name = "PreToolUse",
      .point = POINT_TOOL_EXECUTE_BEFORE,
      .data = agent_data_tool,
      .field = "args",
      .shape = agent_shape_args,
      .says = { [PART_BLOCK] = &claude_deny,
                [PART_ASK] = &ask,
                [PART_ALLOW] = &allow,
                [PART_STOP] = &stop_tool,
                [PART_CHANGE] = &input,
                [PART_INJECT] = &agent_context,
                [PART_SAY] = &agent_say } },
    { .name = "PermissionRequest",
      .point = POINT_PERMISSION_ASK,
      .data = agent_data_asked,
      .says = { [PART_BLOCK] = &claude_refuse,
                [PART_ASK] = &claude_it_asks,
                [PART_ALLOW] = &claude_consent,
                [PART_SAY] = &agent_say } },
    { .name = "PostToolUse",
      .point = POINT_TOOL_EXECUTE_AFTER,
      .data = claude_data_result,
      .field = "output",
      .shape = shape_output,
      .refuge = PART_STOP,
      .says = { [PART_BLOCK] = &block_output,
                [PART_STOP] = &agent_stop,
                [PART_CHANGE] = &output,
                [PART_INJECT] = &agent_context,
                [PART_SAY] = &agent_say } },
    { .name = "PostToolUseFailure",
      .point = POINT_TOOL_EXECUTE_AFTER,
      .data = data_failed,
      .refuge = PART_STOP,
      .says = { [PART_BLOCK] = &block_beside,
                [PART_STOP] = &stop_later,
                [PART_INJECT] = &agent_context,
                [PART_SAY] = &agent_say } },
    { .name = "Stop",
      .point = POINT_AGENT_STOP,
      .data = claude_data_stop,
      .says = { [PART_STOP] = &agent_stop,
                [PART_CONTINUE] = &claude_block,
                [PART_SAY] = &agent_say } },
    { .name = "SubagentStop",
      .point = POINT_AGENT_STOP,
      .sub = true,
      .data = claude_data_stop,
      .says = { [PART_STOP] = &agent_stop,
                [PART_CONTINUE] = &claude_block,
                [PART_SAY] = &agent_say } },
    { .name = "StopFailure", .point = POINT_AGENT_ERROR, .data = data_error },
    { .name = "PreCompact",
      .point = POINT_SESSION_COMPACTING,
      .data = claude_data_compact,
      .field = "context",
      .shape = shape_context,
      .bare = BARE, /* it goes into the prompt of the compaction */
      .says = { [PART_BLOCK] = &claude_block, [PART_CHANGE] = &printed } },
    { .name = "PostCompact",
      .point = POINT_SESSION_COMPACTED,
      .data = claude_data_compact,
      .says = { [PART_SAY] = &agent_say } },
    { .name = "Notification", .point = POINT_NOTIFICATION, .data = agent_data_notification },
    { .name = "SessionEnd", .point = POINT_SESSION_ENDED, .data = agent_data_end },
};

static const char *const others[] = {
    "Setup",          "UserPromptExpansion", "PermissionDenied",  "PostToolBatch",
    "MessageDisplay", "TaskCreated",         "TaskCompleted",     "TeammateIdle",
    "ConfigChange",   "InstructionsLoaded",  "CwdChanged",        "DirectoryAdded",
    "FileChanged",    "WorktreeCreate",      "WorktreeRemove",    "Elicitation",
    "PreModelSwitch", "PostModelSwitch",     "ElicitationResult", NULL,
};

const struct dialect_agent claude_agent = {
    .title = "Claude Code",
    .system = TOOLS_CLAUDE,
    .events = events,
    .event_count = ARRAY_LEN(events),
    .others = others,
    .alarm = &agent_stop,
    .mute = "WorktreeCreate", /* takes whatever is printed for a path */
    .brake = "PostToolBatch", /* before the model is asked again */
};
