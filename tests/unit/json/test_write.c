/* Writing: as is, compact, pretty. */
#include "value.h"

static void writes_unchanged_values_byte_for_byte(void **state UNUSED)
{
    static const char *const texts[] = {
        "{ \"b\" : 1.0 ,\n\t\"a\":[ ], \"b\":1e400 }",
        "[123456789012345678901234567890, -0, 1E+2, \"\\u0000\\/\\ud800\\uD83D\"]",
        "{\"\\u006b\":\"\\u00e9\xc3\xa9\",\"k\":null}",
        "\"\\n\"",
        "0.10",
    };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        CLEANUP(strbuf) struct strbuf out = { 0 };

        json_write(&out, value_of(&a, texts[i]), JSON_AS_IS);
        assert_string_equal(strbuf_cstr(&out), texts[i]);
    }
}

static void outer_white_space_is_not_part_of_a_value(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf out = { 0 };

    json_write(&out, value_of(&a, " \n[ 1 ]\t"), JSON_AS_IS);
    assert_string_equal(strbuf_cstr(&out), "[ 1 ]");
}

static void writes_compact(void **state UNUSED)
{
    static const struct {
        const char *text, *compact;
    } cases[] = {
        { "{ \"a\" : [ 1 , 2.0 ] , \"b\\u0020 c\" : { } }", "{\"a\":[1,2.0],\"b\\u0020 c\":{}}" },
        { "[[1,2], [3,\n4],[5,6]]", "[[1,2],[3,4],[5,6]]" },
        { "[ ]", "[]" },
        { "{\r\n}", "{}" },
        { "{\"a\":[1, 2],\"b\":{\"c\":[3,4]}}", "{\"a\":[1,2],\"b\":{\"c\":[3,4]}}" },
        { "{\"a\" :1}", "{\"a\":1}" },
        { "{\"a\": 1}", "{\"a\":1}" },
        { "{ \"a\":1}", "{\"a\":1}" },
        { "[1 ]", "[1]" },
        { "[\"a b\",\" \\t\"]", "[\"a b\",\" \\t\"]" },
    };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_string_equal(json_text(&a, value_of(&a, cases[i].text)), cases[i].compact);
}

static void writes_pretty(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf out = { 0 };

    json_write(&out, value_of(&a, "{\"a\":[1.0,{}, []],\"b\":{\"c\\n\":\"d\"}}"), JSON_PRETTY);
    assert_string_equal(strbuf_cstr(&out), "{\n"
                                           "  \"a\": [\n"
                                           "    1.0,\n"
                                           "    {},\n"
                                           "    []\n"
                                           "  ],\n"
                                           "  \"b\": {\n"
                                           "    \"c\\n\": \"d\"\n"
                                           "  }\n"
                                           "}");
    strbuf_reset(&out);
    json_write(&out, json_cstring(&a, "x"), JSON_PRETTY);
    assert_string_equal(strbuf_cstr(&out), "\"x\"");
}

static void indents_deep_values(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf deep = { 0 }, out = { 0 };
    char wanted[2 * 50 + 3];

    for (int i = 0; i < 50; i++)
        strbuf_addch(&deep, '[');
    strbuf_addch(&deep, '7');
    for (int i = 0; i < 50; i++)
        strbuf_addch(&deep, ']');
    json_write(&out, value_of(&a, strbuf_cstr(&deep)), JSON_PRETTY);
    snprintf(wanted, sizeof(wanted), "\n%*s", 2 * 50 + 1, "7");
    assert_non_null(strstr(strbuf_cstr(&out), wanted));
    assert_string_equal(json_text(&a, value_of(&a, strbuf_cstr(&out))), strbuf_cstr(&deep));
}

static void escapes_strings(void **state UNUSED)
{
    static const struct {
        const char *bytes;
        size_t len;
        const char *text;
    } cases[] = {
        { "", 0, "\"\"" },
        { "plain", 5, "\"plain\"" },
        { "\"\\/", 3, "\"\\\"\\\\/\"" },
        { "\b\f\n\r\t\v", 6, "\"\\b\\f\\n\\r\\t\\u000b\"" },
        { "\0\x1f\x7f", 3, "\"\\u0000\\u001f\x7f\"" },
        { "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9, "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"" },
        { "a\xff"
          "b",
          3,
          "\"a\xef\xbf\xbd"
          "b\"" },
        { "\xc3", 1, "\"\xef\xbf\xbd\"" },
        { "\xe2\x82x", 3, "\"\xef\xbf\xbdx\"" },
        { "\xf0\x9f\x98", 3, "\"\xef\xbf\xbd\"" },
        { "\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
        { "\xc0\xaf", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(arena) struct arena a = { 0 };
        CLEANUP(strbuf) struct strbuf out = { 0 };
        struct str bytes = { cases[i].bytes, cases[i].len };
        struct json *o = json_object(&a);

        json_write_string(&out, bytes);
        assert_string_equal(strbuf_cstr(&out), cases[i].text);
        assert_string_equal(json_text(&a, json_string(&a, bytes)), cases[i].text);
        json_add(&a, o, bytes, json_null(&a));
        assert_string_equal(json_text(&a, o), arena_printf(&a, "{%s:null}", cases[i].text));
    }
}

static void every_string_comes_back(void **state UNUSED)
{
    for (unsigned c = 0; c < 0x80; c++) {
        for (size_t before = 0; before < 70; before += 5) {
            CLEANUP(arena) struct arena a = { 0 };
            char bytes[80];
            struct str s = { bytes, before + 2 };

            memset(bytes, 'x', sizeof(bytes));
            bytes[before] = (char)c;
            s = json_str(&a, value_of(&a, json_text(&a, json_string(&a, s))));
            assert_int_equal(s.len, before + 2);
            assert_memory_equal(s.ptr, bytes, s.len);
        }
    }
}

static void a_full_buffer_is_marked(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf out = { .max = 5 };

    json_write(&out, value_of(&a, "[1,2,3,4]"), JSON_COMPACT);
    assert_true(out.truncated);
    assert_string_equal(strbuf_cstr(&out), "[1,2,");
}

/* Values from a small random grammar: each style must read back as the same value. */
struct dice {
    uint64_t seed;
};

static unsigned roll(struct dice *d, unsigned sides)
{
    d->seed = d->seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(d->seed >> 33) % sides;
}

static void add_space(struct strbuf *b, struct dice *d)
{
    static const char *const spaces[] = { "", "", "", " ", "\n", "\t  ", "\r\n" };

    strbuf_addstr(b, spaces[roll(d, ARRAY_LEN(spaces))]);
}

static void add_random(struct strbuf *b, struct dice *d, unsigned depth)
{
    static const char *const scalars[] = {
        "null",
        "true",
        "false",
        "0",
        "-1.50e3",
        "1e400",
        "\"\"",
        "\"a\\nb\"",
        "\"\\ud800\"",
        "\"\xc3\xa9\\u00e9\"",
        "123456789012345678901234567890",
        "\"[{,:}]\"",
    };
    static const char *const keys[] = { "\"a\"", "\"b\"", "\"\\u0061\"", "\"\"", "\"k\\\"\"" };
    unsigned kind = depth > 5 ? 0 : roll(d, 4), count = roll(d, 5);

    if (kind < 2) {
        strbuf_addstr(b, scalars[roll(d, ARRAY_LEN(scalars))]);
        return;
    }
    strbuf_addch(b, kind == 2 ? '[' : '{');
    add_space(b, d);
    for (unsigned i = 0; i < count; i++) {
        strbuf_addstr(b, i ? "," : "");
        add_space(b, d);
        if (kind == 3) {
            strbuf_addstr(b, keys[roll(d, ARRAY_LEN(keys))]);
            add_space(b, d);
            strbuf_addch(b, ':');
            add_space(b, d);
        }
        add_random(b, d, depth + 1);
        add_space(b, d);
    }
    strbuf_addch(b, kind == 2 ? ']' : '}');
}

static void random_values_survive_every_style(void **state UNUSED)
{
    struct dice d = { 7 };

    for (int round = 0; round < 2000; round++) {
        CLEANUP(arena) struct arena a = { 0 };
        CLEANUP(strbuf) struct strbuf text = { 0 }, as_is = { 0 }, compact = { 0 }, pretty = { 0 };
        CLEANUP(strbuf) struct strbuf again = { 0 };
        const struct json *j;

        add_random(&text, &d, 0);
        j = value_of(&a, strbuf_cstr(&text));
        json_write(&as_is, j, JSON_AS_IS);
        json_write(&compact, j, JSON_COMPACT);
        json_write(&pretty, j, JSON_PRETTY);
        assert_string_equal(strbuf_cstr(&as_is), strbuf_cstr(&text));
        assert_null(strpbrk(strbuf_cstr(&compact), " \n\t\r"));
        assert_true(json_equal(j, value_of(&a, strbuf_cstr(&compact))));
        json_write(&again, value_of(&a, strbuf_cstr(&pretty)), JSON_COMPACT);
        assert_string_equal(strbuf_cstr(&again), strbuf_cstr(&compact));
        assert_string_equal(json_text(&a, json_copy(&a, j)), strbuf_cstr(&compact));
    }
}

TESTS(cmocka_unit_test(writes_unchanged_values_byte_for_byte),
      cmocka_unit_test(outer_white_space_is_not_part_of_a_value), cmocka_unit_test(writes_compact),
      cmocka_unit_test(writes_pretty), cmocka_unit_test(indents_deep_values),
      cmocka_unit_test(escapes_strings), cmocka_unit_test(every_string_comes_back),
      cmocka_unit_test(a_full_buffer_is_marked),
      cmocka_unit_test(random_values_survive_every_style))
