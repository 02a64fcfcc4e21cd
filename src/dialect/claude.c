/*
 * claude - hooks written for Claude Code.
 *
 *   output            exit 0                    exit 2                      any other exit
 *   none              no opinion                block, stderr is why        a failed run
 *   a JSON answer     obeyed                    block whatever it says      obeyed
 *   a bad JSON answer a failed run              block, stderr is why        a failed run
 *   other text        context where it is       block, stderr is why        a failed run
 *                     taken, else ignored
 *
 * What "block" is depends on the event: after a tool it is a text for the model, at a stop a
 * follow-up message. docs/claude.md has the tables.
 *
 * Tests: tests/unit/dialect/test_claude_*.c, tests/e2e/test_claude.py
 */
#include "base/path.h"
#include "dialect/agent.h"
#include "dialect/claude_decode.h"
#include "dialect/claude_filter.h"
#include "dialect/claude_merge.h"
#include "dialect/claude_payload.h"
#include "dialect/scrub.h"

static const struct claude_rules rules = {
    .system = TOOLS_CLAUDE,
    .outcome = {
        /*                    none            answer         bad           text          */
        [EXIT_IS_0]     = { ACTION_NOTHING, ACTION_OBEY, ACTION_BAD,   ACTION_TEXT },
        [EXIT_IS_2]     = { ACTION_FORCE,   ACTION_BOTH, ACTION_FORCE, ACTION_FORCE },
        [EXIT_IS_OTHER] = { ACTION_FAIL,    ACTION_OBEY, ACTION_FAIL,  ACTION_FAIL },
    },
    .at = {
        /* exit code 2, decision: block, continue: false, plain text, additionalContext */
        [CLAUDE_SESSION_START] = CLAUDE_EFFECTS(SAY, NONE, STOP, INJECT, INJECT),
        [CLAUDE_SUBAGENT_START] = CLAUDE_EFFECTS(SAY, NONE, STOP, IGNORE, INJECT),
        [CLAUDE_PROMPT] = CLAUDE_EFFECTS(BLOCK, BLOCK, STOP, INJECT, INJECT),
        [CLAUDE_BEFORE] = CLAUDE_EFFECTS(BLOCK, BLOCK, STOP, IGNORE, INJECT),
        [CLAUDE_ASKED] = CLAUDE_EFFECTS(FAIL, NONE, BLOCK, IGNORE, NONE),
        [CLAUDE_AFTER] = CLAUDE_EFFECTS(INJECT, INJECT, STOP, IGNORE, INJECT),
        [CLAUDE_FAILED] = CLAUDE_EFFECTS(INJECT, INJECT, STOP, IGNORE, INJECT),
        [CLAUDE_STOP] = CLAUDE_EFFECTS(CONTINUE, CONTINUE, STOP, IGNORE, CONTINUE),
        [CLAUDE_SUBAGENT_STOP] = CLAUDE_EFFECTS(CONTINUE, CONTINUE, STOP, IGNORE, CONTINUE),
        [CLAUDE_STOP_FAILURE] = CLAUDE_EFFECTS(FAIL, NONE, NONE, IGNORE, NONE),
        [CLAUDE_COMPACTING] = CLAUDE_EFFECTS(BLOCK, BLOCK, BLOCK, IGNORE, NONE),
        [CLAUDE_COMPACTED] = CLAUDE_EFFECTS(SAY, NONE, NONE, IGNORE, NONE),
        [CLAUDE_NOTIFICATION] = CLAUDE_EFFECTS(FAIL, NONE, NONE, IGNORE, NONE),
        [CLAUDE_SESSION_END] = CLAUDE_EFFECTS(SAY, NONE, NONE, IGNORE, NONE),
    },
    .allowed = DECISION_ALLOW,
};

static bool speaks(enum point point)
{
    return claude_speaks(TOOLS_CLAUDE, point);
}

static uint32_t timeout_at(enum point point)
{
    if (point == POINT_SESSION_ENDED)
        return 1500;
    return point == POINT_CHAT_MESSAGE ? 30000 : 600000;
}

static const struct json *encode(struct arena *a, const struct dialect_event *ev)
{
    return claude_payload(a, TOOLS_CLAUDE, ev->event);
}

/* Where Claude Code sends its own measurements is nothing to its hooks. */
static bool is_kept_back(const char *name)
{
    return strncmp(name, "OTEL_", 5) == 0;
}

static const char *const *variables(struct arena *a, const struct dialect_event *ev)
{
    size_t count;
    const char **env = scrub_environment(a, is_kept_back, 4, &count);
    const char *cwd = ev->event->session.cwd;

    env[count++] = "CLAUDECODE=1";
    env[count++] = "CLAUDE_CODE_CHILD_SESSION=1";
    env[count++] = arena_printf(a, "CLAUDE_CODE_SESSION_ID=%s", claude_session_id(ev->event));
    if (cwd)
        env[count++] = arena_printf(a, "CLAUDE_PROJECT_DIR=%s", path_workspace(a, cwd));
    return env;
}

static int decode(struct arena *a, const struct dialect_event *ev, const struct proc_result *run,
                  const struct dialect_answer *answer, struct err *e)
{
    return claude_decode(a, &rules, ev, run, answer, e);
}

static int filter_new(struct arena *a, const struct dialect_wants *wants,
                      struct dialect_filter **out, struct err *e)
{
    return claude_filter_new(a, TOOLS_CLAUDE, wants, out, e);
}

static void merge(struct arena *a, const struct dialect_event *ev, const struct verdict *answers,
                  size_t count, const struct dialect_answer *out)
{
    claude_merge(a, TOOLS_CLAUDE, ev, answers, count, out);
}

const struct dialect claude_dialect = {
    .name = "claude",
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
    .agent = &claude_agent,
};
