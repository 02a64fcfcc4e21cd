#include "hook/match.h"
#include "test.h"

struct parsed {
    struct arena arena;
    struct problems problems;
    struct match *match;
};

static void parsed_cleanup(struct parsed *p)
{
    match_release(p->match);
    arena_release(&p->arena);
}

static void parse(struct parsed *p, const char *yaml)
{
    struct origin origin = { .source = SOURCE_USER, .file = "c.yaml" };
    struct setting *s;

    p->problems.arena = &p->arena;
    assert_int_equal(setting_parse(&p->arena, &origin, str_of(yaml), &s, NULL, NULL), 0);
    p->match = match_parse(&p->arena, s, &p->problems);
}

static void name_matches_exactly(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = { 0 };

    parse(&p, "bash");
    assert_true(match_test(p.match, STR("bash")));
    assert_false(match_test(p.match, STR("bash2")));
    assert_false(match_test(p.match, STR("Bash")));
    assert_string_equal(match_text(&p.arena, p.match), "bash");
}

static void list_matches_any_of_its_items(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = { 0 };

    parse(&p, "[read, '/^web_/', write]");
    assert_true(match_test(p.match, STR("read")));
    assert_true(match_test(p.match, STR("write")));
    assert_true(match_test(p.match, STR("web_fetch")));
    assert_false(match_test(p.match, STR("bash")));
    assert_string_equal(match_text(&p.arena, p.match), "[\"read\",\"/^web_/\",\"write\"]");
}

static void regex_matches_anywhere(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = { 0 };

    parse(&p, "/edit|write/");
    assert_true(match_test(p.match, STR("multi_edit")));
    assert_false(match_test(p.match, STR("read")));
}

static void a_tool_matches_under_every_name(void **state UNUSED)
{
    static const struct {
        const char *yaml, *tool;
        bool matches;
    } rows[] = {
        { "bash", "bash", true },
        { "Bash", "bash", true },
        { "run_shell_command", "bash", true },
        { "exec_command", "bash", true },
        { "'/^Ba/'", "bash", true },
        { "[Grep, file_read]", "read", true },
        { "Write", "apply_patch", true },
        { "todowrite", "todo", true },
        { "Read", "bash", false },
        { "'/^mcp__/'", "mcp__x__y", true },
        { "Bash", "mcp__x__y", false },
        { "bash", "Bash", false }, /* no tool of ours: its own name only */
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(parsed) struct parsed p = { 0 };

        parse(&p, rows[i].yaml);
        if (match_test_tool(p.match, str_of(rows[i].tool)) != rows[i].matches)
            fail_msg("%s and %s", rows[i].yaml, rows[i].tool);
        assert_false(match_test_tool(p.match, (struct str){ 0 }));
    }
    assert_true(match_test_tool(NULL, (struct str){ 0 }));
}

static void an_agent_has_one_name_only(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = { 0 };

    parse(&p, "Bash");
    assert_false(match_test(p.match, STR("bash")));
}

static void no_matcher_takes_everything(void **state UNUSED)
{
    assert_true(match_test(NULL, STR("bash")));
    assert_true(match_test(NULL, (struct str){ 0 }));
}

static void unset_text_needs_no_matcher(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = { 0 };

    parse(&p, "/.*/");
    assert_true(match_test(p.match, STR("")));
    assert_false(match_test(p.match, (struct str){ 0 }));
}

static void pattern_that_gives_up_matches(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = { 0 };

    parse(&p, "'/^(a+)+$/'");
    assert_true(match_test(p.match, STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                                        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab")));
}

static void what_is_no_matcher_is_a_problem(void **state UNUSED)
{
    static const char *const texts[] = { "5",      "~",  "[]",    "{a: b}",
                                         "[a, 5]", "''", "'/(/'", "['/a/', '/(/']" };

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        CLEANUP(parsed) struct parsed p = { 0 };

        parse(&p, texts[i]);
        assert_null(p.match);
        assert_int_equal(p.problems.count, 1);
        assert_int_equal(p.problems.first->origin.line, 1);
    }
}

TESTS(cmocka_unit_test(name_matches_exactly), cmocka_unit_test(list_matches_any_of_its_items),
      cmocka_unit_test(regex_matches_anywhere), cmocka_unit_test(a_tool_matches_under_every_name),
      cmocka_unit_test(an_agent_has_one_name_only), cmocka_unit_test(no_matcher_takes_everything),
      cmocka_unit_test(unset_text_needs_no_matcher),
      cmocka_unit_test(pattern_that_gives_up_matches),
      cmocka_unit_test(what_is_no_matcher_is_a_problem))
