#include "bed.h"
#include "builtin/builtin.h"

#define LS "{\"tool\":\"bash\",\"args\":{\"command\":\"ls\"}}"

static void refuses_the_fourth_identical_call(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, NULL);
    for (int i = 0; i < 3; i++) {
        bed_emit(&bed, "tool.execute.before", LS);
        assert_int_equal(bed.receipt.verdict.decision, DECISION_NONE);
    }
    bed_emit(&bed, "tool.execute.before", LS);
    assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
    assert_non_null(strstr(bed.receipt.verdict.reason, "same arguments as the 3 before it"));
}

static void another_call_starts_the_count_again(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, "hooks: [{ name: loop-guard, limit: 1 }]");
    bed_emit(&bed, "tool.execute.before", LS);
    bed_emit(&bed, "tool.execute.before", "{\"tool\":\"read\",\"args\":{\"command\":\"ls\"}}");
    assert_int_equal(bed.receipt.verdict.decision, DECISION_NONE);
    bed_emit(&bed, "tool.execute.before", LS);
    assert_int_equal(bed.receipt.verdict.decision, DECISION_NONE);
    bed_emit(&bed, "tool.execute.before", LS);
    assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
}

static void a_rerun_on_changed_arguments_does_not_count(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks,
             "hooks:\n  - { name: loop-guard, limit: 2 }\n"
             "  - { name: change, on: tool.execute.before, replace: { args: { command: x } } }\n");
    for (int i = 0; i < 2; i++) {
        bed_emit(&bed, "tool.execute.before", LS);
        assert_int_equal(bed.receipt.verdict.decision, DECISION_NONE);
    }
}

static void sessions_are_apart(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, "hooks: [{ name: loop-guard, limit: 1 }]");
    bed_emit(&bed, "tool.execute.before", LS);
    bed.session.id = "s2";
    bed_emit(&bed, "tool.execute.before", LS);
    assert_int_equal(bed.receipt.verdict.decision, DECISION_NONE);
}

static void order_and_description_make_no_difference(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, "hooks: [{ name: loop-guard, limit: 1 }]");
    bed_emit(&bed, "tool.execute.before",
             "{\"tool\":\"bash\",\"args\":{\"command\":\"ls\",\"timeout\":5,"
             "\"description\":\"Look\"}}");
    bed_emit(&bed, "tool.execute.before",
             "{\"tool\":\"bash\",\"args\":{\"description\":\"Look again\", \"timeout\": 5,"
             "\"command\":\"ls\"}}");
    assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
}

static void values_and_their_places_make_a_difference(void **state UNUSED)
{
    static const char *const args[] = {
        "{\"a\":1,\"b\":2}",
        "{\"a\":2,\"b\":1}",
        "{\"a\":[1,2]}",
        "{\"a\":[2,1]}",
        "{\"a\":\"1\"}",
        "{\"a\":{\"b\":null}}",
        "{\"a\":null}",
        "[]",
        "null",
    };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, "hooks: [{ name: loop-guard, limit: 1 }]");
    for (size_t i = 0; i < ARRAY_LEN(args); i++) {
        bed_emit(&bed, "tool.execute.before",
                 arena_printf(&bed.arena, "{\"tool\":\"x\",\"args\":%s}", args[i]));
        assert_int_equal(bed.receipt.verdict.decision, DECISION_NONE);
    }
}

static void a_message_of_a_person_starts_the_count_again(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks, "hooks: [{ name: loop-guard, limit: 1 }]");
    bed_emit(&bed, "tool.execute.before", LS);
    bed_emit(&bed, "chat.message", "{\"message\":{\"text\":\"Go on.\",\"internal\":true}}");
    bed_emit(&bed, "tool.execute.before", LS);
    assert_int_equal(bed.receipt.verdict.decision, DECISION_BLOCK);
    bed_emit(&bed, "chat.message", "{\"message\":{\"text\":\"Once more.\"}}");
    bed_emit(&bed, "tool.execute.before", LS);
    assert_int_equal(bed.receipt.verdict.decision, DECISION_NONE);
}

TESTS(cmocka_unit_test(refuses_the_fourth_identical_call),
      cmocka_unit_test(another_call_starts_the_count_again),
      cmocka_unit_test(a_rerun_on_changed_arguments_does_not_count),
      cmocka_unit_test(sessions_are_apart),
      cmocka_unit_test(order_and_description_make_no_difference),
      cmocka_unit_test(values_and_their_places_make_a_difference),
      cmocka_unit_test(a_message_of_a_person_starts_the_count_again))
