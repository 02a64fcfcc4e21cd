#include "base/clock.h"
#include "test.h"

#include <time.h>

#define DAY_MS 86400000ll

static void assert_like_strftime(int64_t ms)
{
    int64_t rest = ((ms % 1000) + 1000) % 1000;
    time_t seconds = (time_t)((ms - rest) / 1000);
    char expected[64], text[CLOCK_TEXT_SIZE];
    struct tm parts;
    size_t len;

    assert_non_null(gmtime_r(&seconds, &parts));
    len = strftime(expected, sizeof(expected), "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(expected + len, sizeof(expected) - len, ".%03dZ", (int)rest);
    clock_format(ms, text);
    assert_string_equal(text, expected);
}

static void formats_known_moments(void **state UNUSED)
{
    static const struct {
        int64_t ms;
        const char *text;
    } moments[] = {
        { 0, "1970-01-01T00:00:00.000Z" },
        { 951782400000, "2000-02-29T00:00:00.000Z" },
        { 946684799999, "1999-12-31T23:59:59.999Z" },
        { 1709251199999, "2024-02-29T23:59:59.999Z" },
        { 4107542400000, "2100-03-01T00:00:00.000Z" },
        { 253402300799999, "9999-12-31T23:59:59.999Z" },
        { -1, "1969-12-31T23:59:59.999Z" },
    };
    char text[CLOCK_TEXT_SIZE];

    for (size_t i = 0; i < ARRAY_LEN(moments); i++) {
        clock_format(moments[i].ms, text);
        assert_string_equal(text, moments[i].text);
    }
}

static void agrees_with_strftime_on_every_day(void **state UNUSED)
{
    for (int64_t day = 0; day < 366ll * 170; day++)
        assert_like_strftime(day * DAY_MS + (day * 7919 + 13) * 1009 % DAY_MS);
}

static void agrees_with_strftime_before_1970(void **state UNUSED)
{
    for (int64_t day = -1; day > -366ll * 170; day--)
        assert_like_strftime(day * DAY_MS + (-day * 7919 + 13) * 1009 % DAY_MS);
}

static void agrees_with_strftime_in_far_years(void **state UNUSED)
{
    for (int64_t day = 36525; day < 2932896; day += 31)
        assert_like_strftime(day * DAY_MS + DAY_MS - 1);
}

static void monotonic_clock_never_goes_back(void **state UNUSED)
{
    uint64_t before = clock_mono_ns();

    for (unsigned i = 0; i < 10000; i++) {
        uint64_t now = clock_mono_ns();

        assert_true(now >= before);
        before = now;
    }
}

static void wall_clock_counts_from_1970(void **state UNUSED)
{
    int64_t least = (int64_t)time(NULL) * 1000 - 1000, now = clock_wall_ms();

    assert_true(now >= least);
    assert_true(now <= (int64_t)time(NULL) * 1000 + 2000);
}

TESTS(cmocka_unit_test(formats_known_moments), cmocka_unit_test(agrees_with_strftime_on_every_day),
      cmocka_unit_test(agrees_with_strftime_before_1970),
      cmocka_unit_test(agrees_with_strftime_in_far_years),
      cmocka_unit_test(monotonic_clock_never_goes_back),
      cmocka_unit_test(wall_clock_counts_from_1970))
