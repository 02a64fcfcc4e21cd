#include "hook/cadence.h"
#include "test.h"

struct parsed {
    struct arena arena;
    struct problems problems;
    struct cadence cadence;
};

static void parsed_cleanup(struct parsed *p)
{
    arena_release(&p->arena);
}

static void parse(struct parsed *p, const char *yaml, bool always)
{
    struct origin origin = { .source = SOURCE_USER, .file = "c.yaml" };
    struct setting *s;

    p->problems.arena = &p->arena;
    assert_int_equal(setting_parse(&p->arena, &origin, str_of(yaml), &s, NULL, NULL), 0);
    p->cadence = cadence_parse(&p->arena, "x", s, always, &p->problems);
}

static void assert_every(const char *yaml, bool always, uint32_t every, const char *message)
{
    CLEANUP(parsed) struct parsed p = { 0 };

    parse(&p, yaml, always);
    assert_int_equal(p.cadence.every, every);
    assert_int_equal(p.problems.count, message ? 1 : 0);
    if (message) {
        assert_string_equal(p.problems.first->message, message);
        assert_true(p.problems.first->warning);
    }
}

static void whole_numbers_from_one_count(void **state UNUSED)
{
    assert_every("1", false, 1, NULL);
    assert_every("3", false, 3, NULL);
    assert_every("3.0", false, 3, NULL);
    assert_every("1e2", false, 100, NULL);
    assert_every("99999999999", false, UINT32_MAX, NULL);
}

static void anything_else_is_one_with_a_warning(void **state UNUSED)
{
    static const char *const values[][2] = {
        { "0", "0" },         { "-3", "-3" },       { "2.5", "2.5" },          { "null", "null" },
        { "'3'", "3" },       { "often", "often" }, { "[1, a]", "[1,\"a\"]" }, { "true", "true" },
        { "1e999", "1e999" },
    };

    for (size_t i = 0; i < ARRAY_LEN(values); i++) {
        char message[128];

        snprintf(message, sizeof(message), "[hooke:cadence] Invalid cadence %s for x, using 1",
                 values[i][1]);
        assert_every(values[i][0], false, 1, message);
    }
}

static void safety_critical_ignores_more_than_one(void **state UNUSED)
{
    const char *message = "[hooke:cadence] Ignoring cadence > 1 for safety-critical hook: x";

    assert_every("5", true, 1, message);
    assert_every("2.5", true, 1, message);
    assert_every("1", true, 1, NULL);
    assert_every("0", true, 1, "[hooke:cadence] Invalid cadence 0 for x, using 1");
    assert_every("-2", true, 1, "[hooke:cadence] Invalid cadence -2 for x, using 1");
    assert_every("0.5", true, 1, "[hooke:cadence] Invalid cadence 0.5 for x, using 1");
    assert_every("{every: 5, agents: {a: 4}}", true, 1, message);
}

static void missing_value_is_one_without_a_word(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct problems problems = { .arena = &a };
    struct cadence c = cadence_parse(&a, "x", NULL, false, &problems);

    assert_int_equal(c.every, 0);
    assert_false(cadence_gates(&c));
    assert_int_equal(problems.count, 0);
}

static void agents_have_their_own(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = { 0 };

    parse(&p, "{every: 3, agents: {orchestrator: 1, fixer: 0}}", false);
    assert_int_equal(p.cadence.every, 3);
    assert_string_equal(p.cadence.agents[0].agent, "orchestrator");
    assert_int_equal(p.cadence.agents[0].every, 1);
    assert_int_equal(p.cadence.agents[1].every, 1);
    assert_null(p.cadence.agents[2].agent);
    assert_int_equal(p.problems.count, 1);
    assert_int_equal(p.problems.first->origin.column, 45);
}

static void context_changes_the_cadence(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = { 0 };

    parse(&p, "{every: 5, when_context_over: 0.6, then: 2}", false);
    assert_int_equal(p.cadence.every, 5);
    assert_true(p.cadence.when_context_over == 0.6);
    assert_int_equal(p.cadence.then, 2);
    assert_int_equal(p.problems.count, 0);
    parse(&p, "{every: 5, when_tokens_over: 100000, then: 2}", false);
    assert_int_equal(p.cadence.when_tokens_over, 100000);
    assert_int_equal(p.problems.count, 0);
}

static void half_a_condition_is_a_problem(void **state UNUSED)
{
    static const char *const texts[] = {
        "{every: 5, when_context_over: 0.6}",
        "{every: 5, then: 2}",
        "{every: 5, evry: 2}",
        "{every: 5, agents: [a]}",
    };

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        CLEANUP(parsed) struct parsed p = { 0 };

        parse(&p, texts[i], false);
        assert_int_equal(p.problems.count, 1);
        assert_int_equal(p.cadence.every, 5);
        assert_int_equal(p.cadence.then, 0);
        assert_true(p.cadence.when_context_over == 0);
    }
}

static void share_outside_its_range_is_a_problem(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = { 0 };

    parse(&p, "{every: 5, when_context_over: 60, then: 2}", false);
    assert_true(p.problems.count > 0);
    assert_string_equal(p.problems.first->message,
                        "'when_context_over' must be a number between 0 and 1, not '60'");
    assert_int_equal(p.cadence.then, 0);
}

static void gates_when_any_part_is_above_one(void **state UNUSED)
{
    static const struct {
        const char *text;
        bool gates;
    } cases[] = {
        { "1", false },
        { "2", true },
        { "{every: 1}", false },
        { "{every: 1, agents: {a: 2}}", true },
        { "{every: 1, agents: {a: 1}}", false },
        { "{every: 1, when_context_over: 0.5, then: 2}", true },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(parsed) struct parsed p = { 0 };

        parse(&p, cases[i].text, false);
        assert_int_equal(cadence_gates(&p.cadence), cases[i].gates);
    }
}

static void can_be_settled_later(void **state UNUSED)
{
    CLEANUP(parsed) struct parsed p = { 0 };

    parse(&p, "4", false);
    cadence_settle_always(&p.cadence, "x", &p.problems);
    assert_int_equal(p.cadence.every, 1);
    assert_int_equal(p.problems.count, 1);
    cadence_settle_always(&p.cadence, "x", &p.problems);
    assert_int_equal(p.problems.count, 1);
}

TESTS(cmocka_unit_test(whole_numbers_from_one_count),
      cmocka_unit_test(anything_else_is_one_with_a_warning),
      cmocka_unit_test(safety_critical_ignores_more_than_one),
      cmocka_unit_test(missing_value_is_one_without_a_word),
      cmocka_unit_test(agents_have_their_own), cmocka_unit_test(context_changes_the_cadence),
      cmocka_unit_test(half_a_condition_is_a_problem),
      cmocka_unit_test(share_outside_its_range_is_a_problem),
      cmocka_unit_test(gates_when_any_part_is_above_one), cmocka_unit_test(can_be_settled_later))
