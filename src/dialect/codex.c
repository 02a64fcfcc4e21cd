/*
 * codex - hooks written for Codex: Claude Code's events and fields, fewer and stricter.
 *
 *   output            exit 0                    exit 2                      any other exit
 *   none              no opinion                block, stderr is why; a     a failed run
 *                                               failed run without stderr
 *   a JSON answer     obeyed                    the same: output is not     the same
 *   begins like one   a failed run              looked at
 *   other text        context, ignored, or a
 *                     failed run
 *
 * An unknown field, a wrong value or something that Codex does not support fails the whole run, and
 * then nothing the answer says counts. docs/codex.md has the tables.
 *
 * Tests: tests/unit/dialect/test_codex.c, tests/e2e/test_claude.py
 */
#include "dialect/agent.h"
#include "dialect/claude_decode.h"
#include "dialect/claude_filter.h"
#include "dialect/claude_merge.h"
#include "dialect/claude_payload.h"
#include "dialect/scrub.h"

#include <strings.h>

#define AT(event) CLAUDE_AT(event)
#define BLOCKS    (AT(PROMPT) | AT(BEFORE) | AT(AFTER) | AT(STOP) | AT(SUBAGENT_STOP))

static const struct claude_refusal refusals[] = {
    { AT(BEFORE) | AT(ASKED), FACT_STOPS, 0, "'continue: false' is not supported" },
    { AT(BEFORE) | AT(ASKED), FACT_STOP_REASON, 0, "'stopReason' is not supported" },
    { AT(BEFORE) | AT(ASKED) | AT(AFTER), FACT_SUPPRESS, 0, "'suppressOutput' is not supported" },
    { AT(BEFORE), FACT_ASK, 0, "permissionDecision 'ask' is not supported" },
    { AT(BEFORE), FACT_ALLOW, FACT_INPUT, "permissionDecision 'allow' needs 'updatedInput'" },
    { AT(BEFORE), FACT_INPUT, FACT_ALLOW, "'updatedInput' needs permissionDecision 'allow'" },
    { AT(BEFORE), FACT_DENY, FACT_PERMISSION_REASON,
      "permissionDecision 'deny' needs 'permissionDecisionReason'" },
    { AT(BEFORE), FACT_ANY_PERMISSION_REASON, FACT_ALLOW | FACT_DENY | FACT_ASK,
      "'permissionDecisionReason' needs 'permissionDecision'" },
    { BLOCKS, FACT_APPROVE, 0, "decision 'approve' is not supported" },
    { BLOCKS, FACT_BLOCK, FACT_REASON | FACT_STOPS, "decision 'block' needs 'reason'" },
    { AT(BEFORE), FACT_ANY_REASON, FACT_BLOCK | FACT_APPROVE, "'reason' needs 'decision'" },
    { AT(AFTER), FACT_ANY_REASON, FACT_BLOCK | FACT_STOPS, "'reason' needs 'decision'" },
    { AT(AFTER), FACT_MCP_OUTPUT, 0, "'updatedMCPToolOutput' is not supported" },
    { AT(ASKED), FACT_CONSENT_INPUT, 0, "'updatedInput' is not supported" },
    { AT(ASKED), FACT_PERMISSIONS, 0, "'updatedPermissions' is not supported" },
    { AT(ASKED), FACT_INTERRUPT, 0, "'interrupt' is not supported" },
    { 0, 0, 0, NULL },
};

static const struct claude_rules rules = {
    .system = TOOLS_CODEX,
    .outcome = {
        /*                    none            answer        bad           text          */
        [EXIT_IS_0]     = { ACTION_NOTHING, ACTION_OBEY,  ACTION_BAD,   ACTION_TEXT },
        [EXIT_IS_2]     = { ACTION_FORCE,   ACTION_FORCE, ACTION_FORCE, ACTION_FORCE },
        [EXIT_IS_OTHER] = { ACTION_FAIL,    ACTION_FAIL,  ACTION_FAIL,  ACTION_FAIL },
    },
    .at = {
        /* exit code 2, decision: block, continue: false, plain text, additionalContext */
        [CLAUDE_SESSION_START] = CLAUDE_EFFECTS(FAIL, NONE, STOP, INJECT, INJECT),
        [CLAUDE_SUBAGENT_START] = CLAUDE_EFFECTS(FAIL, NONE, IGNORE, INJECT, INJECT),
        [CLAUDE_PROMPT] = CLAUDE_EFFECTS(BLOCK, BLOCK, STOP, INJECT, INJECT),
        [CLAUDE_BEFORE] = CLAUDE_EFFECTS(BLOCK, BLOCK, NONE, IGNORE, INJECT),
        [CLAUDE_ASKED] = CLAUDE_EFFECTS(BLOCK, NONE, NONE, IGNORE, NONE),
        [CLAUDE_AFTER] = CLAUDE_EFFECTS(BLOCK, BLOCK, BLOCK, IGNORE, INJECT),
        [CLAUDE_STOP] = CLAUDE_EFFECTS(CONTINUE, CONTINUE, STOP, FAIL, NONE),
        [CLAUDE_SUBAGENT_STOP] = CLAUDE_EFFECTS(CONTINUE, CONTINUE, STOP, FAIL, NONE),
        [CLAUDE_COMPACTING] = CLAUDE_EFFECTS(FAIL, NONE, BLOCK, IGNORE, NONE),
        [CLAUDE_COMPACTED] = CLAUDE_EFFECTS(FAIL, NONE, NONE, IGNORE, NONE),
        [CLAUDE_SESSION_END] = CLAUDE_EFFECTS(FAIL, NONE, NONE, IGNORE, NONE),
    },
    .refusals = refusals,
    .deaf = AT(SESSION_END),
    .strict = true,
    .allowed = DECISION_NONE,
    .no_reason_to_stop = "PostToolUse hook stopped execution",
};

static bool speaks(enum point point)
{
    return claude_speaks(TOOLS_CODEX, point);
}

static uint32_t timeout_at(enum point point)
{
    return point == POINT_SESSION_ENDED ? 1000 : 600000;
}

static const struct json *encode(struct arena *a, const struct dialect_event *ev)
{
    return claude_payload(a, TOOLS_CODEX, ev->event);
}

static bool is_kept_back(const char *name)
{
    static const char *const credentials[] = {
        "CODEX_EXEC_SERVER_NOISE_AUTH_TOKEN", "NODE_REPL_AUTH_TOKEN",
        "OPENAI_FEDERATION_RULE_ID",          "OPENAI_IDENTITY_TOKEN_FILE",
        "OPENAI_WORKLOAD_IDENTITY_CONTEXT",
    };

    for (size_t i = 0; i < ARRAY_LEN(credentials); i++)
        if (strcasecmp(name, credentials[i]) == 0)
            return true;
    return false;
}

static const char *const *variables(struct arena *a, const struct dialect_event *ev UNUSED)
{
    size_t count;

    return scrub_environment(a, is_kept_back, 0, &count);
}

static int decode(struct arena *a, const struct dialect_event *ev, const struct proc_result *run,
                  const struct dialect_answer *answer, struct err *e)
{
    return claude_decode(a, &rules, ev, run, answer, e);
}

static int filter_new(struct arena *a, const struct dialect_wants *wants,
                      struct dialect_filter **out, struct err *e)
{
    return claude_filter_new(a, TOOLS_CODEX, wants, out, e);
}

static void merge(struct arena *a, const struct dialect_event *ev, const struct verdict *answers,
                  size_t count, const struct dialect_answer *out)
{
    claude_merge(a, TOOLS_CODEX, ev, answers, count, out);
}

const struct dialect codex_dialect = {
    .name = "codex",
    .timeout_ms = 600000,
    .timeout_at = timeout_at,
    .speaks = speaks,
    .encode = encode,
    .variables = variables,
    .decode = decode,
    .filter_new = filter_new,
    .filter_test = claude_filter_test,
    .filter_free = claude_filter_free,
    .merge = merge,
    .agent = &codex_agent,
};
