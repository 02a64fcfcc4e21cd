/* That no built-in breaks the rule: tests/unit/builtin/test_cache_safety.c. Here: what is found. */
#include "bed.h"
#include "embed/verify.h"

#define SYSTEM   "experimental.chat.system.transform"
#define MESSAGES "experimental.chat.messages.transform"

static int verify(struct bed *bed, const char *yaml, struct verify_break *broken)
{
    struct verify v = { .session = "v1", .turns = 3, .seed = 1 };
    struct err e = { 0 };
    int r;

    bed_open(bed, NULL, yaml);
    assert_null(bed_problem(bed));
    v.engine = bed->engine;
    r = verify_run(&v, &bed->arena, broken, &e);
    if (r < 0)
        fail_msg("%s", e.msg);
    return r;
}

static void rules_that_say_the_same_are_fine(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct verify_break b;

    assert_int_equal(verify(&bed,
                            "hooks: [{ name: a, on: " SYSTEM ", inject: be kind },"
                            " { name: b, on: tool.execute.after, inject: look },"
                            " { name: c, on: chat.message, inject: listen }]",
                            &b),
                     0);
}

static void a_command_that_says_something_else_each_time_is_found(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct verify_break b;

    assert_int_equal(verify(&bed,
                            "hooks: [{ name: a, on: " SYSTEM ", exec: 'n=$(date +%N);"
                            " echo \"{\\\"inject\\\":[{\\\"text\\\":\\\"at $n\\\"}]}\"' }]",
                            &b),
                     1);
    assert_int_equal(b.request, 2);
    assert_string_equal(b.where, "the system prompt");
    assert_non_null(strstr(b.before, "at "));
}

static void a_rule_that_comes_and_goes_is_found(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct verify_break b;

    assert_int_equal(verify(&bed,
                            "hooks: [{ name: a, on: " SYSTEM ", inject: half way,"
                            " when: \"todos[3].status == 'completed'\" }]",
                            &b),
                     1);
    assert_true(b.request > 2);
    assert_string_not_equal(b.before, b.after);
}

static void what_is_volatile_may_change(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct verify_break b;

    assert_int_equal(verify(&bed,
                            "hooks: [{ name: a, on: " SYSTEM ", place: tail, inject: half way,"
                            " when: \"todos[3].status == 'completed'\" }]",
                            &b),
                     0);
}

static void a_hook_that_stops_everything_breaks_nothing(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct verify_break b;

    assert_int_equal(verify(&bed, "hooks: [{ name: a, on: " MESSAGES ", stop: enough }]", &b), 0);
}

TESTS(cmocka_unit_test(rules_that_say_the_same_are_fine),
      cmocka_unit_test(a_command_that_says_something_else_each_time_is_found),
      cmocka_unit_test(a_rule_that_comes_and_goes_is_found),
      cmocka_unit_test(what_is_volatile_may_change),
      cmocka_unit_test(a_hook_that_stops_everything_breaks_nothing))
