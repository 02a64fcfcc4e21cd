#include "base/arena.h"
#include "test.h"

#include <signal.h>
#include <stdalign.h>

/* The sanitizers stop the program on an absurd size; here the allocator has to see it. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__tsan_default_options(void);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static sigjmp_buf aborted;

static void leave_abort(int signal)
{
    siglongjmp(aborted, signal);
}

static bool alloc_aborts(size_t size)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct sigaction before, leave = { .sa_handler = leave_abort };
    volatile bool caught = true;

    sigaction(SIGABRT, &leave, &before);
    if (sigsetjmp(aborted, 1) == 0) {
        arena_alloc(&a, size);
        caught = false;
    }
    sigaction(SIGABRT, &before, NULL);
    return caught;
}

static void is_never_null_and_aligned(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t size = 0; size < 200; size++) {
        char *p = arena_alloc(&a, size);

        assert_non_null(p);
        assert_int_equal((uintptr_t)p % alignof(max_align_t), 0);
        memset(p, 0xff, size);
    }
}

static void gives_nothing_out_of_an_empty_arena(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };

    assert_non_null(arena_array(&a, int, 0));
}

static void allocations_do_not_overlap(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    unsigned char *pieces[500];

    for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
        pieces[i] = arena_alloc(&a, i + 1);
        memset(pieces[i], (int)(i & 0xff), i + 1);
    }
    for (size_t i = 0; i < ARRAY_LEN(pieces); i++)
        for (size_t j = 0; j <= i; j++)
            assert_int_equal(pieces[i][j], i & 0xff);
}

static void zeroes_what_it_promises_to(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    unsigned *numbers;

    memset(arena_alloc(&a, 4096), 0xff, 4096);
    arena_reset(&a);
    numbers = arena_array(&a, unsigned, 1024);
    for (size_t i = 0; i < 1024; i++)
        assert_int_equal(numbers[i], 0);
}

static void serves_more_than_a_block(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    size_t size = (size_t)5 << 20;
    char *p = arena_alloc(&a, size);

    memset(p, 1, size);
    assert_non_null(arena_alloc(&a, 1));
}

static void refuses_sizes_that_wrap(void **state UNUSED)
{
    for (size_t below = 0; below < 100; below++)
        assert_true(alloc_aborts(SIZE_MAX - below));
    assert_true(alloc_aborts(SIZE_MAX / 2 + 1));
}

static bool array_aborts(volatile size_t count)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct sigaction before, leave = { .sa_handler = leave_abort };
    volatile bool caught = true;

    sigaction(SIGABRT, &leave, &before);
    if (sigsetjmp(aborted, 1) == 0) {
        (void)arena_array(&a, uint64_t, count);
        caught = false;
    }
    sigaction(SIGABRT, &before, NULL);
    return caught;
}

static void refuses_counts_that_wrap(void **state UNUSED)
{
    assert_true(array_aborts(SIZE_MAX / 8 + 2));
    assert_true(array_aborts(SIZE_MAX));
}

static void copies_text_terminated(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };

    assert_string_equal(arena_cstr(&a, (struct str){ "abcdef", 3 }), "abc");
    assert_string_equal(arena_cstr(&a, STR("")), "");
    assert_null(arena_cstr(&a, (struct str){ 0 }));
    assert_string_equal(arena_strdup(&a, "copy"), "copy");
    assert_null(arena_strdup(&a, NULL));
}

static void formats_any_length(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };

    assert_string_equal(arena_printf(&a, "%s-%d", "a", 7), "a-7");
    assert_int_equal(strlen(arena_printf(&a, "%*s", 20000, "x")), 20000);
}

static void a_list_grows_and_keeps_its_items(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    size_t count = 0, room = 0, moves = 0;
    int *list = NULL;

    while (count < 1000) {
        size_t before = room;

        list = arena_grow(&a, list, count, &room, sizeof(*list));
        moves += room != before;
        list[count] = (int)count;
        count++;
    }
    for (size_t i = 0; i < count; i++)
        assert_int_equal(list[i], i);
    assert_in_range(moves, 2, 10);
    assert_true(room >= count);
}

static void reset_reuses_the_newest_block(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    char *before = arena_alloc(&a, 100);

    arena_reset(&a);
    assert_ptr_equal(arena_alloc(&a, 100), before);
}

static void release_leaves_a_usable_arena(void **state UNUSED)
{
    struct arena a = { 0 };

    arena_reset(&a);
    arena_release(&a);
    assert_string_equal(arena_strdup(&a, "again"), "again");
    arena_release(&a);
    arena_release(&a);
    assert_null(a.newest);
}

TESTS(cmocka_unit_test(is_never_null_and_aligned),
      cmocka_unit_test(gives_nothing_out_of_an_empty_arena),
      cmocka_unit_test(allocations_do_not_overlap), cmocka_unit_test(zeroes_what_it_promises_to),
      cmocka_unit_test(serves_more_than_a_block), cmocka_unit_test(refuses_sizes_that_wrap),
      cmocka_unit_test(refuses_counts_that_wrap), cmocka_unit_test(copies_text_terminated),
      cmocka_unit_test(formats_any_length), cmocka_unit_test(a_list_grows_and_keeps_its_items),
      cmocka_unit_test(reset_reuses_the_newest_block),
      cmocka_unit_test(release_leaves_a_usable_arena))
