#include "bed.h"
#include "builtin/builtin.h"

static void two_events_at_once_make_one_remark(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const struct store_key mark = { "s1", "context-monitor", "@once/window" };

    bed_open(&bed, builtin_hooks, "");
    assert_int_equal(json_parse(&bed.arena,
                                STR("{\"current_context_window\":90,\"max_context_window\":100}"),
                                NULL, &bed.session.usage, NULL),
                     0);
    assert_int_equal(store_set(bed.store, &mark, STR("1"), NULL), 0);
    bed_emit(&bed, "tool.execute.after", "{\"tool\":\"bash\",\"output\":\"x\"}");
    assert_null(bed.receipt.verdict.injections);
    assert_true(bed_ran(&bed, "context-monitor"));
}

TESTS(cmocka_unit_test(two_events_at_once_make_one_remark))
