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

TESTS(cmocka_unit_test(refuses_the_fourth_identical_call),
      cmocka_unit_test(another_call_starts_the_count_again),
      cmocka_unit_test(a_rerun_on_changed_arguments_does_not_count),
      cmocka_unit_test(sessions_are_apart))
