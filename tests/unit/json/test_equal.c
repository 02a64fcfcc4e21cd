/* Same value, whatever the spelling. */
#include "value.h"

static void compares_values(void **state UNUSED)
{
    static const struct {
        const char *x, *y;
        bool same;
    } cases[] = {
        { "null", "null", true },
        { "true", "true", true },
        { "true", "false", false },
        { "null", "false", false },
        { "0", "\"0\"", false },
        { "[]", "{}", false },
        { "[1,2]", "[ 1.0 , 2 ]", true },
        { "[1,2]", "[2,1]", false },
        { "[1]", "[1,1]", false },
        { "[[1],[2]]", "[[1],[3]]", false },
        { "\"\\u0061\\/\"", "\"a/\"", true },
        { "\"a\"", "\"b\"", false },
        { "\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\"", true },
        { "\"\\ud800\"", "\"\\uD800\"", true },
        { "\"\\ud800\"", "\"\\ud801\"", false },
        { "\"\\ud800\"", "\"\\ufffd\"", false },
        { "{\"a\":1,\"b\":[2]}", "{ \"b\":[2.0], \"\\u0061\":1 }", true },
        { "{\"a\":1}", "{\"a\":2}", false },
        { "{\"a\":1}", "{\"b\":1}", false },
        { "{\"a\":1}", "{\"a\":1,\"b\":2}", false },
        { "{\"a\":1,\"a\":2}", "{\"a\":2}", true },
        { "{\"a\":1,\"a\":2}", "{\"a\":1}", false },
        { "{\"a\":2,\"a\":2}", "{\"a\":2,\"b\":2}", false },
        { "{\"\\ud800\":1}", "{\"\\ud801\":1}", false },
        { "{}", "{}", true },
    };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct json *x = value_of(&a, cases[i].x), *y = value_of(&a, cases[i].y);

        if (json_equal(x, y) != cases[i].same || json_equal(y, x) != cases[i].same)
            fail_msg("%s and %s", cases[i].x, cases[i].y);
    }
}

/* Members from `from` to `to`, each with its number; quadratic work on these would be noticed. */
static const struct json *many(struct arena *a, int from, int to)
{
    struct json *object = json_object(a);
    int step = from < to ? 1 : -1;

    for (int i = from; i != to; i += step)
        json_add(a, object, str_of(arena_printf(a, "key %d", i)), json_int(a, i));
    return object;
}

static void compares_large_objects_quickly(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *up = many(&a, 0, 50000), *down = many(&a, 49999, -1);

    assert_true(json_equal(up, down));
    assert_false(json_equal(up, many(&a, 1, 50001)));
    assert_false(json_equal(up, json_with(&a, down, STR("key 7"), json_int(&a, 8))));
    assert_true(json_equal(up, json_merge(&a, up, down)));
}

static void built_and_parsed_values_are_equal(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct json *o = json_object(&a), *list = json_array(&a);

    json_push(&a, list, json_int(&a, 1));
    json_push(&a, list, json_cstring(&a, "a\n\"b\""));
    json_push(&a, list, json_bool(&a, false));
    json_push(&a, list, json_null(&a));
    json_add(&a, o, STR("k\te"), list);
    assert_true(json_equal(o, value_of(&a, "{\"k\\te\":[1.0,\"a\\u000a\\\"b\\\"\",false,null]}")));
    assert_false(json_equal(o, value_of(&a, "{\"k\\te\":[1.0,\"a\\u000a\\\"b\\\"\",true,null]}")));
}

TESTS(cmocka_unit_test(compares_values), cmocka_unit_test(compares_large_objects_quickly),
      cmocka_unit_test(built_and_parsed_values_are_equal))
