/*
 * codex_agent.c - answering Codex: Claude Code's fields, fewer events, and answers that fail as a
 * whole when one member is not known or not supported.
 *
 * Tests: tests/unit/dialect/test_codex_agent.c, tests/e2e/test_answer.py; docs/agents/codex.md
 */
#include "dialect/claude_agent.h"

#define OUT AGENT_OUT

static const struct agent_means
    as_block = { .words = "block", .as_block = true },
    /* Codex takes another input only beside this word, which consents to nothing. */
    input = { .words = "`updatedInput`",
              .members = { { OUT "permissionDecision", VALUE_WORD, "allow" },
                           { OUT "updatedInput", VALUE_CHANGED, NULL } } },
    as_reason = { .words = "as the reason of `decision: block`",
                  .members = { { "decision", VALUE_WORD, "block" },
                               { "reason", VALUE_TEXT, NULL } } };

static const struct agent_event events[] = {
    { .name = "SessionStart",
      .point = POINT_SESSION_CREATED,
      .data = agent_data_start,
      .says = { [PART_STOP] = &agent_stop,
                [PART_INJECT] = &agent_context,
                [PART_SAY] = &agent_say } },
    { .name = "SubagentStart",
      .point = POINT_SESSION_CREATED,
      .sub = true,
      .data = claude_data_subagent,
      .says = { [PART_INJECT] = &agent_context, [PART_SAY] = &agent_say } },
    { .name = "UserPromptSubmit",
      .point = POINT_CHAT_MESSAGE,
      .data = agent_data_prompt,
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
                [PART_STOP] = &as_block,
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
      .says = { [PART_BLOCK] = &claude_block,
                [PART_STOP] = &as_block,
                [PART_CHANGE] = &as_reason,
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
    { .name = "PreCompact",
      .point = POINT_SESSION_COMPACTING,
      .data = claude_data_compact,
      .says = { [PART_BLOCK] = &agent_stop, [PART_SAY] = &agent_say } },
    { .name = "PostCompact",
      .point = POINT_SESSION_COMPACTED,
      .data = claude_data_compact,
      .says = { [PART_SAY] = &agent_say } },
    { .name = "SessionEnd", .point = POINT_SESSION_ENDED, .data = agent_data_end },
};

static const char *const others[] = { NULL };

const struct dialect_agent codex_agent = {
    .title = "Codex",
    .system = TOOLS_CODEX,
    .events = events,
    .event_count = ARRAY_LEN(events),
    .others = others,
    .alarm = &claude_block,
};
