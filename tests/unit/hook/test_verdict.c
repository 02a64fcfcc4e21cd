#include "hook/verdict.h"
#include "test.h"

static struct arena arena;

static struct verdict read_verdict(const char *text, struct strbuf *warnings)
{
    const struct json *j;
    struct verdict v = { 0 };

    assert_int_equal(json_parse(&arena, str_of(text), NULL, &j, NULL), 0);
    assert_int_equal(verdict_from_json(&arena, j, &v, warnings, NULL), 0);
    return v;
}

static const char *text_of(const struct verdict *v)
{
    return json_text(&arena, verdict_to_json(&arena, v));
}

static void every_field_survives_a_round_trip(void **state UNUSED)
{
    static const char text[] =
        "{\"decision\":\"block\",\"reason\":\"r\",\"stop\":\"s\",\"say\":\"hi\","
        "\"replace\":{\"args\":{\"command\":\"ls\"}},"
        "\"inject\":[{\"id\":\"a\",\"text\":\"t\",\"priority\":\"high\",\"class\":\"volatile\","
        "\"place\":\"tail\",\"once\":true}],"
        "\"result\":\"callback\",\"callback\":\"compact\",\"callback_args\":{\"x\":1},"
        "\"messages\":[{\"role\":\"user\"}],\"follow_up_messages\":[\"go\"],\"model\":\"p/m\"}";
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct verdict v = read_verdict(text, &warnings);

    assert_string_equal(text_of(&v), text);
    assert_int_equal(warnings.len, 0);
}

static void an_empty_verdict_is_an_empty_object(void **state UNUSED)
{
    struct verdict v = { 0 };

    assert_true(verdict_is_empty(&v));
    assert_string_equal(text_of(&v), "{}");
}

static void unknown_fields_and_wrong_types_are_warnings(void **state UNUSED)
{
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct verdict v = read_verdict("{\"decision\":\"deny\",\"reason\":5,\"colour\":1,"
                                    "\"replace\":[],\"inject\":[{\"id\":\"x\"}]}",
                                    &warnings);

    assert_true(verdict_is_empty(&v));
    assert_non_null(strstr(warnings.buf, "'decision' must be none, allow, ask or block"));
    assert_non_null(strstr(warnings.buf, "'reason' must be a string"));
    assert_non_null(strstr(warnings.buf, "unknown field 'colour'"));
    assert_non_null(strstr(warnings.buf, "'replace' must be"));
    assert_non_null(strstr(warnings.buf, "has no text"));
}

static void a_verdict_that_is_no_object_fails(void **state UNUSED)
{
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct err e = { 0 };
    struct verdict v = { 0 };

    assert_true(verdict_from_json(&arena, json_int(&arena, 1), &v, &warnings, &e) < 0);
    assert_non_null(strstr(e.msg, "must be an object"));
}

static void inject_may_be_a_text_alone(void **state UNUSED)
{
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct verdict v = read_verdict("{\"inject\":\"hello\"}", &warnings);

    assert_string_equal(v.injections->text, "hello");
    assert_int_equal(v.injections->priority, PRIORITY_NORMAL);
}

static void ask_with_nobody_to_ask_becomes_block_and_names_the_flag(void **state UNUSED)
{
    struct verdict v = { .decision = DECISION_ASK, .reason = "risky" };

    verdict_settle_ask(&arena, &v, "--allow bash");
    assert_int_equal(v.decision, DECISION_BLOCK);
    assert_non_null(strstr(v.reason, "risky"));
    assert_non_null(strstr(v.reason, "--allow bash"));
    v = (struct verdict){ .decision = DECISION_ALLOW };
    verdict_settle_ask(&arena, &v, "--allow bash");
    assert_int_equal(v.decision, DECISION_ALLOW);
}

static int release(void **state UNUSED)
{
    arena_release(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_survives_a_round_trip),
        cmocka_unit_test(an_empty_verdict_is_an_empty_object),
        cmocka_unit_test(unknown_fields_and_wrong_types_are_warnings),
        cmocka_unit_test(a_verdict_that_is_no_object_fails),
        cmocka_unit_test(inject_may_be_a_text_alone),
        cmocka_unit_test(ask_with_nobody_to_ask_becomes_block_and_names_the_flag),
    };

    return cmocka_run_group_tests(tests, NULL, release);
}
