#include "find/toml.h"
#include "test.h"

/* The document as compact JSON, or why it is none. */
static const char *read_as_json(struct arena *a, const char *text)
{
    const struct json *j;
    struct err e = { 0 };

    if (toml_parse(a, str_of(text), &j, &e) < 0)
        return arena_strdup(a, e.msg);
    return json_text(a, j);
}

static void tables_and_names_become_objects(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };

    assert_string_equal(
        read_as_json(&a, "a = 'x' # y\r\n[b]\nc.d = true\n[b.\"e.f\" . g]\n1-2 = 'z'\n"),
        "{\"a\":\"x\",\"b\":{\"c\":{\"d\":true},\"e.f\":{\"g\":{\"1-2\":\"z\"}}}}");
    assert_string_equal(read_as_json(&a, "[a]\nx=1\n[b]\n[a.c]\ny=2020-01-02T03:04:05Z\n"),
                        "{\"a\":{\"x\":\"1\",\"c\":{\"y\":\"2020-01-02T03:04:05Z\"}}}");
    assert_string_equal(read_as_json(&a, ""), "{}");
}

static void what_codex_remembers_of_a_hook_is_found(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    static const char text[] = "[hooks.state]\n"
                               "\"/h/hooks.json:stop:0:0\" = { trusted_hash = \"sha256:1\" }\n"
                               "[hooks.state.\"/h/hooks.json:pre_tool_use:0:0\"]\n"
                               "trusted_hash = \"sha256:2\"\nenabled = false\n";

    assert_string_equal(read_as_json(&a, text),
                        "{\"hooks\":{\"state\":{"
                        "\"/h/hooks.json:stop:0:0\":{\"trusted_hash\":\"sha256:1\"},"
                        "\"/h/hooks.json:pre_tool_use:0:0\":"
                        "{\"trusted_hash\":\"sha256:2\",\"enabled\":false}}}}");
}

static void texts_have_four_forms(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };

    assert_string_equal(read_as_json(&a, "a = \"x\\t\\u00e9\\\"\"\nb = 'c:\\d'\nc = \"\""),
                        "{\"a\":\"x\\té\\\"\",\"b\":\"c:\\\\d\",\"c\":\"\"}");
    assert_string_equal(read_as_json(&a, "a = \"\"\"\none \\\n   two\n\"\"\"\nb = '''\nx'y'''"),
                        "{\"a\":\"one two\\n\",\"b\":\"x'y\"}");
}

static void lists_go_over_lines(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };

    assert_string_equal(read_as_json(&a, "a = [ 'x', # one\n  [1, 2],\n]\nb = [{c = 'd'}, {}]"),
                        "{\"a\":[\"x\",[\"1\",\"2\"]],\"b\":[{\"c\":\"d\"},{}]}");
    assert_string_equal(read_as_json(&a, "[[m]]\na = 1\n[[m]]\nb = 2"),
                        "{\"m\":{\"a\":\"1\",\"b\":\"2\"}}");
}

static void what_is_wrong_is_said_with_its_line(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    static const char *const cases[][2] = {
        { "a = 1\nb\n", "line 2: expected '='" },
        { "a = \"x\nb = 1", "line 1: a text has no end" },
        { "a = \"\\q\"", "line 1: there is no such escape" },
        { "[a\nb = 1", "line 1: expected ']' behind the name of a table" },
        { "\n\na = [1 2]", "line 3: expected ',' or ']'" },
        { "a = {b = 1", "line 1: expected ',' or '}'" },
        { "a = 1 b = 2", "line 1: expected the end of the line" },
        { "a =", "line 1: expected a value" },
        { "= 1", "line 1: expected a name" },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_string_equal(read_as_json(&a, cases[i][0]), cases[i][1]);
}

static void depth_has_a_limit(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf text = { 0 };

    strbuf_addstr(&text, "a = ");
    for (int i = 0; i < 1000; i++)
        strbuf_addch(&text, '[');
    assert_string_equal(read_as_json(&a, strbuf_cstr(&text)),
                        "line 1: values lie too deep in one another");
    strbuf_reset(&text);
    for (int i = 0; i < 1000; i++)
        strbuf_addstr(&text, "a.");
    assert_string_equal(read_as_json(&a, strbuf_cstr(&text)),
                        "line 1: tables lie too deep in one another");
}

TESTS(cmocka_unit_test(tables_and_names_become_objects),
      cmocka_unit_test(what_codex_remembers_of_a_hook_is_found),
      cmocka_unit_test(texts_have_four_forms), cmocka_unit_test(lists_go_over_lines),
      cmocka_unit_test(what_is_wrong_is_said_with_its_line), cmocka_unit_test(depth_has_a_limit))
