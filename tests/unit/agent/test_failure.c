#include "agent/failure.h"
#include "test.h"

static void structure_decides_before_words_do(void **state UNUSED)
{
    static const struct {
        int status;
        const char *body, *class, *message;
    } rows[] = {
        { 429, "{\"error\":{\"type\":\"rate_limit_error\",\"message\":\"m\"}}", "rate_limit", "m" },
        { 429, "", "rate_limit", "the provider answered 429" },
        { 429, "{\"error\":{\"code\":\"insufficient_quota\",\"message\":\"m\"}}", "quota", "m" },
        { 429, "{\"error\":{\"message\":\"You've hit your usage limit\"}}", "quota",
          "usage limit" },
        { 402, "", "quota", "402" },
        { 400,
          "{\"error\":{\"type\":\"invalid_request_error\",\"message\":\"Your credit balance is too "
          "low\"}}",
          "quota", "credit" },
        { 529, "{\"error\":{\"type\":\"overloaded_error\"}}", "overloaded", "529" },
        { 500, "{}", "overloaded", "500" },
        { 503, "<html>", "overloaded", "<html>" },
        { 400,
          "{\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too long: 9 > "
          "8\"}}",
          "context_overflow", "too long" },
        { 413, "", "context_overflow", "413" },
        { 401, "{\"error\":{\"type\":\"authentication_error\"}}", "auth", "401" },
        { 403, "", "auth", "403" },
        { 400, "{\"error\":{\"message\":\"bad\"}}", "bad_request", "bad" },
        { 404, "{\"error\":{\"type\":\"not_found_error\",\"message\":\"model: x\"}}", "bad_request",
          "model: x" },
        /* words that only look like a limit */
        { 400, "{\"error\":{\"message\":\"line 429: generate limitless\"}}", "bad_request",
          "limitless" },
        { 418, "teapot", "other", "teapot" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        struct model_failure f = { 0 };

        failure_of_answer(&a, rows[i].status, str_of(rows[i].body), &f);
        if (strcmp(failure_class_name(f.class), rows[i].class) != 0)
            fail_msg("%d %s is %s", rows[i].status, rows[i].body, failure_class_name(f.class));
        if (!strstr(f.message, rows[i].message))
            fail_msg("%d %s says '%s'", rows[i].status, rows[i].body, f.message);
        assert_int_equal(f.status, rows[i].status);
    }
}

static void the_wait_a_body_asks_for_counts_where_no_header_does(void **state UNUSED)
{
    static const struct {
        const char *delay;
        int64_t header, ms;
    } rows[] = {
        { "\"36.2s\"", -1, 36200 }, { "\"1s\"", 5000, 5000 }, { "\"1m\"", -1, -1 },
        { "\"-3s\"", -1, -1 },      { "\"s\"", -1, -1 },      { "7", -1, -1 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        struct model_failure f = { .retry_after_ms = rows[i].header };
        char *body = arena_printf(&a,
                                  "{\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\","
                                  "\"details\":[{\"x\":1},{\"retryDelay\":%s}]}}",
                                  rows[i].delay);

        failure_of_answer(&a, 429, str_of(body), &f);
        assert_int_equal(f.class, MODEL_RATE_LIMIT);
        assert_int_equal(f.retry_after_ms, rows[i].ms);
    }
}

TESTS(cmocka_unit_test(structure_decides_before_words_do),
      cmocka_unit_test(the_wait_a_body_asks_for_counts_where_no_header_does))
