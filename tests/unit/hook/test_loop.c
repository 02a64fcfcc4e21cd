#include "hook/loop.h"
#include "test.h"

static void continuations_are_capped_until_the_user_speaks(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct loop l = { 0 };
    const char *why = NULL;

    for (int i = 0; i < 3; i++) {
        assert_true(loop_continue(&l, 3, "todo", &a, &why));
        loop_tool_ran(&l);
    }
    assert_false(loop_continue(&l, 3, "todo", &a, &why));
    assert_non_null(strstr(why, "3 times in a row"));
    loop_user_spoke(&l);
    assert_true(loop_continue(&l, 3, "todo", &a, &why));
}

static void the_same_reason_twice_without_a_tool_stops_at_once(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct loop l = { 0 };
    const char *why = NULL;

    assert_true(loop_continue(&l, 8, "open todos", &a, &why));
    assert_false(loop_continue(&l, 8, "open todos", &a, &why));
    assert_non_null(strstr(why, "same reason twice"));
    assert_true(loop_continue(&l, 8, "another reason", &a, &why));
    loop_tool_ran(&l);
    assert_true(loop_continue(&l, 8, "another reason", &a, &why));
}

static void a_callback_never_starts_a_callback(void **state UNUSED)
{
    struct loop l = { 0 };
    const char *why = NULL;

    assert_true(loop_callback(&l, &why));
    assert_false(loop_callback(&l, &why));
    assert_string_equal(why, "a callback can't start a callback");
    loop_callback_ended(&l);
    assert_true(loop_callback(&l, &why));
}

TESTS(cmocka_unit_test(continuations_are_capped_until_the_user_speaks),
      cmocka_unit_test(the_same_reason_twice_without_a_tool_stops_at_once),
      cmocka_unit_test(a_callback_never_starts_a_callback))
