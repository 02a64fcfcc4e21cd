/* What every outcome of a run means, row by row. */
#include "dialect/dialect.h"
#include "test.h"

struct row {
    enum point point;
    int exit_code;
    const char *out, *err;
    const char *verdict; /* NULL: a failed run */
    const char *says;    /* the failure, or a warning */
};

static void check(const struct row *row)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(proc_result)
    struct proc_result run = { .end = PROC_EXITED, .exit_code = row->exit_code };
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct event ev = { .point = row->point, .session = { .id = "s" } };
    struct verdict v = { 0 };
    const struct dialect_event seen = { .event = &ev };
    const struct dialect_answer answer = { &v, &warnings };
    struct err e = { 0 };
    int r;

    strbuf_addstr(&run.out.text, row->out);
    strbuf_addstr(&run.err.text, row->err);
    r = dialect_find(STR("native"))->decode(&a, &seen, &run, &answer, &e);
    if ((r == 0) != (row->verdict != NULL))
        fail_msg("exit %d, '%s': %s", row->exit_code, row->out, r < 0 ? e.msg : "did not fail");
    if (row->verdict)
        assert_string_equal(json_text(&a, verdict_to_json(&a, &v)), row->verdict);
    if (row->says && !strstr(r < 0 ? e.msg : strbuf_cstr(&warnings), row->says))
        fail_msg("'%s' is not in '%s'", row->says, r < 0 ? e.msg : strbuf_cstr(&warnings));
}

static void every_outcome_has_its_meaning(void **state UNUSED)
{
    static const struct row rows[] = {
        { POINT_TOOL_EXECUTE_BEFORE, 0, "", "", "{}", NULL },
        { POINT_TOOL_EXECUTE_BEFORE, 0, " \n", "noise", "{}", NULL },
        { POINT_TOOL_EXECUTE_BEFORE, 0, "{\"decision\":\"allow\"}\n", "",
          "{\"decision\":\"allow\"}", NULL },
        { POINT_CHAT_MESSAGE, 0, "remember\nthis\n", "",
          "{\"inject\":[{\"id\":\"stdout\",\"text\":\"remember\\nthis\",\"priority\":\"normal\"}]}",
          NULL },
        { POINT_SESSION_IDLE, 0, "all done", "", "{\"say\":\"all done\"}", NULL },
        { POINT_TOOL_EXECUTE_BEFORE, 2, "", "not in here\n",
          "{\"decision\":\"block\",\"reason\":\"not in here\"}", NULL },
        { POINT_TOOL_EXECUTE_BEFORE, 2, "{\"decision\":\"allow\"}", "no",
          "{\"decision\":\"block\",\"reason\":\"no\"}", NULL },
        { POINT_TOOL_EXECUTE_BEFORE, 2, "", "",
          "{\"decision\":\"block\",\"reason\":\"blocked without a reason\"}", NULL },
        { POINT_TOOL_EXECUTE_BEFORE, 1, "{\"decision\":\"block\"}", "\n  cannot find it\nmore\n",
          NULL, "exited with code 1: cannot find it" },
        { POINT_TOOL_EXECUTE_BEFORE, 127, "", "", NULL, "exited with code 127" },
        { POINT_TOOL_EXECUTE_BEFORE, 0, "{\"decision\":\"block\"", "", NULL,
          "gave a bad answer: line 1" },
        { POINT_TOOL_EXECUTE_BEFORE, 0, "{\"decision\":\"block\"} {}", "", NULL,
          "gave a bad answer" },
        { POINT_TOOL_EXECUTE_BEFORE, 0, "{\"colour\":1}", "", "{}", "unknown field 'colour'" },
        { POINT_CHAT_MESSAGE, 0, "[1,2]", "",
          "{\"inject\":[{\"id\":\"stdout\",\"text\":\"[1,2]\",\"priority\":\"normal\"}]}", NULL },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(&rows[i]);
}

static void an_answer_that_was_cut_is_no_answer(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(proc_result) struct proc_result run = { .end = PROC_EXITED };
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct event ev = { .point = POINT_CHAT_MESSAGE };
    struct verdict v = { 0 };
    const struct dialect_event seen = { .event = &ev };
    const struct dialect_answer answer = { &v, &warnings };
    struct err e = { 0 };

    strbuf_addstr(&run.out.text, "{}");
    run.out.text.truncated = true;
    assert_true(dialect_find(STR("native"))->decode(&a, &seen, &run, &answer, &e) < 0);
    assert_non_null(strstr(e.msg, "wrote more than"));
}

static void observers_are_told_what_was_decided(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct event ev = { .point = POINT_SESSION_IDLE, .session = { .id = "s" } };
    struct verdict final = { .decision = DECISION_BLOCK, .reason = "no" };
    struct dialect_event told = { .event = &ev, .final = &final };
    const struct json *j = dialect_find(STR("native"))->encode(&a, &told);

    assert_string_equal(json_text(&a, json_get(j, STR("verdict"))),
                        "{\"decision\":\"block\",\"reason\":\"no\"}");
    told.final = NULL;
    assert_null(json_get(dialect_find(STR("native"))->encode(&a, &told), STR("verdict")));
}

static void an_unknown_dialect_is_none(void **state UNUSED)
{
    assert_null(dialect_find(STR("klingon")));
    assert_null(dialect_find((struct str){ 0 }));
}

TESTS(cmocka_unit_test(every_outcome_has_its_meaning),
      cmocka_unit_test(an_answer_that_was_cut_is_no_answer),
      cmocka_unit_test(observers_are_told_what_was_decided),
      cmocka_unit_test(an_unknown_dialect_is_none))
