/* What the text of a number means. */
#include "value.h"

#include <errno.h>
#include <locale.h>
#include <math.h>

static void reads_integers_exactly(void **state UNUSED)
{
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        { "0", 0 },
        { "-0", 0 },
        { "0.000", 0 },
        { "0e99999999999999999999999", 0 },
        { "-0.0e-99999999999999999999999", 0 },
        { "1", 1 },
        { "-1", -1 },
        { "1.0", 1 },
        { "1e2", 100 },
        { "1E+2", 100 },
        { "12.50e1", 125 },
        { "100e-2", 1 },
        { "0.001e3", 1 },
        { "1000000000000000000000e-20", 10 },
        { "9007199254740993", 9007199254740993 },
        { "9223372036854775807", INT64_MAX },
        { "-9223372036854775808", INT64_MIN },
        { "-9.223372036854775808e18", INT64_MIN },
        { "922337203685477580.7e1", INT64_MAX },
        { "1000000000000000000", 1000000000000000000 },
        { "1e18", 1000000000000000000 },
        { "0.000000000000000000000000000001e30", 1 },
    };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int64_t n = 77;

        if (json_to_int64(value_of(&a, cases[i].text), &n) != 0 || n != cases[i].value)
            fail_msg("%s was read as %lld", cases[i].text, (long long)n);
    }
}

static void says_why_an_integer_cannot_be_had(void **state UNUSED)
{
    static const struct {
        const char *text;
        int code;
    } cases[] = {
        { "0.5", -EINVAL },
        { "1e-1", -EINVAL },
        { "1e-400", -EINVAL },
        { "1e-99999999999999999999999", -EINVAL },
        { "123456789012345678901234567890.5", -EINVAL },
        { "9223372036854775808", -ERANGE },
        { "-9223372036854775809", -ERANGE },
        { "18446744073709551616", -ERANGE },
        { "10000000000000000000", -ERANGE },
        { "99999999999999999999", -ERANGE },
        { "1e19", -ERANGE },
        { "1e400", -ERANGE },
        { "-1e99999999999999999999999", -ERANGE },
        { "123456789012345678901234567890", -ERANGE },
        { "\"1\"", -EINVAL },
        { "true", -EINVAL },
        { "null", -EINVAL },
        { "[1]", -EINVAL },
    };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int64_t n = 77;

        assert_int_equal(json_to_int64(value_of(&a, cases[i].text), &n), cases[i].code);
        assert_int_equal(n, 77);
    }
}

static void reads_doubles_like_strtod(void **state UNUSED)
{
    static const char *const cases[] = {
        "0",
        "1",
        "-1",
        "0.1",
        "0.18734",
        "3.141592653589793",
        "1e22",
        "1e23",
        "-1e-22",
        "1e-23",
        "123456789012345",
        "1234567890123456",
        "9007199254740993",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "4.9e-324",
        "2e-324",
        "1e-400",
        "1.7976931348623157e308",
        "0.000001e-300",
        "179769313486231570000000000000000000000000000000000000000e252",
        "8.41e21",
        "5e-324",
        "0.30000000000000004",
        "6.02214076e23",
        "12345.678e-30",
        "7.2057594037927933e16",
        "53720010519674357e-10",
        "66688231833028549e-19",
        "9554309668325211e-2",
        "78277599748109662e-4",
    };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        double d = 7, wanted = strtod(cases[i], NULL);

        assert_int_equal(json_to_double(value_of(&a, cases[i]), &d), 0);
        assert_memory_equal(&d, &wanted, sizeof(d));
    }
}

static void keeps_the_sign_of_zero(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    double d;

    assert_int_equal(json_to_double(value_of(&a, "-0.0"), &d), 0);
    assert_true(d == 0 && signbit(d));
}

static void refuses_doubles_that_do_not_fit(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    double d = 7;

    assert_int_equal(json_to_double(value_of(&a, "1e400"), &d), -ERANGE);
    assert_int_equal(json_to_double(value_of(&a, "-1.8e308"), &d), -ERANGE);
    assert_int_equal(json_to_double(value_of(&a, "1e99999999999999999999"), &d), -ERANGE);
    assert_int_equal(json_to_double(value_of(&a, "\"1\""), &d), -EINVAL);
    assert_true(d == 7);
}

static void reads_numbers_of_any_length(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf b = { 0 };
    const struct json *j;
    double d;
    int64_t n;

    strbuf_addstr(&b, "1.");
    for (int i = 0; i < 100000; i++)
        strbuf_addch(&b, i == 50000 ? '1' : '0');
    j = value_of(&a, strbuf_cstr(&b));
    assert_int_equal(json_to_double(j, &d), 0);
    assert_true(d == 1.0);
    assert_int_equal(json_to_int64(j, &n), -EINVAL);
    b.buf[2 + 50000] = '0';
    assert_int_equal(json_to_int64(value_of(&a, strbuf_cstr(&b)), &n), 0);
    assert_int_equal(n, 1);
}

static void builds_numbers_that_come_back(void **state UNUSED)
{
    static const double cases[] = { 0.1,
                                    1.0 / 3,
                                    1e300,
                                    5e-324,
                                    -123.25,
                                    4,
                                    1e21,
                                    0.18734,
                                    -0.0,
                                    9007199254740993.0,
                                    1.7976931348623157e308 };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        double d;

        assert_int_equal(json_to_double(value_of(&a, json_text(&a, json_double(&a, cases[i]))), &d),
                         0);
        assert_memory_equal(&d, &cases[i], sizeof(d));
    }
    assert_string_equal(json_text(&a, json_double(&a, 0.1)), "0.1");
    assert_string_equal(json_text(&a, json_double(&a, 4)), "4");
    assert_string_equal(json_text(&a, json_double(&a, INFINITY)), "null");
    assert_string_equal(json_text(&a, json_double(&a, NAN)), "null");
    assert_string_equal(json_text(&a, json_int(&a, INT64_MIN)), "-9223372036854775808");
}

static void ignores_the_locale(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    double d;

    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        skip();
    assert_string_equal(json_text(&a, json_double(&a, 0.18734)), "0.18734");
    assert_int_equal(json_to_double(value_of(&a, "0.12345678901234567890"), &d), 0);
    setlocale(LC_ALL, "C");
    assert_true(d == 0.12345678901234567890);
}

static void compares_numbers_as_numbers(void **state UNUSED)
{
    static const struct {
        const char *x, *y;
        bool same;
    } cases[] = {
        { "1", "1.0", true },
        { "100", "1e2", true },
        { "1.50", "15e-1", true },
        { "0.00120", "12e-4", true },
        { "-0", "0.0", true },
        { "0", "0e5", true },
        { "1e400", "10e399", true },
        { "9007199254740993", "9007199254740992", false },
        { "0.1", "0.10000000000000000001", false },
        { "1", "-1", false },
        { "1", "10", false },
        { "12", "1.2", false },
        { "101", "11", false },
        { "1e400", "1e401", false },
        { "1e99999999999999999999", "1e99999999999999999999", true },
        { "1e99999999999999999999", "1e99999999999999999998", false },
        { "1e99999999999999999999", "1", false },
        { "123456789012345678901234567890", "12345678901234567890123456789.0e1", true },
    };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct json *x = value_of(&a, cases[i].x), *y = value_of(&a, cases[i].y);

        if (json_equal(x, y) != cases[i].same || json_equal(y, x) != cases[i].same)
            fail_msg("%s and %s", cases[i].x, cases[i].y);
    }
}

TESTS(cmocka_unit_test(reads_integers_exactly), cmocka_unit_test(says_why_an_integer_cannot_be_had),
      cmocka_unit_test(reads_doubles_like_strtod), cmocka_unit_test(keeps_the_sign_of_zero),
      cmocka_unit_test(refuses_doubles_that_do_not_fit),
      cmocka_unit_test(reads_numbers_of_any_length),
      cmocka_unit_test(builds_numbers_that_come_back), cmocka_unit_test(ignores_the_locale),
      cmocka_unit_test(compares_numbers_as_numbers))
