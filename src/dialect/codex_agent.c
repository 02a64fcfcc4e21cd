/*
 * codex_agent.c - answering Codex: Claude Code's fields, fewer events, and answers that fail as a
 * whole when one member is not known or not supported.
 *
 * Tests: tests/unit/dialect/test_codex_agent.c, tests/e2e/test_answer.py; docs/agents/codex.md
 */
#include "dialect/claude_agent.h"

static const struct json *data_tool(struct arena *a, const struct json *in)
{
    return claude_data_tool(a, TOOLS_CODEX, in);
}

static const struct json *data_asked(struct arena *a, const struct json *in)
{
    return json_with(a, data_tool(a, in), STR("why"), json_cstring(a, "Codex asks"));
}

static const struct json *data_result(struct arena *a, const struct json *in)
{
    return claude_data_result(a, TOOLS_CODEX, in);
}

static const struct json *shape_args(struct arena *a, const struct json *in,
                                     const struct json *value)
{
    return agent_native_args(a, TOOLS_CODEX, in, value);
}

/* Means ---------------------------------------------------------------------------------------- */

#define OUT "hookSpecificOutput."

static const struct agent_means
    say = { .words = "`systemMessage`", .members = { { "systemMessage", VALUE_TEXT, NULL } } },
    stop = { .words = "`continue: false`",
             .members = { { "continue", VALUE_FALSE, NULL }, { "stopReason", VALUE_TEXT, NULL } } },
    as_block = { .words = "block", .as_block = true },
    block = { .words = "`decision: block`",
              .members = { { "decision", VALUE_WORD, "block" }, { "reason", VALUE_TEXT, NULL } } },
    deny = { .words = "`permissionDecision: deny`",
             .members = { { OUT "permissionDecision", VALUE_WORD, "deny" },
                          { OUT "permissionDecisionReason", VALUE_TEXT, NULL } } },
    refuse = { .words = "`decision.behavior: deny`",
               .members = { { OUT "decision.behavior", VALUE_WORD, "deny" },
                            { OUT "decision.message", VALUE_TEXT, NULL } } },
    consent = { .words = "`decision.behavior: allow`",
                .members = { { OUT "decision.behavior", VALUE_WORD, "allow" } } },
    it_asks = { .words = "it asks anyway" },
    /* Codex takes another input only beside this word, which consents to nothing. */
    input = { .words = "`updatedInput`",
              .members = { { OUT "permissionDecision", VALUE_WORD, "allow" },
                           { OUT "updatedInput", VALUE_CHANGED, NULL } } },
    as_reason = { .words = "as the reason of `decision: block`",
                  .members = { { "decision", VALUE_WORD, "block" },
                               { "reason", VALUE_TEXT, NULL } } },
    context = { .words = "`additionalContext`",
                .members = { { OUT "additionalContext", VALUE_TEXT, NULL } } };

static const struct agent_event events[] = {
    { .name = "SessionStart",
      .point = POINT_SESSION_CREATED,
      .data = claude_data_start,
      .says = { [PART_STOP] = &stop, [PART_INJECT] = &context, [PART_SAY] = &say } },
    { .name = "SubagentStart",
      .point = POINT_SESSION_CREATED,
      .sub = true,
      .data = claude_data_subagent,
      .says = { [PART_INJECT] = &context, [PART_SAY] = &say } },
    { .name = "UserPromptSubmit",
      .point = POINT_CHAT_MESSAGE,
      .data = claude_data_prompt,
      .says = { [PART_BLOCK] = &block,
                [PART_STOP] = &stop,
                [PART_INJECT] = &context,
                [PART_SAY] = &say } },
    { .name = "PreToolUse",
      .point = POINT_TOOL_EXECUTE_BEFORE,
      .data = data_tool,
      .field = "args",
      .shape = shape_args,
      .says = { [PART_BLOCK] = &deny,
                [PART_STOP] = &as_block,
                [PART_CHANGE] = &input,
                [PART_INJECT] = &context,
                [PART_SAY] = &say } },
    { .name = "PermissionRequest",
      .point = POINT_PERMISSION_ASK,
      .data = data_asked,
      .says = { [PART_BLOCK] = &refuse,
                [PART_ASK] = &it_asks,
                [PART_ALLOW] = &consent,
                [PART_SAY] = &say } },
    { .name = "PostToolUse",
      .point = POINT_TOOL_EXECUTE_AFTER,
      .data = data_result,
      .field = "output",
      .says = { [PART_BLOCK] = &block,
                [PART_STOP] = &as_block,
                [PART_CHANGE] = &as_reason,
                [PART_INJECT] = &context,
                [PART_SAY] = &say } },
    { .name = "Stop",
      .point = POINT_AGENT_STOP,
      .data = claude_data_stop,
      .says = { [PART_STOP] = &stop, [PART_CONTINUE] = &block, [PART_SAY] = &say } },
    { .name = "SubagentStop",
      .point = POINT_AGENT_STOP,
      .sub = true,
      .data = claude_data_stop,
      .says = { [PART_STOP] = &stop, [PART_CONTINUE] = &block, [PART_SAY] = &say } },
    { .name = "PreCompact",
      .point = POINT_SESSION_COMPACTING,
      .data = claude_data_compact,
      .says = { [PART_BLOCK] = &stop, [PART_SAY] = &say } },
    { .name = "PostCompact",
      .point = POINT_SESSION_COMPACTED,
      .data = claude_data_compact,
      .says = { [PART_SAY] = &say } },
    { .name = "SessionEnd", .point = POINT_SESSION_ENDED, .data = claude_data_end },
};

static const char *const others[] = { NULL };

const struct dialect_agent codex_agent = {
    .title = "Codex",
    .system = TOOLS_CODEX,
    .events = events,
    .event_count = ARRAY_LEN(events),
    .others = others,
    .alarm = &block,
};
