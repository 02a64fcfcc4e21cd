#include "base/yaml.h"
#include "hook/setting.h"
#include "test.h"

struct parsed {
    struct arena arena;
    struct setting *root;
    struct origin bad;
    struct err e;
    int r;
};

static void parsed_cleanup(struct parsed *p)
{
    arena_release(&p->arena);
}

static struct parsed parse(const char *file, const char *text)
{
    struct parsed p = { 0 };
    struct origin origin = { .source = SOURCE_USER, .file = file };

    p.r = setting_parse(&p.arena, &origin, str_of(text), &p.root, &p.bad, &p.e);
    return p;
}

static void assert_kinds(const char *file, const char *text, const enum setting_kind *kinds,
                         size_t count)
{
    CLEANUP(parsed) struct parsed p = parse(file, text);
    const struct setting *s;

    assert_int_equal(p.r, 0);
    s = p.root->first;
    for (size_t i = 0; i < count; i++, s = s->next)
        assert_int_equal(s->kind, kinds[i]);
    assert_null(s);
}

static void plain_scalars_follow_the_core_schema(void **state UNUSED)
{
    static const enum setting_kind kinds[] = {
        SETTING_NULL,   SETTING_NULL,   SETTING_NULL,   SETTING_BOOL,   SETTING_BOOL,
        SETTING_NUMBER, SETTING_NUMBER, SETTING_NUMBER, SETTING_NUMBER, SETTING_NUMBER,
        SETTING_NUMBER, SETTING_STRING, SETTING_STRING, SETTING_STRING, SETTING_STRING,
    };

    assert_kinds("a.yaml",
                 "[~, null, Null, true, FALSE, 3, -3, +3.5, .5, 0x1F, 0o17, yes, 1_000, 1.2.3, e5]",
                 kinds, ARRAY_LEN(kinds));
}

static void quotes_make_a_string(void **state UNUSED)
{
    static const enum setting_kind kinds[] = { SETTING_STRING, SETTING_STRING, SETTING_STRING };

    assert_kinds("a.yaml", "['3', \"true\", '']", kinds, ARRAY_LEN(kinds));
}

static void json_has_its_own_types(void **state UNUSED)
{
    static const enum setting_kind kinds[] = {
        SETTING_NULL, SETTING_BOOL, SETTING_NUMBER, SETTING_STRING, SETTING_LIST, SETTING_MAP,
    };

    assert_kinds("a.json", "[null, true, 1e3, \"3\", [], {}]", kinds, ARRAY_LEN(kinds));
}

static void json_files_are_read_strictly(void **state UNUSED)
{
    static const char *const texts[] = {
        "{\"a\": 1,}",
        "{a: 1}",
        "{\"a\": 1} // note",
        "a: 1",
        "",
        "{\"a\": 1, \"a\": 2}",
        "{\"a\": \"x\\u0000y\"}",
    };

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        CLEANUP(parsed) struct parsed p = parse("a.json", texts[i]);

        assert_true(p.r < 0);
        assert_true(p.e.msg[0] != '\0');
    }
}

static void yaml_places_are_those_of_key_and_value(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = parse("a.yaml", "x: 1\nlong:\n  inner: 2\n");
    const struct setting *inner = setting_get(setting_get(p.root, "long"), "inner");
    struct origin key = setting_key_origin(inner);

    assert_string_equal(origin_text(&p.arena, &inner->origin), "a.yaml:3:10");
    assert_string_equal(origin_text(&p.arena, &key), "a.yaml:3:3");
    assert_int_equal(inner->origin.source, SOURCE_USER);
}

static void json_places_are_those_of_key_and_value(void **state UNUSED)
{
    CLEANUP(parsed)
    struct parsed p = parse("a.json", "{\n  \"x\": [1, {\"in \\\" \\\\\" : 2}],\n  \"y\": true }");
    const struct setting *x = setting_get(p.root, "x"), *y = setting_get(p.root, "y");
    const struct setting *in = setting_get(x->first->next, "in \" \\");
    struct origin key;

    assert_non_null(in);
    key = setting_key_origin(in);
    assert_string_equal(origin_text(&p.arena, &key), "a.json:2:13");
    assert_string_equal(origin_text(&p.arena, &in->origin), "a.json:2:26");
    key = setting_key_origin(y);
    assert_string_equal(origin_text(&p.arena, &key), "a.json:3:3");
    assert_string_equal(origin_text(&p.arena, &y->origin), "a.json:3:8");
}

static void errors_have_places(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed yaml = parse("a.yaml", "a: 1\na: 2\n");
    CLEANUP(parsed) struct parsed json = parse("a.json", "{\"a\": 1,\n\"b\" 2}");

    assert_string_equal(origin_text(&yaml.arena, &yaml.bad), "a.yaml:2:1");
    assert_string_equal(yaml.e.msg, "the key 'a' is there twice");
    assert_string_equal(origin_text(&json.arena, &json.bad), "a.json:2:5");
    assert_null(strstr(json.e.msg, "offset"));
}

static void refuses_numbers_that_are_too_large(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = parse("a.yaml", "a: 0xfffffffffffffffff");

    assert_true(p.r < 0);
    assert_int_equal(p.bad.column, 4);
}

static void takes_what_is_not_finite_for_a_text(void **state UNUSED)
{
    static const char *const texts[] = { "a: .inf", "a: -.Inf", "a: .nan" };

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        CLEANUP(parsed) struct parsed p = parse("a.yaml", texts[i]);

        assert_int_equal(p.r, 0);
        assert_int_equal(setting_get(p.root, "a")->kind, SETTING_STRING);
    }
}

static void becomes_json_with_valid_numbers(void **state UNUSED)
{
    CLEANUP(parsed)
    struct parsed p = parse(
        "a.yaml", "[0x10, 0o17, +5, 007, .5, -.5e3, 5., 5.e2, 1e3, 0.10, 18446744073709551615,"
                  " -0, 'x', ~, true, {k: [1]}]");

    assert_int_equal(p.r, 0);
    assert_string_equal(json_text(&p.arena, setting_to_json(&p.arena, p.root)),
                        "[16,15,5,7,0.5,-0.5e3,5,5e2,1e3,0.10,18446744073709551615,-0,\"x\",null,"
                        "true,{\"k\":[1]}]");
}

static void whole_numbers_are_exact(void **state UNUSED)
{
    CLEANUP(parsed)
    struct parsed p = parse("a.yaml", "[3, 3.0, 9007199254740993, 0x10, 2.5, 1e30, x, -7]");
    static const int64_t expected[] = { 3, 3, 9007199254740993, 16, 0, 0, 0, -7 };
    static const bool whole[] = { true, true, true, true, false, false, false, true };
    const struct setting *s = p.root->first;

    for (size_t i = 0; i < ARRAY_LEN(expected); i++, s = s->next) {
        int64_t value = 0;

        assert_int_equal(setting_to_int64(s, &value), whole[i]);
        assert_true(value == expected[i] || !whole[i]);
    }
}

static void text_is_what_the_user_wrote(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = parse("a.yaml", "[0x10, 'a b', [1, x], {k: ~}, ~, True]");
    static const char *const texts[] = { "0x10", "a b", "[1,\"x\"]", "{\"k\":null}", "~", "true" };
    const struct setting *s = p.root->first;

    for (size_t i = 0; i < ARRAY_LEN(texts); i++, s = s->next)
        assert_string_equal(setting_text(&p.arena, s), texts[i]);
}

static void origin_without_lines_is_a_name(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct origin o = { .source = SOURCE_ENVIRONMENT, .file = "HOOKE_STRICT" };

    assert_string_equal(origin_text(&a, &o), "HOOKE_STRICT");
}

static void problems_keep_their_order(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct problems problems = { .arena = &a };
    struct origin o = { .file = "f", .line = 1, .column = 2 };

    problem_add(&problems, &o, "first %d", 1);
    problem_warn(&problems, &o, "second");
    assert_int_equal(problems.count, 2);
    assert_string_equal(problems.first->message, "first 1");
    assert_false(problems.first->warning);
    assert_string_equal(problems.first->next->message, "second");
    assert_true(problems.first->next->warning);
    assert_null(problems.first->next->next);
}

TESTS(cmocka_unit_test(plain_scalars_follow_the_core_schema),
      cmocka_unit_test(quotes_make_a_string), cmocka_unit_test(json_has_its_own_types),
      cmocka_unit_test(json_files_are_read_strictly),
      cmocka_unit_test(yaml_places_are_those_of_key_and_value),
      cmocka_unit_test(json_places_are_those_of_key_and_value),
      cmocka_unit_test(errors_have_places), cmocka_unit_test(refuses_numbers_that_are_too_large),
      cmocka_unit_test(takes_what_is_not_finite_for_a_text),
      cmocka_unit_test(becomes_json_with_valid_numbers), cmocka_unit_test(whole_numbers_are_exact),
      cmocka_unit_test(text_is_what_the_user_wrote),
      cmocka_unit_test(origin_without_lines_is_a_name), cmocka_unit_test(problems_keep_their_order))
