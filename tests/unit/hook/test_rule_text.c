#include "base/strbuf.h"
#include "hook/rule_text.h"
#include "test.h"

struct parsed {
    struct arena arena;
    struct rule_text rule;
};

static void parsed_cleanup(struct parsed *p)
{
    arena_release(&p->arena);
}

static void parse(struct parsed *p, const char *text)
{
    rule_text_parse(&p->arena, str_of(text), &p->rule);
}

static void globs_are_read_however_they_are_written(void **state UNUSED)
{
    static const char *const fronts[] = {
        "globs: *.c, src/{a,b}/*.h",        "globs: \"*.c, src/{a,b}/*.h\"",
        "paths: [*.c, 'src/{a,b}/*.h']",    "globs: [\"*.c\", \"src/{a,b}/*.h\"]",
        "applyTo: '*.c,src/{a,b}/*.h'",     "globs:\n  - *.c\n  - \"src/{a,b}/*.h\"",
        "globs: *.c\npaths: src/{a,b}/*.h", "globs: ./*.c,,src/{a,b}/*.h,\r",
    };

    for (size_t i = 0; i < ARRAY_LEN(fronts); i++) {
        CLEANUP(parsed) struct parsed p = { 0 };

        parse(&p, arena_printf(&p.arena, "---\n%s\n---\nBody.\n", fronts[i]));
        assert_int_equal(p.rule.count, 2);
        assert_string_equal(p.rule.globs[0], "*.c");
        assert_string_equal(p.rule.globs[1], "src/{a,b}/*.h");
        assert_true(str_is(p.rule.body, "Body."));
        assert_false(p.rule.always);
    }
}

static void a_text_without_front_matter_holds_for_nothing(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = { 0 };

    parse(&p, "Body.");
    assert_null(rule_text_match(&p.rule, "a.c", "a.c"));
    parse(&p, "---\nalwaysApply: yes\nglobs:\ndescription: - x\n---\nBody.");
    assert_null(rule_text_match(&p.rule, "a.c", "a.c"));
}

static void always_holds_for_everything(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = { 0 };

    parse(&p, "---\nalwaysApply: true\nglobs: '*.py'\n---\nBody.");
    assert_string_equal(rule_text_match(&p.rule, "a.c", "a.c"), "alwaysApply");
}

static void a_glob_without_a_slash_is_about_the_name(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = { 0 };

    parse(&p, "---\nglobs: *.c, /docs/*.md\n---\nBody.");
    assert_string_equal(rule_text_match(&p.rule, "src/deep/a.c", "a.c"), "*.c");
    assert_string_equal(rule_text_match(&p.rule, "docs/x.md", "x.md"), "/docs/*.md");
    assert_null(rule_text_match(&p.rule, "x/docs/x.md", "x.md"));
}

static void more_globs_than_it_keeps_do_no_harm(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = { 0 };
    CLEANUP(strbuf) struct strbuf text = { 0 };

    strbuf_addstr(&text, "---\nglobs: ");
    for (int i = 0; i < 500; i++)
        strbuf_printf(&text, "*.%d,", i);
    strbuf_addstr(&text, "\n---\nBody.");
    parse(&p, strbuf_cstr(&text));
    assert_int_equal(p.rule.count, RULE_TEXT_GLOBS);
}

TESTS(cmocka_unit_test(globs_are_read_however_they_are_written),
      cmocka_unit_test(a_text_without_front_matter_holds_for_nothing),
      cmocka_unit_test(always_holds_for_everything),
      cmocka_unit_test(a_glob_without_a_slash_is_about_the_name),
      cmocka_unit_test(more_globs_than_it_keeps_do_no_harm))
