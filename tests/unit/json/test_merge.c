/* RFC 7396. */
#include "value.h"

static const struct {
    const char *target, *patch, *result;
} appendix_a[] = {
    { "{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
    { "{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}" },
    { "{\"a\":\"b\"}", "{\"a\":null}", "{}" },
    { "{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}" },
    { "{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
    { "{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}" },
    { "{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}", "{\"a\":{\"b\":\"d\"}}" },
    { "{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}" },
    { "[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]" },
    { "{\"a\":\"b\"}", "[\"c\"]", "[\"c\"]" },
    { "{\"a\":\"foo\"}", "null", "null" },
    { "{\"a\":\"foo\"}", "\"bar\"", "\"bar\"" },
    { "{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}" },
    { "[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}" },
    { "{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}" },
};

static void follows_the_appendix_of_the_rfc(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(appendix_a); i++) {
        const struct json *target = value_of(&a, appendix_a[i].target);
        const struct json *patch = value_of(&a, appendix_a[i].patch);

        assert_string_equal(json_text(&a, json_merge(&a, target, patch)), appendix_a[i].result);
        assert_string_equal(json_text(&a, target), appendix_a[i].target);
        assert_string_equal(json_text(&a, patch), appendix_a[i].patch);
    }
}

static void follows_the_example_of_the_rfc(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *target =
        value_of(&a, "{\"title\":\"Goodbye!\",\"author\":{\"givenName\":\"John\",\"familyName\":"
                     "\"Doe\"},\"tags\":[\"example\",\"sample\"],\"content\":\"This will be "
                     "unchanged\"}");
    const struct json *patch =
        value_of(&a, "{\"title\":\"Hello!\",\"phoneNumber\":\"+01-123-456-7890\",\"author\":{"
                     "\"familyName\":null},\"tags\":[\"example\"]}");

    assert_string_equal(json_text(&a, json_merge(&a, target, patch)),
                        "{\"title\":\"Hello!\",\"author\":{\"givenName\":\"John\"},\"tags\":["
                        "\"example\"],\"content\":\"This will be unchanged\",\"phoneNumber\":"
                        "\"+01-123-456-7890\"}");
}

static void keeps_what_does_not_change(void **state UNUSED)
{
    static const char *const patches[] = { "{}", "{\"a\":{}}", "{\"x\":null}",
                                           "{\"a\":{\"b\":{\"y\":null}}}" };
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf out = { 0 };
    const struct json *target =
        value_of(&a, "{\"a\": 0, \"a\": {\"b\": { }}, \"n\": 1.0, \"n\": 1e400}");

    for (size_t i = 0; i < ARRAY_LEN(patches); i++)
        assert_ptr_equal(json_merge(&a, target, value_of(&a, patches[i])), target);
    json_write(&out, json_merge(&a, target, value_of(&a, "{\"z\":[ 0 ]}")), JSON_AS_IS);
    assert_string_equal(strbuf_cstr(&out),
                        "{\"a\":0,\"a\":{\"b\": { }},\"n\":1.0,\"n\":1e400,\"z\":[ 0 ]}");
}

static void merges_into_nothing(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *patch = value_of(&a, "{\"a\": {\"b\": [null]}}");

    assert_ptr_equal(json_merge(&a, NULL, patch), patch);
    assert_string_equal(json_text(&a, json_merge(&a, NULL, value_of(&a, "{\"a\":{\"b\":null}}"))),
                        "{\"a\":{}}");
    assert_ptr_equal(json_merge(&a, patch, NULL), patch);
    assert_null(json_merge(&a, NULL, NULL));
}

static void the_last_of_equal_keys_counts(void **state UNUSED)
{
    static const struct {
        const char *target, *patch, *result;
    } cases[] = {
        { "{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":4}", "{\"b\":2,\"a\":4}" },
        { "{\"a\":1,\"b\":2,\"\\u0061\":3}", "{\"a\":null}", "{\"b\":2}" },
        { "{\"a\":1}", "{\"a\":2,\"a\":null}", "{}" },
        { "{\"a\":1}", "{\"a\":null,\"\\u0061\":2}", "{\"a\":2}" },
        { "{}", "{\"a\":1,\"a\":2}", "{\"a\":2}" },
        { "0", "{\"a\":1,\"a\":2}", "{\"a\":2}" },
        { "{\"\\ud800\":1,\"\\ud801\":2}", "{\"\\uD800\":null}", "{\"\\ud801\":2}" },
    };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_string_equal(json_text(&a, json_merge(&a, value_of(&a, cases[i].target),
                                                     value_of(&a, cases[i].patch))),
                            cases[i].result);
}

TESTS(cmocka_unit_test(follows_the_appendix_of_the_rfc),
      cmocka_unit_test(follows_the_example_of_the_rfc),
      cmocka_unit_test(keeps_what_does_not_change), cmocka_unit_test(merges_into_nothing),
      cmocka_unit_test(the_last_of_equal_keys_counts))
