#include "base/err.h"
#include "test.h"

#include <errno.h>

static void returns_the_code_it_records(void **state UNUSED)
{
    struct err e = { 0 };

    assert_int_equal(err_set(&e, -EINVAL, "bad '%s'", "x"), -EINVAL);
    assert_int_equal(e.code, -EINVAL);
    assert_string_equal(e.msg, "bad 'x'");
}

static void reports_errno_with_its_text(void **state UNUSED)
{
    struct err e = { 0 };

    errno = ENOENT;
    assert_int_equal(err_errno(&e, "reading '%s'", "f"), -ENOENT);
    assert_int_equal(e.code, -ENOENT);
    assert_string_equal(e.msg, "reading 'f': No such file or directory");
}

static void wraps_context(void **state UNUSED)
{
    struct err e = { 0 };

    err_set(&e, -EACCES, "inner");
    assert_int_equal(err_wrap(&e, -EIO, "outer %d", 1), -EIO);
    assert_int_equal(err_wrap(&e, -EIO, "outermost"), -EIO);
    assert_string_equal(e.msg, "outermost: outer 1: inner");
    assert_int_equal(e.code, -EACCES);
}

static void wrapping_an_empty_error_records_the_code(void **state UNUSED)
{
    struct err e = { 0 };

    assert_int_equal(err_wrap(&e, -EIO, "outer"), -EIO);
    assert_int_equal(e.code, -EIO);
    assert_string_equal(e.msg, "outer");
}

static void accepts_no_error_at_all(void **state UNUSED)
{
    errno = EBADF;
    assert_int_equal(err_errno(NULL, "x"), -EBADF);
    assert_int_equal(err_set(NULL, -EIO, "x"), -EIO);
    assert_int_equal(err_wrap(NULL, -EIO, "x"), -EIO);
}

static void cuts_long_messages_at_the_limit(void **state UNUSED)
{
    struct err e = { 0 };
    char longest[2 * ERR_MSG_MAX];

    memset(longest, 'a', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    err_set(&e, -EIO, "%s", longest);
    assert_int_equal(strlen(e.msg), ERR_MSG_MAX - 1);
    err_wrap(&e, -EIO, "b");
    assert_int_equal(strlen(e.msg), ERR_MSG_MAX - 1);
    assert_memory_equal(e.msg, "b: a", 4);
    err_wrap(&e, -EIO, "%s", longest);
    assert_int_equal(strlen(e.msg), ERR_MSG_MAX - 1);
}

static void keeps_the_reason_behind_a_long_context(void **state UNUSED)
{
    struct err e = { 0 };
    char longest[2 * ERR_MSG_MAX];

    memset(longest, 'a', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    errno = ENOSPC;
    err_errno(&e, "writing '%s'", longest);
    assert_non_null(strstr(e.msg, ": No space left on device"));
}

TESTS(cmocka_unit_test(returns_the_code_it_records), cmocka_unit_test(reports_errno_with_its_text),
      cmocka_unit_test(wraps_context), cmocka_unit_test(wrapping_an_empty_error_records_the_code),
      cmocka_unit_test(accepts_no_error_at_all), cmocka_unit_test(cuts_long_messages_at_the_limit),
      cmocka_unit_test(keeps_the_reason_behind_a_long_context))
