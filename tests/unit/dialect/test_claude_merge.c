/* What handlers that ran side by side say together; answers in configured order. */
#include "answers.h"

struct together {
    const char *row, *dialect, *event;
    const char *answers[4]; /* verdicts in our JSON */
    const char *merged;
};

static void check(const struct together *t)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct event ev = answers_event(&a, t->event, "{\"tool\":\"bash\"}");
    const struct dialect_event seen = { .event = &ev };
    struct verdict *answers = arena_array(&a, struct verdict, 4), v = { 0 };
    const struct dialect_answer out = { &v, &warnings };
    size_t count = 0;
    const char *got;

    for (; count < 4 && t->answers[count]; count++)
        assert_int_equal(verdict_from_json(&a, value_of(&a, t->answers[count]), &answers[count],
                                           &warnings, NULL),
                         0);
    dialect_find(str_of(t->dialect))->merge(&a, &seen, answers, count, &out);
    got = json_text(&a, verdict_to_json(&a, &v));
    if (strcmp(got, t->merged) != 0)
        fail_msg("%s: %s", t->row, got);
    assert_int_equal(warnings.len, 0);
}

#define PRE         "PreToolUse"
#define ALLOW       "{\"decision\":\"allow\",\"reason\":\"fine\"}"
#define ASK         "{\"decision\":\"ask\",\"reason\":\"sure?\"}"
#define BLOCK(why)  "{\"decision\":\"block\",\"reason\":\"" why "\"}"
#define ARGS(x)     "{\"replace\":{\"args\":{\"command\":\"" x "\"}}}"
#define CONTEXT(x)  "{\"inject\":[{\"id\":\"additionalContext\",\"text\":\"" x "\"}]}"
#define CONTINUE(x) "{\"result\":\"continue\",\"follow_up_messages\":[" x "]}"

static void claude_adds_up(void **state UNUSED)
{
    static const struct together rows[] = {
        { "nobody", "claude", PRE, { NULL }, "{}" },
        { "CL-6 deny > ask > allow",
          "claude",
          PRE,
          { ALLOW, ASK, BLOCK("no"), ALLOW },
          BLOCK("no") },
        { "CL-6 ask > allow", "claude", PRE, { ALLOW, ASK }, ASK },
        { "CL-5 the first of two denials", "claude", PRE, { BLOCK("a"), BLOCK("b") }, BLOCK("a") },
        { "CL-6 all contexts",
          "claude",
          PRE,
          { CONTEXT("x"), BLOCK("no"), CONTEXT("y") },
          "{\"decision\":\"block\",\"reason\":\"no\",\"inject\":[{\"id\":\"additionalContext\","
          "\"text\":\"x\",\"priority\":\"normal\"},{\"id\":\"additionalContext\",\"text\":\"y\","
          "\"priority\":\"normal\"}]}" },
        { "the last change", "claude", PRE, { ARGS("a"), ARGS("b") }, ARGS("b") },
        { "no change beside a block", "claude", PRE, { ARGS("a"), BLOCK("no") }, BLOCK("no") },
        { "words to the person",
          "claude",
          PRE,
          { "{\"say\":\"a\"}", "{}", "{\"say\":\"b\"}" },
          "{\"say\":\"a\\nb\"}" },
        { "the first stop",
          "claude",
          PRE,
          { "{\"stop\":\"a\"}", "{\"stop\":\"b\"}", ARGS("x") },
          "{\"stop\":\"a\"}" },
        { "all follow-ups",
          "claude",
          "Stop",
          { CONTINUE("\"a\""), CONTINUE("\"b\",\"c\"") },
          CONTINUE("\"a\",\"b\",\"c\"") },
        { "a stop beats follow-ups",
          "claude",
          "Stop",
          { CONTINUE("\"a\""), "{\"stop\":\"b\"}" },
          "{\"stop\":\"b\"}" },
        { "another output",
          "claude",
          "PostToolUse",
          { "{\"replace\":{\"output\":\"a\"}}", "{\"replace\":{\"output\":\"b\"}}" },
          "{\"replace\":{\"output\":\"b\"}}" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(&rows[i]);
}

static void codex_adds_up(void **state UNUSED)
{
    static const struct together rows[] = {
        { "first reason in configured order",
          "codex",
          PRE,
          { BLOCK("a"), BLOCK("b") },
          BLOCK("a") },
        { "CX-13 last rewrite wins", "codex", PRE, { ARGS("a"), ARGS("b") }, ARGS("b") },
        { "rewrite dropped beside a block",
          "codex",
          PRE,
          { ARGS("a"), BLOCK("b"), ARGS("c") },
          BLOCK("b") },
        { "CX-22 deny after allow wins",
          "codex",
          "PermissionRequest",
          { ALLOW, BLOCK("no") },
          BLOCK("no") },
        { "CX-23 allow when none denies", "codex", "PermissionRequest", { "{}", ALLOW }, ALLOW },
        { "CX-24 none when silent", "codex", "PermissionRequest", { "{}", "{}" }, "{}" },
        { "feedback after a tool is joined",
          "codex",
          "PostToolUse",
          { BLOCK("a"), BLOCK("b") },
          BLOCK("a\\n\\nb") },
        { "CX-42 reasons joined",
          "codex",
          "Stop",
          { CONTINUE("\"a\""), "{}", CONTINUE("\"b\"") },
          CONTINUE("\"a\\n\\nb\"") },
        { "CX-38 continue: false suppresses blocks",
          "codex",
          "Stop",
          { CONTINUE("\"a\""), "{\"stop\":\"b\"}", "{\"stop\":\"c\"}" },
          "{\"stop\":\"b\"}" },
        { "a prompt stopped, first reason",
          "codex",
          "UserPromptSubmit",
          { "{}", "{\"stop\":\"a\"}", "{\"stop\":\"b\"}" },
          "{\"stop\":\"a\"}" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(&rows[i]);
}

TESTS(cmocka_unit_test(claude_adds_up), cmocka_unit_test(codex_adds_up))
