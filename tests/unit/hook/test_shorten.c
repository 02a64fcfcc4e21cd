#include "hook/shorten.h"
#include "test.h"

static void a_text_that_fits_is_whole(void **state UNUSED)
{
    struct shortened s = shorten(STR("a\nb\n"), 4);

    assert_false(s.cut);
    assert_true(str_is(s.head, "a\nb\n"));
    assert_int_equal(s.tail.len, 0);
}

static void whole_lines_stay_at_both_ends(void **state UNUSED)
{
    struct shortened s = shorten(STR("1\n2\n3\n4\n5\n6\n7\n8\n9\n"), 10);

    assert_true(s.cut);
    assert_true(str_is(s.head, "1\n2\n3\n"));
    assert_true(str_is(s.tail, "8\n9\n"));
    assert_int_equal(s.lines, 4);
    assert_int_equal(s.bytes, 8);
}

static void a_last_line_without_an_end_counts(void **state UNUSED)
{
    struct shortened s = shorten(STR("one\ntwo\nthree\nfour\nfive"), 15);

    assert_true(str_is(s.head, "one\ntwo\n"));
    assert_true(str_is(s.tail, "five"));
    assert_int_equal(s.lines, 2);
}

static void one_long_line_is_cut_between_characters(void **state UNUSED)
{
    struct shortened s = shorten(STR("äöüäöüäöüäöüäöü"), 15);

    assert_true(str_is(s.head, "äöüä"));
    assert_true(str_is(s.tail, "äöü"));
    assert_int_equal(s.lines, 1);
}

static void even_nothing_may_be_kept(void **state UNUSED)
{
    struct shortened s = shorten(STR("text"), 0);

    assert_true(s.cut);
    assert_int_equal(s.head.len + s.tail.len, 0);
    assert_int_equal(s.bytes, 4);
}

TESTS(cmocka_unit_test(a_text_that_fits_is_whole), cmocka_unit_test(whole_lines_stay_at_both_ends),
      cmocka_unit_test(a_last_line_without_an_end_counts),
      cmocka_unit_test(one_long_line_is_cut_between_characters),
      cmocka_unit_test(even_nothing_may_be_kept))
