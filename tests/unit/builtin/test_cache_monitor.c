/* What is worth a word: tests/cases/cache-monitor. Here: its options, and how much it remembers. */
#include "bed.h"
#include "builtin/builtin.h"

static const char *update(struct bed *bed, const char *id, long input, long read, long write)
{
    bed_emit(bed, "message.updated",
             arena_printf(&bed->arena,
                          "{\"message\":{\"id\":\"%s\"},\"usage\":{\"input_tokens\":%ld,"
                          "\"cache_read_tokens\":%ld,\"cache_write_tokens\":%ld}}",
                          id, input, read, write));
    return bed->receipt.verdict.say;
}

static void limits_can_be_set(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, builtin_hooks,
             "hooks: [{ name: cache-monitor, small: 10, never: 300, plateau: 200 }]");
    assert_null(update(&bed, "1", 100, 0, 0));
    assert_null(update(&bed, "2", 100, 0, 0));
    assert_non_null(update(&bed, "3", 100, 0, 0));
    assert_null(update(&bed, "4", 0, 0, 500));
    assert_non_null(update(&bed, "5", 11, 0, 0));
    for (int i = 0; i < 3; i++)
        assert_null(update(&bed, (char[]){ (char)('a' + i), '\0' }, 50, 500, 0));
    assert_non_null(update(&bed, "d", 50, 500, 0));
}

static void what_it_remembers_does_not_grow(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    struct store_key key = { "s1", "cache-monitor", "requests" };
    struct str before, after;

    bed_open(&bed, builtin_hooks, NULL);
    for (int i = 0; i < 100; i++)
        update(&bed, arena_printf(&bed.arena, "m%03d", i), 10, 100 + i, 0);
    assert_int_equal(store_get(bed.store, &key, &bed.arena, &before, NULL), 0);
    for (int i = 100; i < 300; i++)
        update(&bed, arena_printf(&bed.arena, "m%03d", i), 10, 100 + i, 0);
    assert_int_equal(store_get(bed.store, &key, &bed.arena, &after, NULL), 0);
    assert_int_equal(before.len, after.len);
}

TESTS(cmocka_unit_test(limits_can_be_set), cmocka_unit_test(what_it_remembers_does_not_grow))
