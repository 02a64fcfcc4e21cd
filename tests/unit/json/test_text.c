/* Changes that are cut into a text. */
#include "value.h"

static const char *insert(struct arena *a, const char *text, const char *where, struct str key,
                          const char *value)
{
    const struct json *j = value_of(a, text);

    return json_text_insert(a, str_of(text), json_pointer(j, where), key, value_of(a, value));
}

static const char *removed(struct arena *a, const char *text, const char *where, const char *child)
{
    const struct json *j = value_of(a, text);

    return json_text_remove(a, str_of(text), json_pointer(j, where), json_pointer(j, child));
}

static void a_new_member_is_laid_out_as_its_neighbours_are(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };

    assert_string_equal(
        insert(&a, "{\n    \"a\" :  1.50\n}", "", STR("b"), "{\"c\":[1]}"),
        "{\n    \"a\" :  1.50,\n    \"b\": {\n      \"c\": [\n        1\n      ]\n    }\n}");
    assert_string_equal(insert(&a, "{\"a\":1}", "", STR("b"), "2"), "{\"a\":1, \"b\": 2}");
    assert_string_equal(insert(&a, "[1,2]", "", (struct str){ 0 }, "3"), "[1,2, 3]");
    assert_string_equal(insert(&a, "{ \"x\": [\n  1\n] }", "/x", (struct str){ 0 }, "2"),
                        "{ \"x\": [\n  1,\n  2\n] }");
}

static void an_empty_container_gets_lines(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };

    assert_string_equal(insert(&a, "{}", "", STR("a"), "1"), "{\n  \"a\": 1\n}");
    assert_string_equal(insert(&a, "{\n  \"a\": [ ]\n}", "/a", (struct str){ 0 }, "1"),
                        "{\n  \"a\": [\n    1\n  ]\n}");
}

static void a_child_goes_with_its_comma(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };

    assert_string_equal(removed(&a, "{\"a\": 1,\n \"b\": 2}", "", "/b"), "{\"a\": 1}");
    assert_string_equal(removed(&a, "{\"a\": 1,\n \"b\": 2}", "", "/a"), "{\"b\": 2}");
    assert_string_equal(removed(&a, "[ 1 , 2 , 3 ]", "", "/1"), "[ 1 , 3 ]");
    assert_string_equal(removed(&a, "[ 1 ]", "", "/0"), "[]");
}

static void what_was_inserted_behind_others_leaves_the_bytes_as_they_were(void **state UNUSED)
{
    static const char *const texts[] = { "{\n\t\"a\": [1],\n\t\"b\": null\n}\n", "{\"a\":1}",
                                         "{ \"a\" : 1 }", "{\"a\":\n1}" };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        assert_string_equal(
            removed(&a, insert(&a, texts[i], "", STR("new"), "{\"x\":[]}"), "", "/new"), texts[i]);
}

TESTS(cmocka_unit_test(a_new_member_is_laid_out_as_its_neighbours_are),
      cmocka_unit_test(an_empty_container_gets_lines),
      cmocka_unit_test(a_child_goes_with_its_comma),
      cmocka_unit_test(what_was_inserted_behind_others_leaves_the_bytes_as_they_were))
