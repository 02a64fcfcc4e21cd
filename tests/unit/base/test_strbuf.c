#include "base/strbuf.h"
#include "test.h"

static void empty_reads_as_empty_text(void **state UNUSED)
{
    struct strbuf b = { 0 };

    assert_string_equal(strbuf_cstr(&b), "");
    assert_true(str_is(strbuf_str(&b), ""));
    assert_true(str_is_set(strbuf_str(&b)));
}

static void grows_and_stays_terminated(void **state UNUSED)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };

    for (unsigned i = 0; i < 5000; i++) {
        strbuf_addch(&b, (char)('a' + i % 26));
        assert_int_equal(b.buf[b.len], '\0');
    }
    assert_int_equal(b.len, 5000);
    assert_int_equal(strlen(strbuf_cstr(&b)), 5000);
    assert_memory_equal(b.buf, "abcdefghijklmnopqrstuvwxyzab", 28);
    assert_false(b.truncated);
}

static void takes_zero_bytes_and_no_data(void **state UNUSED)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };

    strbuf_add(&b, NULL, 0);
    strbuf_addstr(&b, "");
    assert_string_equal(strbuf_cstr(&b), "");
    strbuf_add(&b, "a\0b", 3);
    assert_int_equal(b.len, 3);
    assert_memory_equal(b.buf, "a\0b", 4);
}

static void cuts_at_the_limit_and_says_so(void **state UNUSED)
{
    CLEANUP(strbuf) struct strbuf b = { .max = 5 };

    strbuf_addstr(&b, "12345");
    assert_false(b.truncated);
    strbuf_addch(&b, '6');
    assert_true(b.truncated);
    assert_string_equal(strbuf_cstr(&b), "12345");
    strbuf_reset(&b);
    assert_false(b.truncated);
    strbuf_addstr(&b, "abcdefgh");
    assert_true(b.truncated);
    assert_string_equal(strbuf_cstr(&b), "abcde");
    assert_int_equal(b.max, 5);
}

static void stays_within_a_limit_that_was_lowered(void **state UNUSED)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };

    strbuf_addstr(&b, "12345");
    b.max = 3;
    strbuf_addstr(&b, "6");
    assert_true(b.truncated);
    assert_string_equal(strbuf_cstr(&b), "12345");
    assert_null(strbuf_reserve(&b, 1));
}

static void reserves_up_to_the_limit(void **state UNUSED)
{
    CLEANUP(strbuf) struct strbuf b = { .max = 10 };
    char *at = strbuf_reserve(&b, 10);

    assert_non_null(at);
    memset(at, 'x', 10);
    b.len += 10;
    assert_null(strbuf_reserve(&b, 1));
    assert_null(strbuf_reserve(&b, SIZE_MAX));
    assert_non_null(strbuf_reserve(&b, 0));
}

static void reserving_alone_leaves_text_terminated(void **state UNUSED)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };
    char *at = strbuf_reserve(&b, 40);

    assert_int_equal(at[0], '\0');
    memset(at, 'x', 40);
    b.len += 20;
    at = strbuf_reserve(&b, 5);
    assert_int_equal(at[0], '\0');
    assert_int_equal(strlen(strbuf_cstr(&b)), 20);
}

static void writes_every_integer(void **state UNUSED)
{
    static const int64_t numbers[] = { 0, 7, -7, 10, -10, INT64_MAX, INT64_MIN };
    char expected[32];

    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        CLEANUP(strbuf) struct strbuf b = { 0 };

        strbuf_addint(&b, numbers[i]);
        snprintf(expected, sizeof(expected), "%lld", (long long)numbers[i]);
        assert_string_equal(strbuf_cstr(&b), expected);
    }
}

static void formats_into_the_text(void **state UNUSED)
{
    CLEANUP(strbuf) struct strbuf b = { .max = 8 };

    strbuf_printf(&b, "%s:%d", "ab", 12);
    assert_string_equal(strbuf_cstr(&b), "ab:12");
    strbuf_printf(&b, "%s", "");
    assert_false(b.truncated);
    strbuf_printf(&b, "%s", "cdefgh");
    assert_string_equal(strbuf_cstr(&b), "ab:12cde");
    assert_true(b.truncated);
}

static void release_keeps_the_limit(void **state UNUSED)
{
    struct strbuf b = { .max = 3 };

    strbuf_addstr(&b, "abcd");
    strbuf_release(&b);
    assert_null(b.buf);
    assert_false(b.truncated);
    strbuf_addstr(&b, "abcd");
    assert_string_equal(strbuf_cstr(&b), "abc");
    strbuf_release(&b);
}

TESTS(cmocka_unit_test(empty_reads_as_empty_text), cmocka_unit_test(grows_and_stays_terminated),
      cmocka_unit_test(takes_zero_bytes_and_no_data),
      cmocka_unit_test(cuts_at_the_limit_and_says_so),
      cmocka_unit_test(stays_within_a_limit_that_was_lowered),
      cmocka_unit_test(reserves_up_to_the_limit),
      cmocka_unit_test(reserving_alone_leaves_text_terminated),
      cmocka_unit_test(writes_every_integer), cmocka_unit_test(formats_into_the_text),
      cmocka_unit_test(release_keeps_the_limit))
