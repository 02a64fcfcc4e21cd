/* What the answers of handlers add up to where a dialect has no rules of its own. */
#include "dialect/dialect.h"
#include "test.h"

#define ANSWERS_MAX 3

/* The verdict of answers in our own JSON, and the warnings after it, a line each. */
static const char *merged(struct arena *a, const char *const *answers)
{
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct verdict list[ANSWERS_MAX] = { 0 }, v = { 0 };
    struct dialect_answer out = { &v, &warnings };
    size_t count = 0;

    for (; answers[count]; count++) {
        const struct json *j;

        assert_int_equal(json_parse(a, str_of(answers[count]), NULL, &j, NULL), 0);
        assert_int_equal(verdict_from_json(a, j, &list[count], &warnings, NULL), 0);
    }
    dialect_merge(a, NULL, list, count, &out);
    return arena_printf(a, "%s%s%s\n%s", json_text(a, verdict_to_json(a, &v)),
                        v.modify ? " modify " : "", v.modify ? json_text(a, v.modify) : "",
                        strbuf_cstr(&warnings));
}

static void answers_add_up(void **state UNUSED)
{
    static const struct {
        const char *answers[ANSWERS_MAX + 1], *verdict;
    } rows[] = {
        { { "{}" }, "{}\n" },
        { { "{\"decision\":\"allow\",\"reason\":\"a\"}", "{}" },
          "{\"decision\":\"allow\",\"reason\":\"a\"}\n" },
        { { "{\"decision\":\"allow\",\"reason\":\"a\"}",
            "{\"decision\":\"block\",\"reason\":\"b\"}",
            "{\"decision\":\"block\",\"reason\":\"c\"}" },
          "{\"decision\":\"block\",\"reason\":\"b\"}\n" },
        { { "{\"decision\":\"ask\",\"reason\":\"a\"}", "{\"decision\":\"allow\"}" },
          "{\"decision\":\"ask\",\"reason\":\"a\"}\n" },
        { { "{\"stop\":\"a\",\"say\":\"1\"}", "{\"stop\":\"b\",\"say\":\"2\"}" },
          "{\"stop\":\"a\",\"say\":\"1\\n2\"}\n" },
        { { "{\"replace\":{\"args\":1,\"output\":2}}", "{\"replace\":{\"args\":3}}" },
          "{\"replace\":{\"output\":2,\"args\":3}}\ntwo handlers change 'args', the later one "
          "counts\n" },
        { { "{\"replace\":{\"args\":1}}", "{\"modify\":{\"args\":{\"x\":1}}}" },
          "{\"replace\":{}} modify {\"args\":{\"x\":1}}\ntwo handlers change 'args', the later one "
          "counts\n" },
        { { "{\"modify\":{\"args\":{\"x\":1}}}", "{\"modify\":{\"output\":\"y\"}}" },
          "{} modify {\"args\":{\"x\":1},\"output\":\"y\"}\n" },
        { { "{\"result\":\"continue\",\"follow_up_messages\":[\"a\"]}",
            "{\"result\":\"callback\",\"callback\":\"b\",\"callback_args\":{\"c\":1}}",
            "{\"result\":\"continue\",\"follow_up_messages\":[\"d\"]}" },
          "{\"result\":\"callback\",\"callback\":\"b\",\"callback_args\":{\"c\":1},"
          "\"follow_up_messages\":[\"a\",\"d\"]}\n" },
        { { "{\"result\":\"callback\",\"callback\":\"a\"}",
            "{\"result\":\"mutate\",\"messages\":[{\"role\":\"user\",\"content\":\"b\"}]}" },
          "{\"result\":\"callback\",\"callback\":\"a\"}\na second mutate was ignored, an earlier "
          "handler had decided\n" },
        { { "{\"model\":\"a\"}", "{\"model\":\"b\"}" },
          "{\"model\":\"a\"}\na second model was ignored, an earlier handler had decided\n" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(arena) struct arena a = { 0 };

        assert_string_equal(merged(&a, rows[i].answers), rows[i].verdict);
    }
}

static void all_injections_are_kept_in_order(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct verdict list[3] = { 0 }, v = { 0 };
    struct dialect_answer out = { &v, &warnings };

    verdict_inject(&a, &list[0], "a", "1");
    verdict_inject(&a, &list[0], "b", "2");
    verdict_inject(&a, &list[2], "c", "3");
    dialect_merge(&a, NULL, list, 3, &out);
    assert_string_equal(v.injections->id, "a");
    assert_string_equal(v.injections->next->id, "b");
    assert_string_equal(v.injections->next->next->id, "c");
    assert_null(v.injections->next->next->next);
}

TESTS(cmocka_unit_test(answers_add_up), cmocka_unit_test(all_injections_are_kept_in_order))
