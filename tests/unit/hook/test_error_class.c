#include "hook/error_class.h"
#include "test.h"

static const char *class_of(struct arena *a, const char *text)
{
    const struct json *error;
    struct str class;

    assert_int_equal(json_parse(a, str_of(text), NULL, &error, NULL), 0);
    class = error_class(a, error);
    return str_is_set(class) ? arena_cstr(a, class) : "";
}

static void check(const char *error, const char *class)
{
    CLEANUP(arena) struct arena a = { 0 };
    const char *found = class_of(&a, error);

    if (strcmp(found, class) != 0)
        fail_msg("%s: '%s' instead of '%s'", error, found, class);
}

static void a_class_that_is_given_counts(void **state UNUSED)
{
    check("{\"class\":\"other\",\"status\":429,\"message\":\"rate limit\"}", "other");
    check("{\"class\":\"quota\"}", "quota");
}

static void a_status_comes_before_words_but_words_tell_a_quota(void **state UNUSED)
{
    check("{\"status\":503,\"message\":\"unknown model\"}", "overloaded");
    check("{\"status\":429,\"message\":\"slow down\"}", "rate_limit");
    check("{\"status\":429,\"message\":\"insufficient_quota\"}", "quota");
    check(
        "{\"status\":429,\"data\":{\"responseBody\":\"{\\\"code\\\":\\\"insufficient_quota\\\"}\"}}",
        "quota");
    check("{\"status\":400,\"message\":\"Rate limit\"}", "rate_limit");
    check("{\"status\":\"429\"}", "");
}

static void words_must_stand_where_errors_have_them(void **state UNUSED)
{
    check("\"Rate-limited\"", "rate_limit");
    check("\"you hit a ratelimit\"", "rate_limit");
    check("\"HTTP 429\"", "rate_limit");
    check("\"status code 429.\"", "rate_limit");
    check("\"429\"", "rate_limit");
    check("\"4290 things\"", "");
    check("\"error 4291\"", "");
    check("\"generate limitless\"", "");
    check("\"see line 429: no\"", "");
    check("\"operator overloaded\"", "");
    check("\"Overloaded\"", "overloaded");
    check("\"the server is overloaded\"", "overloaded");
    check("\"fetch failed\"", "network");
    check("\"fetch failed for the third file\"", "");
    check("\"Gone\"", "unavailable");
    check("\"all of it is gone\"", "");
}

static void nothing_is_made_of_nonsense(void **state UNUSED)
{
    static const char *const errors[] = { "null",         "42",           "[]",
                                          "{}",           "\"\"",         "{\"message\":[]}",
                                          "{\"data\":7}", "{\"code\":{}}" };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(errors); i++)
        check(errors[i], "");
    assert_false(str_is_set(error_class(&a, NULL)));
}

TESTS(cmocka_unit_test(a_class_that_is_given_counts),
      cmocka_unit_test(a_status_comes_before_words_but_words_tell_a_quota),
      cmocka_unit_test(words_must_stand_where_errors_have_them),
      cmocka_unit_test(nothing_is_made_of_nonsense))
