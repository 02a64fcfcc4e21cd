#include "hook/usage.h"
#include "test.h"

static void all_five_kinds_count(void **state UNUSED)
{
    const struct usage u = { 1, 20, 300, 4000, 50000, 0, 0 };

    assert_int_equal(usage_tokens(&u), 54321);
    assert_int_equal(usage_sent(&u), 54001);
}

static void says_how_much_room_is_left(void **state UNUSED)
{
    const struct usage u = { .context = 150, .window = 200 };
    const struct usage over = { .context = 250, .window = 200 };

    assert_int_equal(usage_left(&u), 50);
    assert_true(usage_share(&u) > 0.749 && usage_share(&u) < 0.751);
    assert_int_equal(usage_left(&over), 0);
    assert_true(usage_share(&over) > 1);
}

static void says_nothing_where_window_or_context_is_unknown(void **state UNUSED)
{
    const struct usage no_window = { .context = 150 }, no_context = { .window = 200 };

    assert_int_equal(usage_left(&no_window), -1);
    assert_int_equal(usage_left(&no_context), -1);
    assert_true(usage_share(&no_window) < 0 && usage_share(&no_context) < 0);
}

static void survives_the_way_through_json(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct usage u = { 1, 2, 3, 4, 5, 6, 7 };
    struct usage back = usage_from_json(usage_to_json(&a, &u));

    assert_memory_equal(&u, &back, sizeof(u));
    back = usage_from_json(NULL);
    assert_int_equal(usage_tokens(&back), 0);
}

TESTS(cmocka_unit_test(all_five_kinds_count), cmocka_unit_test(says_how_much_room_is_left),
      cmocka_unit_test(says_nothing_where_window_or_context_is_unknown),
      cmocka_unit_test(survives_the_way_through_json))
