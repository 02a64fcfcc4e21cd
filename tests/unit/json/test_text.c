/* Changes that are cut into a text. */
#include "value.h"

static const char *insert(struct arena *a, const char *text, const char *where, struct str key,
                          const char *value)
{
    const struct json_edited source = json_edited(a, str_of(text), true);
    const struct json *j = value_of(a, source.parsed.ptr);

    return json_text_insert(a, &source, json_pointer(j, where), key, value_of(a, value));
}

static const char *removed(struct arena *a, const char *text, const char *where, const char *child)
{
    const struct json_edited source = json_edited(a, str_of(text), true);
    const struct json *j = value_of(a, source.parsed.ptr);

    return json_text_remove(a, &source, json_pointer(j, where), json_pointer(j, child));
}

static void a_new_member_is_laid_out_as_its_neighbours_are(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };

    assert_string_equal(
        insert(&a, "{\n    \"a\" :  1.50\n}", "", STR("b"), "{\"c\":[1]}"),
        "{\n    \"a\" :  1.50,\n    \"b\": {\n        \"c\": [\n            1\n        ]\n    }\n}");
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

static void line_ends_and_indentation_are_those_of_the_text(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };

    assert_string_equal(insert(&a, "{\r\n\t\"a\": {}\r\n}\r\n", "/a", STR("b"), "[1]"),
                        "{\r\n\t\"a\": {\r\n\t\t\"b\": [\r\n\t\t\t1\r\n\t\t]\r\n\t}\r\n}\r\n");
}

static void a_value_is_replaced_where_it_stands(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json_edited source = json_edited(&a, STR("{ \"a\" : 1 /* x */ }"), true);
    const struct json *j = value_of(&a, source.parsed.ptr);

    assert_string_equal(
        json_text_replace(&a, &source, json_get(j, STR("a")), json_cstring(&a, "b")),
        "{ \"a\" : \"b\" /* x */ }");
}

static void comments_are_told_from_texts(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const char *text = "{\"u\": \"http://x/*\", // \"\n\"v\\\"//\": /* {\n */ 1 /**/}//";
    struct json_edited source = json_edited(&a, str_of(text), true);

    assert_int_equal(source.parsed.len, strlen(text));
    assert_string_equal(source.parsed.ptr,
                        "{\"u\": \"http://x/*\",     \n\"v\\\"//\":     \n    1     }  ");
    source = json_edited(&a, str_of(text), false);
    assert_ptr_equal(source.parsed.ptr, text);
}

static void comments_stay_where_they_are(void **state UNUSED)
{
    static const char *const texts[] = {
        "{\n  \"a\": 1 // one\n  // end\n}\n",
        "{\n  // none yet\n}",
        "{\"a\": 1 /* one */}",
        "{\n  \"a\": 1 /* o\n n */ // e\n}",
    };
    CLEANUP(arena) struct arena a = { 0 };

    assert_string_equal(insert(&a, texts[0], "", STR("b"), "2"),
                        "{\n  \"a\": 1, // one\n  \"b\": 2\n  // end\n}\n");
    assert_string_equal(insert(&a, texts[1], "", STR("b"), "2"), "{\n  // none yet\n  \"b\": 2\n}");
    assert_string_equal(insert(&a, "{ /* none */ }", "", STR("b"), "2"),
                        "{ /* none */\n  \"b\": 2\n }");
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        assert_string_equal(
            removed(&a, insert(&a, texts[i], "", STR("new"), "{\"x\":[]}"), "", "/new"), texts[i]);
    assert_string_equal(removed(&a, "{\n  \"a\": 1, // ours\n  // theirs\n  \"b\": 2\n}", "", "/a"),
                        "{\n  // ours\n  // theirs\n  \"b\": 2\n}");
    assert_string_equal(
        removed(&a, "{\n  \"a\": 1, // one\n  // two\n  \"b\": 2, // three\n  \"c\": 3\n}", "",
                "/b"),
        "{\n  \"a\": 1, // one\n  // two\n  // three\n  \"c\": 3\n}");
}

TESTS(cmocka_unit_test(a_new_member_is_laid_out_as_its_neighbours_are),
      cmocka_unit_test(an_empty_container_gets_lines),
      cmocka_unit_test(a_child_goes_with_its_comma),
      cmocka_unit_test(line_ends_and_indentation_are_those_of_the_text),
      cmocka_unit_test(a_value_is_replaced_where_it_stands),
      cmocka_unit_test(comments_are_told_from_texts),
      cmocka_unit_test(comments_stay_where_they_are),
      cmocka_unit_test(what_was_inserted_behind_others_leaves_the_bytes_as_they_were))
