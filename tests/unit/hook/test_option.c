#include "hook/option.h"
#include "test.h"

struct options {
    bool loud;
    int64_t limit, size, wait;
    double ratio;
    const char *label, *mode;
    const char *const *words;
    const char *const *none;
};

static const struct option table[] = {
    OPTION_BOOL("loud", struct options, loud, "true", "also tell the person"),
    OPTION_INT("limit", struct options, limit, "3", 1, 1000, "calls allowed in a row"),
    OPTION_SIZE("size", struct options, size, "64k", 1, 1 << 30, "most bytes"),
    OPTION_TIME("wait", struct options, wait, "500ms", "how long"),
    OPTION_NUMBER("ratio", struct options, ratio, "0.5", 0, 1, "share"),
    OPTION_TEXT("label", struct options, label, "a: b # c", "what to say"),
    OPTION_CHOICE("mode", struct options, mode, "warn", "warn block", "what to do then"),
    OPTION_LIST("words", struct options, words, "[a, b]", "which words"),
    OPTION_LIST("none", struct options, none, NULL, "nothing by default"),
    OPTION_END,
};

struct fixture {
    struct arena arena;
    struct options options;
    struct problems problems;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    f->problems.arena = &f->arena;
    option_defaults(&f->arena, table, &f->options);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    arena_release(&f->arena);
    free(f);
    return 0;
}

/* Set the option of the one key of a line of YAML. */
static bool set(struct fixture *f, const char *yaml)
{
    struct origin origin = { .source = SOURCE_USER, .file = "c.yaml" };
    struct setting *root;
    const struct option *o;

    assert_int_equal(setting_parse(&f->arena, &origin, str_of(yaml), &root, NULL, NULL), 0);
    o = option_find(table, root->first->key);
    assert_non_null(o);
    return option_set(&f->arena, o, root->first, &f->options, &f->problems);
}

static const char *text_of(struct fixture *f, const char *name)
{
    return option_text(&f->arena, option_find(table, str_of(name)), &f->options);
}

static void defaults_come_from_the_table(void **state)
{
    struct fixture *f = *state;

    assert_true(f->options.loud);
    assert_int_equal(f->options.limit, 3);
    assert_int_equal(f->options.size, 65536);
    assert_int_equal(f->options.wait, 500);
    assert_true(f->options.ratio == 0.5);
    assert_string_equal(f->options.label, "a: b # c");
    assert_string_equal(f->options.mode, "warn");
    assert_string_equal(f->options.words[1], "b");
    assert_null(f->options.words[2]);
    assert_non_null(f->options.none);
    assert_null(f->options.none[0]);
}

static void settings_replace_defaults(void **state)
{
    struct fixture *f = *state;

    assert_true(set(f, "loud: false") && set(f, "limit: 7") && set(f, "size: 10M"));
    assert_true(set(f, "wait: 2m") && set(f, "ratio: 1") && set(f, "label: 5"));
    assert_true(set(f, "mode: block") && set(f, "words: x"));
    assert_false(f->options.loud);
    assert_int_equal(f->options.limit, 7);
    assert_int_equal(f->options.size, 10 << 20);
    assert_int_equal(f->options.wait, 120000);
    assert_true(f->options.ratio == 1.0);
    assert_string_equal(f->options.label, "5");
    assert_string_equal(f->options.mode, "block");
    assert_string_equal(f->options.words[0], "x");
    assert_null(f->options.words[1]);
    assert_int_equal(f->problems.count, 0);
}

static void bad_values_are_problems_and_change_nothing(void **state)
{
    static const struct {
        const char *yaml, *message;
    } cases[] = {
        { "loud: 'yes'", "'loud' must be true or false, not 'yes'" },
        { "limit: 0", "'limit' must be from 1 to 1000, not '0'" },
        { "limit: 2.5", "'limit' must be a whole number, not '2.5'" },
        { "size: big", "'size' must be a size such as 64k or 10M, not 'big'" },
        { "wait: -5s", "'wait' must be a time such as 500ms, 5s or 2m, not '-5s'" },
        { "wait: ~", "'wait' must be a time such as 500ms, 5s or 2m, not '~'" },
        { "ratio: 1.5", "'ratio' must be from 0 to 1, not '1.5'" },
        { "label: [a]", "'label' must be a text, not '[\"a\"]'" },
        { "mode: shout", "'mode' must be one of warn, block, not 'shout'" },
        { "words: [a, {b: c}]", "'words' must be a list of texts, not '{\"b\":\"c\"}'" },
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct problems fresh = { .arena = &f->arena };

        f->problems = fresh;
        assert_false(set(f, cases[i].yaml));
        assert_int_equal(f->problems.count, 1);
        assert_string_equal(f->problems.first->message, cases[i].message);
        assert_int_equal(f->problems.first->origin.line, 1);
    }
    defaults_come_from_the_table(state);
}

static void text_can_be_written_back(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(text_of(f, "loud"), "true");
    assert_string_equal(text_of(f, "limit"), "3");
    assert_string_equal(text_of(f, "size"), "64k");
    assert_string_equal(text_of(f, "wait"), "500ms");
    assert_string_equal(text_of(f, "ratio"), "0.5");
    assert_string_equal(text_of(f, "mode"), "warn");
    assert_string_equal(text_of(f, "words"), "[a, b]");
    assert_true(set(f, "wait: 90s"));
    assert_string_equal(text_of(f, "wait"), "90s");
    assert_true(set(f, "wait: 0"));
    assert_string_equal(text_of(f, "wait"), "0");
    assert_true(set(f, "size: 1000"));
    assert_string_equal(text_of(f, "size"), "1000");
}

static void unknown_option_is_not_found(void **state UNUSED)
{
    assert_null(option_find(table, STR("limits")));
    assert_null(option_find(NULL, STR("limit")));
}

/* As YAML reads them, whichever way they are read. */
static void fallbacks_of_all_shapes_are_understood(void **state UNUSED)
{
    struct shapes {
        bool yes;
        int64_t count, time;
        const char *const *none, *const *words, *const *quoted, *const *command;
    } got = { 0 };
    static const struct option shapes[] = {
        OPTION_BOOL("yes", struct shapes, yes, "true", "x"),
        OPTION_INT("count", struct shapes, count, "12", 0, 99, "x"),
        OPTION_TIME("time", struct shapes, time, "5s", "x"),
        OPTION_LIST("none", struct shapes, none, "[]", "x"),
        OPTION_LIST("words", struct shapes, words, "[rate_limit,  v1.2, a/b ]", "x"),
        OPTION_LIST("quoted", struct shapes, quoted, "['a, b', \"c: d\"]", "x"),
        OPTION_LIST("command", struct shapes, command,
                    "[.bin/say, --as=me, --, \"{text}\", \"a\\tb\", 5]", "x"),
        OPTION_END,
    };
    CLEANUP(arena) struct arena a = { 0 };

    option_defaults(&a, shapes, &got);
    assert_true(got.yes);
    assert_int_equal(got.count, 12);
    assert_int_equal(got.time, 5000);
    assert_null(got.none[0]);
    assert_string_equal(got.words[0], "rate_limit");
    assert_string_equal(got.words[1], "v1.2");
    assert_string_equal(got.words[2], "a/b");
    assert_null(got.words[3]);
    assert_string_equal(got.quoted[0], "a, b");
    assert_string_equal(got.quoted[1], "c: d");
    assert_string_equal(got.command[0], ".bin/say");
    assert_string_equal(got.command[1], "--as=me");
    assert_string_equal(got.command[2], "--");
    assert_string_equal(got.command[3], "{text}");
    assert_string_equal(got.command[4], "a\tb");
    assert_string_equal(got.command[5], "5");
    assert_null(got.command[6]);
}

static void times_have_units(void **state UNUSED)
{
    static const struct {
        const char *text;
        int64_t ms;
    } good[] = { { "500ms", 500 },  { "5s", 5000 },  { "2m", 120000 },
                 { "1h", 3600000 }, { "30", 30000 }, { "1.5s", 1500 } };
    static const char *const bad[] = { "",       "s",  "5 s", "5x",  "-1s",
                                       "1.2.3s", "5.", ".5s", "1e3", "99999999999999999h" };
    int64_t ms;

    for (size_t i = 0; i < ARRAY_LEN(good); i++) {
        assert_true(option_parse_time(str_of(good[i].text), &ms));
        assert_int_equal(ms, good[i].ms);
    }
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_false(option_parse_time(str_of(bad[i]), &ms));
}

static void sizes_have_units(void **state UNUSED)
{
    int64_t size;

    assert_true(option_parse_size(STR("64k"), &size) && size == 65536);
    assert_true(option_parse_size(STR("64K"), &size) && size == 65536);
    assert_true(option_parse_size(STR("1G"), &size) && size == 1 << 30);
    assert_true(option_parse_size(STR("17"), &size) && size == 17);
    assert_false(option_parse_size(STR("64kb"), &size));
}

TESTS(cmocka_unit_test_setup_teardown(defaults_come_from_the_table, setup, teardown),
      cmocka_unit_test_setup_teardown(settings_replace_defaults, setup, teardown),
      cmocka_unit_test_setup_teardown(bad_values_are_problems_and_change_nothing, setup, teardown),
      cmocka_unit_test_setup_teardown(text_can_be_written_back, setup, teardown),
      cmocka_unit_test(unknown_option_is_not_found), cmocka_unit_test(times_have_units),
      cmocka_unit_test(fallbacks_of_all_shapes_are_understood), cmocka_unit_test(sizes_have_units))
