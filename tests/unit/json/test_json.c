/* Looking at values. */
#include "value.h"

static void finds_members(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *j = value_of(&a, "{\"a\":1,\"b\":{\"c\":2},\"\":3,\"d\":null}");

    assert_string_equal(json_text(&a, json_get(j, STR("a"))), "1");
    assert_string_equal(json_text(&a, json_get(json_get(j, STR("b")), STR("c"))), "2");
    assert_string_equal(json_text(&a, json_get(j, STR(""))), "3");
    assert_int_equal(json_type(json_get(j, STR("d"))), JSON_NULL);
    assert_null(json_get(j, STR("A")));
    assert_null(json_get(j, STR("aa")));
    assert_null(json_get(value_of(&a, "[1]"), STR("a")));
}

static void finds_the_last_of_equal_keys(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *j = value_of(&a, "{\"k\":1,\"x\":2,\"\\u006b\":3,\"y\":4}");

    assert_string_equal(json_text(&a, json_get(j, STR("k"))), "3");
    assert_int_equal(json_count(j), 4);
}

static void finds_members_by_their_decoded_name(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *j = value_of(&a, "{\"a\\nb\":1,\"\\u00e9\":2,\"\\ud83d\\ude00!\":3,"
                                        "\"\\u0000\":4,\"\\ud800\":5,\"\\\\\":6}");

    assert_string_equal(json_text(&a, json_get(j, STR("a\nb"))), "1");
    assert_string_equal(json_text(&a, json_get(j, STR("\xc3\xa9"))), "2");
    assert_string_equal(json_text(&a, json_get(j, STR("\xf0\x9f\x98\x80!"))), "3");
    assert_string_equal(json_text(&a, json_get(j, STR("\0"))), "4");
    assert_string_equal(json_text(&a, json_get(j, STR("\xef\xbf\xbd"))), "5");
    assert_string_equal(json_text(&a, json_get(j, STR("\\"))), "6");
    assert_null(json_get(j, STR("a\nbc")));
    assert_null(json_get(j, STR("a\n")));
    assert_null(json_get(j, STR("a\\nb")));
    for (const struct json *c = json_first(j); c; c = json_next(c))
        assert_ptr_equal(json_get(j, json_key(&a, c)), c);
}

/* The examples of RFC 6901, section 5, and what it calls errors. */
static void follows_pointers(void **state UNUSED)
{
    static const struct {
        const char *pointer, *text;
    } cases[] = {
        { "/foo", "[\"bar\",\"baz\"]" },
        { "/foo/0", "\"bar\"" },
        { "/foo/1", "\"baz\"" },
        { "/", "0" },
        { "/a~1b", "1" },
        { "/c%d", "2" },
        { "/e^f", "3" },
        { "/g|h", "4" },
        { "/i\\j", "5" },
        { "/k\"l", "6" },
        { "/ ", "7" },
        { "/m~0n", "8" },
        { "/~01", "9" },
        { "foo", NULL },
        { "/foo/2", NULL },
        { "/foo/00", NULL },
        { "/foo/01", NULL },
        { "/foo/-", NULL },
        { "/foo/-1", NULL },
        { "/foo/", NULL },
        { "/foo/0/x", NULL },
        { "/foo/99999999999999999999", NULL },
        { "/foo/18446744073709551616", NULL },
        { "/m~2n", NULL },
        { "/m~", NULL },
        { "/nothing/here", NULL },
    };
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *j =
        value_of(&a, "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,"
                     "\"i\\\\j\":5,\"k\\\"l\":6,\" \":7,\"m~n\":8,\"~1\":9}");

    assert_ptr_equal(json_pointer(j, ""), j);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct json *found = json_pointer(j, cases[i].pointer);

        if (cases[i].text)
            assert_string_equal(json_text(&a, found), cases[i].text);
        else
            assert_null(found);
    }
}

static void walks_children(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *j = value_of(&a, "[0,[1],{\"x\":2},\"3\"]");
    size_t count = 0;

    for (const struct json *c = json_first(j); c; c = json_next(c))
        assert_ptr_equal(json_at(j, count++), c);
    assert_int_equal(count, 4);
    assert_int_equal(json_count(j), 4);
    assert_null(json_at(j, 4));
    assert_null(json_at(json_at(j, 2), 0));
    assert_int_equal(json_count(json_at(j, 1)), 1);
    assert_int_equal(json_count(json_at(j, 3)), 0);
    assert_null(json_first(json_at(j, 3)));
    assert_null(json_key(&a, json_at(j, 0)).ptr);
    assert_true(str_is(json_key(&a, json_first(json_at(j, 2))), "x"));
}

static void every_reader_accepts_nothing(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    int64_t n;
    double d;

    assert_int_equal(json_type(NULL), JSON_ABSENT);
    assert_null(json_get(NULL, STR("a")));
    assert_null(json_pointer(NULL, "/a/0"));
    assert_null(json_pointer(NULL, ""));
    assert_int_equal(json_count(NULL), 0);
    assert_null(json_at(NULL, 0));
    assert_null(json_first(NULL));
    assert_null(json_next(NULL));
    assert_false(str_is_set(json_key(&a, NULL)));
    assert_false(str_is_set(json_source(NULL)));
    assert_false(str_is_set(json_str(&a, NULL)));
    assert_null(json_cstr(&a, NULL));
    assert_false(json_is_true(NULL));
    assert_true(json_to_int64(NULL, &n) < 0);
    assert_true(json_to_double(NULL, &d) < 0);
    assert_true(json_equal(NULL, NULL));
    assert_false(json_equal(NULL, json_null(&a)));
    assert_null(json_copy(&a, NULL));
    assert_string_equal(json_text(&a, NULL), "null");
}

static void names_types(void **state UNUSED)
{
    static const struct {
        const char *text, *name;
        enum json_type type;
    } cases[] = {
        { "null", "null", JSON_NULL },    { "true", "a boolean", JSON_BOOL },
        { "1", "a number", JSON_NUMBER }, { "\"\"", "a string", JSON_STRING },
        { "[]", "an array", JSON_ARRAY }, { "{}", "an object", JSON_OBJECT },
    };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        assert_int_equal(json_type(value_of(&a, cases[i].text)), cases[i].type);
        assert_string_equal(json_type_name(cases[i].type), cases[i].name);
    }
    assert_string_equal(json_type_name(JSON_ABSENT), "nothing");
}

static void decodes_strings(void **state UNUSED)
{
    static const struct {
        const char *text;
        const char *bytes;
        size_t len;
    } cases[] = {
        { "\"plain\"", "plain", 5 },
        { "\"\"", "", 0 },
        { "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8 },
        { "\"a\\u0000b\"", "a\0b", 3 },
        { "\"\\u007f\\u0080\\u07FF\\u0800\\uffff\"", "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf",
          11 },
        { "\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80", 4 },
        { "\"\\udbff\\udfff\"", "\xf4\x8f\xbf\xbf", 4 },
        { "\"\\ud83d\"", "\xef\xbf\xbd", 3 },
        { "\"\\ude00\\ud83d\"", "\xef\xbf\xbd\xef\xbf\xbd", 6 },
        { "\"\\ud83d\\ud83d\\ude00\"", "\xef\xbf\xbd\xf0\x9f\x98\x80", 7 },
        { "\"\\ude00\\ude00\"", "\xef\xbf\xbd\xef\xbf\xbd", 6 },
        { "\"\\ud83dx\\n\"", "\xef\xbf\xbdx\n", 5 },
        { "\"\\ud83d\\n\"", "\xef\xbf\xbd\n", 4 },
        { "\"\\ud83d\\u0041\"",
          "\xef\xbf\xbd"
          "A",
          4 },
        { "\"\\\\u0041\"", "\\u0041", 6 },
    };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct json *j = value_of(&a, cases[i].text);
        struct str s = json_str(&a, j);
        char *terminated = json_cstr(&a, j);

        assert_int_equal(s.len, cases[i].len);
        assert_memory_equal(s.ptr, cases[i].bytes, s.len);
        assert_memory_equal(terminated, cases[i].bytes, s.len);
        assert_int_equal(terminated[s.len], '\0');
    }
    assert_false(str_is_set(json_str(&a, value_of(&a, "1"))));
    assert_null(json_cstr(&a, value_of(&a, "[\"a\"]")));
}

static void plain_strings_point_into_the_source(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const char *text = "[\"abc\", {\"k\": 1}]";
    const struct json *j = value_of(&a, text);

    assert_ptr_equal(json_str(&a, json_at(j, 0)).ptr, text + 2);
    assert_ptr_equal(json_source(json_at(j, 1)).ptr, text + 8);
    assert_true(str_is(json_source(json_at(j, 1)), "{\"k\": 1}"));
    assert_true(str_is(json_source(json_at(j, 0)), "\"abc\""));
    assert_false(str_is_set(json_source(json_int(&a, 1))));
    assert_false(str_is_set(json_source(json_object(&a))));
}

static void only_true_is_true(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };

    assert_true(json_is_true(value_of(&a, "true")));
    assert_true(json_is_true(json_bool(&a, true)));
    assert_false(json_is_true(value_of(&a, "false")));
    assert_false(json_is_true(value_of(&a, "1")));
    assert_false(json_is_true(value_of(&a, "\"true\"")));
}

TESTS(cmocka_unit_test(finds_members), cmocka_unit_test(finds_the_last_of_equal_keys),
      cmocka_unit_test(finds_members_by_their_decoded_name), cmocka_unit_test(follows_pointers),
      cmocka_unit_test(walks_children), cmocka_unit_test(every_reader_accepts_nothing),
      cmocka_unit_test(names_types), cmocka_unit_test(decodes_strings),
      cmocka_unit_test(plain_strings_point_into_the_source), cmocka_unit_test(only_true_is_true))
