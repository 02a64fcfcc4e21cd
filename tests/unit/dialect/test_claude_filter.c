/* Matchers and conditions of Claude Code and Codex: which events a handler wants. */
#include "answers.h"

struct wish {
    const char *dialect, *match, *condition;
    const char *event, *data;
    bool wanted;
};

static void check(const struct wish *w)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct event ev = answers_event(&a, w->event, w->data);
    const struct dialect_event seen = { .event = &ev, .as = w->event };
    const struct dialect_wants wants = { .match = w->match,
                                         .condition = w->condition,
                                         .as = w->event };
    const struct dialect *d = dialect_find(str_of(w->dialect));
    struct dialect_filter *f;
    struct err e = { 0 };
    bool got;

    if (d->filter_new(&a, &wants, &f, &e) < 0)
        fail_msg("%s: %s", w->match ? w->match : w->condition, e.msg);
    got = d->filter_test(f, &a, &seen);
    d->filter_free(f);
    if (got != w->wanted)
        fail_msg("%s, matcher '%s', if '%s': %s %s is %s", w->dialect, w->match ? w->match : "",
                 w->condition ? w->condition : "", w->event, w->data,
                 got ? "wanted" : "not wanted");
}

static void check_all(const struct wish *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check(&rows[i]);
}

#define PRE  "PreToolUse"
#define BASH "{\"tool\":\"bash\",\"args\":{\"command\":\"ls\"}}"
#define EDIT "{\"tool\":\"edit\",\"args\":{\"path\":\"a.ts\"}}"

/* CL-2 */
static void claude_matchers(void **state UNUSED)
{
    static const struct wish rows[] = {
        { "claude", NULL, NULL, PRE, BASH, true },
        { "claude", "", NULL, PRE, BASH, true },
        { "claude", "*", NULL, PRE, BASH, true },
        { "claude", "Bash", NULL, PRE, BASH, true },
        { "claude", "bash", NULL, PRE, BASH, false },
        { "claude", "Bas", NULL, PRE, BASH, false },
        { "claude", "Edit|Bash", NULL, PRE, BASH, true },
        { "claude", "Edit | Bash", NULL, PRE, BASH, true },
        { "claude", "Bash,PowerShell", NULL, PRE, BASH, true },
        { "claude", "Edit|Write", NULL, PRE, BASH, false },
        { "claude", "Edit.*", NULL, PRE, EDIT, true },
        { "claude", "di", NULL, PRE, EDIT, false },
        { "claude", "di.", NULL, PRE, EDIT, true }, /* an expression matches anywhere */
        { "claude", "^di.", NULL, PRE, EDIT, false },
        { "claude", "Task", NULL, PRE, "{\"tool\":\"task\"}", true },
        { "claude", "Agent", NULL, PRE, "{\"tool\":\"task\"}", true },
        { "claude", "mcp__memory", NULL, PRE, "{\"tool\":\"mcp__memory__get\"}", false },
        { "claude", "mcp__memory__.*", NULL, PRE, "{\"tool\":\"mcp__memory__get\"}", true },
        { "claude", "Bash", NULL, "PostToolUse", BASH, true },
        { "claude", "Bash", NULL, "PostToolUseFailure", EDIT, false },
        { "claude", "Bash", NULL, "PermissionRequest", BASH, true },
        { "claude", "resume", NULL, "SessionStart", "{\"source\":\"resume\"}", true },
        { "claude", "resume", NULL, "SessionStart", "{}", false },
        { "claude", "clear|other", NULL, "SessionEnd", "{\"reason\":\"clear\"}", true },
        { "claude", "idle_prompt", NULL, "Notification", "{\"kind\":\"idle_prompt\"}", true },
        { "claude", "manual", NULL, "PreCompact", "{\"trigger\":\"hook\"}", false },
        { "claude", "auto", NULL, "PostCompact", "{\"trigger\":\"hook\"}", true },
        { "claude", "general-purpose", NULL, "SubagentStop", "{}", true },
        { "claude", "purpose", NULL, "SubagentStart", "{}", false },
        { "claude", "rate_limit", NULL, "StopFailure", "{\"error\":{\"class\":\"rate_limit\"}}",
          true },
        { "claude", "rate, x", NULL, "StopFailure", "{\"error\":{\"class\":\"rate, x y\"}}", true },
        { "claude", "nothing", NULL, "UserPromptSubmit", "{}", true },
        { "claude", "[", NULL, "Stop", "{}", true },
    };

    check_all(rows, ARRAY_LEN(rows));
}

/* CL-2: a name with a hyphen is compared as a whole. */
static void a_hyphen_is_part_of_a_name(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct event ev = answers_event(&a, "SubagentStop", "{}");
    const struct dialect_event seen = { .event = &ev };
    const struct dialect_wants wants = { .match = "code-reviewer" };
    const struct dialect *d = dialect_find(STR("claude"));
    struct dialect_filter *f;

    assert_int_equal(d->filter_new(&a, &wants, &f, NULL), 0);
    ev.session.agent = "senior-code-reviewer";
    assert_false(d->filter_test(f, &a, &seen));
    ev.session.agent = "code-reviewer";
    assert_true(d->filter_test(f, &a, &seen));
    d->filter_free(f);
}

static void codex_matchers(void **state UNUSED)
{
    static const struct wish rows[] = {
        /* CX-1 */
        { "codex", NULL, NULL, PRE, BASH, true },
        { "codex", "*", NULL, PRE, BASH, true },
        { "codex", "", NULL, PRE, BASH, true },
        /* CX-2 */
        { "codex", "Bash", NULL, PRE, BASH, true },
        { "codex", "Bash", NULL, PRE, "{\"tool\":\"BashOutput\"}", false },
        { "codex", "mcp__memory", NULL, PRE, "{\"tool\":\"mcp__memory__x\"}", false },
        /* CX-3 */
        { "codex", "Edit|Bash", NULL, PRE, BASH, true },
        { "codex", "Edit|", NULL, PRE, BASH, false },
        /* CX-4 */
        { "codex", "^Ba", NULL, PRE, BASH, true },
        { "codex", "^as", NULL, PRE, BASH, false },
        { "codex", "mcp__.*__x", NULL, PRE, "{\"tool\":\"mcp__memory__x\"}", true },
        { "codex", "Edit, Bash", NULL, PRE, BASH, false }, /* an expression here */
        { "codex", "a-b", NULL, "SubagentStart", "{}", false },
        /* CX-6 */
        { "codex", "[", NULL, "UserPromptSubmit", "{}", true },
        { "codex", "[", NULL, "Stop", "{}", true },
        /* CX-8 */
        { "codex", "Write", NULL, PRE, "{\"tool\":\"apply_patch\"}", true },
        { "codex", "^Edit$", NULL, PRE, "{\"tool\":\"apply_patch\"}", true },
        { "codex", "apply_patch", NULL, PRE, EDIT, true },
        { "codex", "Agent", NULL, PRE, "{\"tool\":\"task\"}", true },
        { "codex", "spawn_agent", NULL, PRE, "{\"tool\":\"task\"}", true },
        { "codex", "exec_command", NULL, PRE, BASH, false },
        /* CX-9 */
        { "codex", "manual", NULL, "PreCompact", "{\"trigger\":\"manual\"}", true },
        { "codex", "auto", NULL, "PostCompact", "{\"trigger\":\"manual\"}", false },
        { "codex", "other", NULL, "SessionEnd", "{\"reason\":\"clear\"}", true },
        { "codex", "clear", NULL, "SessionEnd", "{\"reason\":\"clear\"}", false },
        { "codex", "startup", NULL, "SessionStart", "{}", true },
        /* no such event there */
        { "codex", NULL, NULL, "PostToolUseFailure", BASH, false },
        { "codex", NULL, NULL, "PostToolUse", BASH, true },
        { "codex", NULL, NULL, "Notification", "{}", false },
    };

    check_all(rows, ARRAY_LEN(rows));
}

static void a_subagents_session_does_not_end_for_them(void **state UNUSED)
{
    static const char *const names[] = { "claude", "codex" };

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        struct event ev = answers_event(&a, "SessionEnd", "{}");
        const struct dialect_event seen = { .event = &ev };
        const struct dialect *d = dialect_find(str_of(names[i]));
        struct dialect_filter *f;

        assert_int_equal(d->filter_new(&a, &(struct dialect_wants){ 0 }, &f, NULL), 0);
        assert_true(d->filter_test(f, &a, &seen));
        ev.session.parent = "s0";
        assert_false(d->filter_test(f, &a, &seen));
        d->filter_free(f);
    }
}

static void what_is_no_filter_is_an_error(void **state UNUSED)
{
    static const struct {
        const char *dialect, *match, *condition, *as, *says;
    } rows[] = {
        { "claude", "[", NULL, PRE, "matcher '['" },
        { "codex", "(", NULL, PRE, "matcher '('" }, /* CX-5 */
        { "codex", "(", NULL, NULL, "matcher '('" },
        { "claude", NULL, "Bash(git *", PRE, "a bracket is not closed" },
        { "claude", NULL, "Bash(git *) Edit", PRE, "not closed" },
        { "claude", NULL, "Bash, Edit", PRE, "is no permission rule" },
        { "claude", NULL, "", PRE, "begins with the name of a tool" },
        { "claude", NULL, "(git *)", PRE, "begins with the name of a tool" },
        { "codex", NULL, "Bash(git *)", PRE, "claude hooks only" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        const struct dialect_wants wants = { rows[i].match, rows[i].condition, rows[i].as };
        struct dialect_filter *f;
        struct err e = { 0 };

        assert_true(dialect_find(str_of(rows[i].dialect))->filter_new(&a, &wants, &f, &e) < 0);
        if (!strstr(e.msg, rows[i].says))
            fail_msg("'%s' is not in '%s'", rows[i].says, e.msg);
    }
}

/* CL-3 */
static void an_if_is_for_tools_only(void **state UNUSED)
{
    static const struct wish rows[] = {
        { "claude", NULL, "Bash(ls *)", PRE, BASH, true },
        { "claude", NULL, "Bash(ls *)", "PostToolUse", BASH, true },
        { "claude", NULL, "Bash(ls *)", "PermissionRequest", BASH, true },
        { "claude", NULL, "Bash", "Stop", "{}", false },
        { "claude", NULL, "Bash", "UserPromptSubmit", "{}", false },
        { "claude", "Edit", "Bash", PRE, BASH, false },
        { "claude", "Bash", "Bash(git *)", PRE, BASH, false },
    };

    check_all(rows, ARRAY_LEN(rows));
}

TESTS(cmocka_unit_test(claude_matchers), cmocka_unit_test(a_hyphen_is_part_of_a_name),
      cmocka_unit_test(codex_matchers), cmocka_unit_test(a_subagents_session_does_not_end_for_them),
      cmocka_unit_test(what_is_no_filter_is_an_error), cmocka_unit_test(an_if_is_for_tools_only))
