/* Building and editing. */
#include "value.h"

static void builds_values(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct json *o = json_object(&a), *list = json_array(&a);

    json_push(&a, list, json_int(&a, -4));
    json_push(&a, list, NULL);
    json_push(&a, list, json_cstring(&a, NULL));
    json_push(&a, list, json_string(&a, (struct str){ 0 }));
    json_add(&a, o, STR("list"), list);
    json_add(&a, o, STR("left out"), NULL);
    json_add(&a, o, STR("yes"), json_bool(&a, true));
    json_add(&a, o, (struct str){ 0 }, json_double(&a, 0.5));
    assert_string_equal(json_text(&a, o), "{\"list\":[-4,null,\"\"],\"yes\":true,\"\":0.5}");
    assert_int_equal(json_count(o), 3);
    assert_int_equal(json_count(list), 3);
}

static void one_value_can_stand_in_several_places(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *source = value_of(&a, "{\"x\":{\"y\":[1, 2]},\"z\":3}");
    const struct json *x = json_get(source, STR("x"));
    struct json *o = json_object(&a), *list = json_array(&a);

    json_push(&a, list, x);
    json_push(&a, list, x);
    json_add(&a, o, STR("a"), list);
    json_add(&a, o, STR("b"), x);
    json_add(&a, o, STR("c"), json_get(x, STR("y")));
    assert_string_equal(json_text(&a, o),
                        "{\"a\":[{\"y\":[1,2]},{\"y\":[1,2]}],\"b\":{\"y\":[1,2]},"
                        "\"c\":[1,2]}");
    assert_string_equal(json_text(&a, source), "{\"x\":{\"y\":[1,2]},\"z\":3}");
    assert_false(str_is_set(json_key(&a, json_at(list, 0))));
}

static void sets_members(void **state UNUSED)
{
    static const struct {
        const char *object, *key, *value, *result;
    } cases[] = {
        { "{\"a\": 1, \"b\": [1, 2], \"c\": 3}", "b", "9", "{\"a\":1,\"b\":9,\"c\":3}" },
        { "{\"a\":1,\"b\":2,\"c\":3}", "a", "\"\\u0041\"", "{\"a\":\"\\u0041\",\"b\":2,\"c\":3}" },
        { "{\"a\":1,\"b\":2,\"c\":3}", "c", "null", "{\"a\":1,\"b\":2,\"c\":null}" },
        { "{\"a\":1}", "d\n", "{\"x\": 1}", "{\"a\":1,\"d\\n\":{\"x\": 1}}" },
        { "{}", "a", "1", "{\"a\":1}" },
        { "{\"a\":1,\"b\":2,\"c\":3}", "b", NULL, "{\"a\":1,\"c\":3}" },
        { "{\"a\":1,\"b\":2}", "a", NULL, "{\"b\":2}" },
        { "{\"a\":1,\"b\":2}", "b", NULL, "{\"a\":1}" },
        { "{\"a\":1}", "a", NULL, "{}" },
        { "{\"a\": 1}", "x", NULL, "{\"a\": 1}" },
        { "{\"k\":1,\"x\":2,\"\\u006b\":3,\"y\":4}", "k", "5", "{\"x\":2,\"\\u006b\":5,\"y\":4}" },
        { "{\"k\":1,\"x\":2,\"\\u006b\":3,\"y\":4}", "k", NULL, "{\"x\":2,\"y\":4}" },
        { "[1]", "a", "1", "{\"a\":1}" },
        { "7", "a", NULL, "{}" },
    };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(strbuf) struct strbuf out = { 0 };
        const struct json *before = value_of(&a, cases[i].object), *after;
        const char *v = cases[i].value;
        size_t count = 0;

        after = json_with(&a, before, str_of(cases[i].key), v ? value_of(&a, v) : NULL);
        json_write(&out, after, JSON_AS_IS);
        assert_string_equal(strbuf_cstr(&out), cases[i].result);
        for (const struct json *c = json_first(after); c; c = json_next(c))
            count++;
        assert_int_equal(json_count(after), count);
        assert_true(str_is(json_source(before), cases[i].object));
    }
    assert_string_equal(json_text(&a, json_with(&a, NULL, STR("a"), json_int(&a, 1))), "{\"a\":1}");
    assert_string_equal(json_text(&a, json_with(&a, NULL, STR("a"), NULL)), "{}");
}

static void an_edit_leaves_earlier_values_alone(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *v[6] = { value_of(&a, "{\"a\":1,\"b\":2,\"c\":3}") };

    v[1] = json_with(&a, v[0], STR("b"), json_int(&a, 20));
    v[2] = json_with(&a, v[1], STR("d"), json_int(&a, 4));
    v[3] = json_with(&a, v[2], STR("c"), NULL);
    v[4] = json_with(&a, v[3], STR("b"), v[0]);
    v[5] = json_with(&a, v[1], STR("c"), json_int(&a, 30));
    assert_string_equal(json_text(&a, v[0]), "{\"a\":1,\"b\":2,\"c\":3}");
    assert_string_equal(json_text(&a, v[1]), "{\"a\":1,\"b\":20,\"c\":3}");
    assert_string_equal(json_text(&a, v[2]), "{\"a\":1,\"b\":20,\"c\":3,\"d\":4}");
    assert_string_equal(json_text(&a, v[3]), "{\"a\":1,\"b\":20,\"d\":4}");
    assert_string_equal(json_text(&a, v[4]), "{\"a\":1,\"b\":{\"a\":1,\"b\":2,\"c\":3},\"d\":4}");
    assert_string_equal(json_text(&a, v[5]), "{\"a\":1,\"b\":20,\"c\":30}");
}

static void splices_arrays(void **state UNUSED)
{
    static const struct {
        const char *array;
        size_t at, remove;
        const char *insert, *result;
    } cases[] = {
        { "[1,2,3,4]", 1, 2, "[9]", "[1,9,4]" },
        { "[1,2,3,4]", 0, 0, "[8,9]", "[8,9,1,2,3,4]" },
        { "[1,2,3,4]", 4, 0, "[8,[9, 9]]", "[1,2,3,4,8,[9,9]]" },
        { "[1,2,3,4]", 99, 1, "[5]", "[1,2,3,4,5]" },
        { "[1,2,3,4]", 2, SIZE_MAX, "[]", "[1,2]" },
        { "[1,2,3,4]", 0, 4, NULL, "[]" },
        { "[1,2,3,4]", 1, 1, NULL, "[1,3,4]" },
        { "[1,2,3,4]", 3, 1, "7", "[1,2,3]" },
        { "[]", 0, 0, "[1]", "[1]" },
        { "{\"a\":1}", 0, 5, "[1]", "[1]" },
    };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct json *before = value_of(&a, cases[i].array), *after;
        const char *insert = cases[i].insert;
        size_t count = 0;

        after = json_splice(&a, before, cases[i].at, cases[i].remove,
                            insert ? value_of(&a, insert) : NULL);
        assert_string_equal(json_text(&a, after), cases[i].result);
        for (const struct json *c = json_first(after); c; c = json_next(c))
            count++;
        assert_int_equal(json_count(after), count);
        assert_string_equal(json_text(&a, before), cases[i].array);
    }
}

static void a_splice_of_nothing_keeps_the_value(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *array = value_of(&a, "[1, 2]");

    assert_ptr_equal(json_splice(&a, array, 1, 0, NULL), array);
    assert_ptr_equal(json_splice(&a, array, 5, 3, value_of(&a, "[]")), array);
    assert_ptr_equal(json_append(&a, array, NULL), array);
}

static void appends_to_arrays(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *array = value_of(&a, "[1]"), *longer;

    longer = json_append(&a, array, value_of(&a, "{\"a\": 2}"));
    longer = json_append(&a, longer, json_first(json_at(longer, 1)));
    assert_string_equal(json_text(&a, longer), "[1,{\"a\":2},2]");
    assert_string_equal(json_text(&a, array), "[1]");
    assert_string_equal(json_text(&a, json_append(&a, NULL, array)), "[[1]]");
}

static void copies_outlive_their_source(void **state UNUSED)
{
    static const char *const texts[] = {
        "{\"a\": [1, {\"\\u0062\": \"c\\n\"}], \"d\": null, \"\": {}}",
        "[]",
        "\"text\"",
        "[[[[1.0e5]]], true]",
    };

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        CLEANUP(arena) struct arena kept = { 0 };
        CLEANUP(strbuf) struct strbuf out = { 0 };
        CLEANUP(mem) char *text = strdup(texts[i]);
        struct arena gone = { 0 };
        const struct json *copy = json_copy(&kept, value_of(&gone, text));

        memset(text, '#', strlen(text));
        arena_release(&gone);
        json_write(&out, copy, JSON_AS_IS);
        assert_string_equal(strbuf_cstr(&out), texts[i]);
        assert_true(json_equal(copy, value_of(&kept, texts[i])));
    }
}

static void copies_of_edited_values_outlive_their_source(void **state UNUSED)
{
    CLEANUP(arena) struct arena kept = { 0 };
    CLEANUP(mem) char *text = strdup("{\"a\": {\"x\": [1, 2]}, \"\\u0062\": \"\\n\", \"c\": 1}");
    CLEANUP(mem) char *word = strdup("built \"word\"");
    struct arena gone = { 0 };
    const struct json *j = value_of(&gone, text), *copy;

    j = json_with(&gone, j, STR("c"), json_string(&gone, str_of(word)));
    j = json_with(&gone, j, str_of(word), json_append(&gone, json_pointer(j, "/a/x"), j));
    copy = json_copy(&kept, j);
    memset(text, '#', strlen(text));
    memset(word, '#', strlen(word));
    arena_release(&gone);
    assert_string_equal(json_text(&kept, copy),
                        "{\"a\":{\"x\":[1,2]},\"\\u0062\":\"\\n\",\"c\":\"built \\\"word\\\"\","
                        "\"built \\\"word\\\"\":[1,2,{\"a\":{\"x\":[1,2]},\"\\u0062\":\"\\n\","
                        "\"c\":\"built \\\"word\\\"\"}]}");
}

/* The depth of a built value has no bound; that of the stack has. */
static void survives_very_deep_values(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf out = { .max = (size_t)1 << 20 };
    const struct json *deep = json_null(&a), *other = json_null(&a);

    for (int i = 0; i < 200000; i++) {
        deep = json_append(&a, NULL, deep);
        other = json_with(&a, NULL, STR("k"), other);
    }
    json_write(&out, deep, JSON_COMPACT);
    assert_true(out.truncated);
    assert_int_equal(out.len, 2 * JSON_DEPTH_LIMIT + 4);
    strbuf_reset(&out);
    json_write(&out, other, JSON_PRETTY);
    assert_true(out.truncated);
    assert_false(json_equal(deep, json_copy(&a, deep)));
    assert_non_null(json_merge(&a, other, other));
}

TESTS(cmocka_unit_test(builds_values), cmocka_unit_test(one_value_can_stand_in_several_places),
      cmocka_unit_test(sets_members), cmocka_unit_test(an_edit_leaves_earlier_values_alone),
      cmocka_unit_test(splices_arrays), cmocka_unit_test(a_splice_of_nothing_keeps_the_value),
      cmocka_unit_test(appends_to_arrays), cmocka_unit_test(copies_outlive_their_source),
      cmocka_unit_test(copies_of_edited_values_outlive_their_source),
      cmocka_unit_test(survives_very_deep_values))
