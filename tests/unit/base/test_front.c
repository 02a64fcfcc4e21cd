#include "base/front.h"
#include "test.h"

static void cuts_what_stands_between_two_marks(void **state UNUSED)
{
    struct str text = STR("---\na: 1\nb: 2\n---\nbody\n"), front = front_cut(&text);

    assert_true(str_is(front, "a: 1\nb: 2\n"));
    assert_true(str_is(text, "body\n"));
}

static void takes_lines_that_end_as_on_windows(void **state UNUSED)
{
    struct str text = STR("---\r\na: 1\r\n---\r\nbody"), front = front_cut(&text);

    assert_true(str_is(front, "a: 1\r\n"));
    assert_true(str_is(text, "body"));
}

static void may_be_empty_and_may_be_all_there_is(void **state UNUSED)
{
    struct str text = STR("---\n---"), front = front_cut(&text);

    assert_true(str_is_set(front));
    assert_int_equal(front.len, 0);
    assert_true(str_is(text, ""));
}

static void leaves_a_text_without_it_alone(void **state UNUSED)
{
    static const char *const texts[] = { "", "---", "body", "---\nnever ended\n",
                                         "\n---\na\n---\n" };

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct str text = str_of(texts[i]);

        assert_false(str_is_set(front_cut(&text)));
        assert_true(str_is(text, texts[i]));
    }
}

TESTS(cmocka_unit_test(cuts_what_stands_between_two_marks),
      cmocka_unit_test(takes_lines_that_end_as_on_windows),
      cmocka_unit_test(may_be_empty_and_may_be_all_there_is),
      cmocka_unit_test(leaves_a_text_without_it_alone))
