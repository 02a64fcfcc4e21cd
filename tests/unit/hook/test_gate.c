/*
 * Cadence at work: the eighteen conditions of the system it comes from, and what was missing there.
 */
#include "base/strbuf.h"
#include "bed.h"

#define SYSTEM "experimental.chat.system.transform"

static int say_nothing(const struct hook_call *c UNUSED, struct verdict *v UNUSED,
                       struct err *e UNUSED)
{
    return 0;
}

#define EVERYWHERE                                     \
    .on = { [POINT_SYSTEM_TRANSFORM] = say_nothing,    \
            [POINT_CHAT_MESSAGE] = say_nothing,        \
            [POINT_TOOL_EXECUTE_BEFORE] = say_nothing, \
            [POINT_MESSAGES_TRANSFORM] = say_nothing,  \
            [POINT_SESSION_IDLE] = say_nothing }

static const struct hook_def hook_a = { .name = "a", .layer = LAYER_TRANSFORM, EVERYWHERE };
static const struct hook_def hook_b = { .name = "b", .layer = LAYER_TRANSFORM, EVERYWHERE };
static const struct hook_def hook_c = { .name = "c", .layer = LAYER_TRANSFORM, EVERYWHERE };
static const struct hook_def vital = {
    .name = "vital", .layer = LAYER_GUARD, .safety_critical = true, EVERYWHERE
};
static const struct hook_def *const defs[] = { &hook_a, &hook_b, &hook_c, &vital, NULL };

/* Emit `times` events and write T or F for each, as the hook fired or not. */
static const char *fires(struct bed *bed, const char *hook, const char *point, int times)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };

    for (int i = 0; i < times; i++) {
        bed_emit(bed, point, NULL);
        strbuf_addch(&b, bed_ran(bed, hook) ? 'T' : 'F');
    }
    return arena_cstr(&bed->arena, strbuf_str(&b));
}

static void check_fires(const char *yaml, const char *point, const char *want)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, defs, yaml);
    assert_string_equal(fires(&bed, "a", point, (int)strlen(want)), want);
}

static size_t count_lines(const struct bed *bed, const char *needle)
{
    size_t count = 0;

    for (const char *at = strbuf_cstr(&bed->logged); (at = strstr(at, needle)); at++)
        count++;
    return count;
}

static void without_configuration_every_time_fires(void **state UNUSED)
{
    check_fires(NULL, SYSTEM, "TTTTTTTTTT");
    check_fires("", SYSTEM, "TTTTTTTTTT");
    check_fires("hook_cadence:", SYSTEM, "TTTTT");
    check_fires("hook_cadence: {}", SYSTEM, "TTTTT");
}

static void a_cadence_fires_on_the_first_and_every_nth_time(void **state UNUSED)
{
    check_fires("hook_cadence: { " SYSTEM ": 1 }", SYSTEM, "TTTTTTTTTT");
    check_fires("hook_cadence: { " SYSTEM ": 3 }", SYSTEM, "TFFTFFTFFT");
    check_fires("hook_cadence: { " SYSTEM ": 5 }", SYSTEM, "TFFFFTFFFFTF");
    check_fires("hook_cadence: { a: 3 }", SYSTEM, "TFFTFFTFFT");
    check_fires("hook_cadence: { b: 3 }", SYSTEM, "TTTT");
    check_fires("hook_cadence: { A: 3 }", SYSTEM, "TTTT");
}

static void what_is_no_cadence_counts_as_one(void **state UNUSED)
{
    check_fires("hook_cadence: { " SYSTEM ": 0 }", SYSTEM, "TTTTT");
    check_fires("hook_cadence: { " SYSTEM ": -3 }", SYSTEM, "TTTTT");
    check_fires("hook_cadence: { " SYSTEM ": 2.5 }", SYSTEM, "TTTTT");
    check_fires("hook_cadence: { " SYSTEM ": null }", SYSTEM, "TTTTT");
    check_fires("hook_cadence: { " SYSTEM ": often }", SYSTEM, "TTTTT");
}

static void a_broken_file_counts_as_none(void **state UNUSED)
{
    check_fires("hook_cadence: { " SYSTEM ": 3", SYSTEM, "TTTTT");
}

static void an_ungated_point_always_fires(void **state UNUSED)
{
    check_fires("hook_cadence: { tool.execute.before: 5, a: 5 }", "tool.execute.before",
                "TTTTTTTTTT");
}

static void notices_always_fire(void **state UNUSED)
{
    check_fires("hook_cadence: { a: 5 }", "session.idle", "TTTTTT");
}

static void a_safety_critical_hook_always_fires(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, defs, "hook_cadence: { vital: 5, chat.message: 5 }");
    assert_string_equal(fires(&bed, "vital", "chat.message", 6), "TTTTTT");
}

static void both_keys_must_open(void **state UNUSED)
{
    check_fires("hook_cadence: { " SYSTEM ": 3, a: 2 }", SYSTEM, "TFFFFFTFFFFFT");
}

static void hooks_count_on_their_own(void **state UNUSED)
{
    static const char want[3][7] = { "TFTFTF", "TFFTFF", "TFFFFT" };
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, defs, "hook_cadence: { a: 2, b: 3, c: 5 }");
    for (int i = 0; i < 6; i++) {
        bed_emit(&bed, SYSTEM, NULL);
        assert_int_equal(bed_ran(&bed, "a"), want[0][i] == 'T');
        assert_int_equal(bed_ran(&bed, "b"), want[1][i] == 'T');
        assert_int_equal(bed_ran(&bed, "c"), want[2][i] == 'T');
    }
}

static void points_count_on_their_own(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, defs, "hook_cadence: { a: 2 }");
    assert_string_equal(fires(&bed, "a", SYSTEM, 1), "T");
    assert_string_equal(fires(&bed, "a", "chat.message", 1), "T");
    assert_string_equal(fires(&bed, "a", SYSTEM, 2), "FT");
    assert_string_equal(fires(&bed, "a", "chat.message", 2), "FT");
}

static void sessions_count_on_their_own(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, defs, "hook_cadence: { a: 3 }");
    assert_string_equal(fires(&bed, "a", SYSTEM, 2), "TF");
    bed.session.id = "s2";
    assert_string_equal(fires(&bed, "a", SYSTEM, 2), "TF");
}

static void deleting_and_compacting_a_session_start_again(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, defs, "hook_cadence: { a: 3 }");
    assert_string_equal(fires(&bed, "a", SYSTEM, 2), "TF");
    bed_emit(&bed, "session.compacted", NULL);
    assert_string_equal(fires(&bed, "a", SYSTEM, 2), "TF");
    bed_emit(&bed, "session.deleted", NULL);
    assert_string_equal(fires(&bed, "a", SYSTEM, 2), "TF");
}

static void titles_and_summaries_do_not_count(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, defs, "hook_cadence: { a: 2 }");
    bed_emit(&bed, SYSTEM, "{\"purpose\":\"title\"}");
    assert_false(bed_ran(&bed, "a"));
    bed_emit(&bed, SYSTEM, "{\"purpose\":\"main\"}");
    assert_true(bed_ran(&bed, "a"));
    bed_emit(&bed, SYSTEM, "{\"purpose\":\"compaction\"}");
    assert_false(bed_ran(&bed, "a"));
    bed_emit(&bed, SYSTEM, "{\"purpose\":\"main\"}");
    assert_false(bed_ran(&bed, "a"));
    bed_emit(&bed, SYSTEM, "{\"purpose\":\"main\"}");
    assert_true(bed_ran(&bed, "a"));
}

static void one_user_message_is_one_time_however_often_it_is_rendered(void **state UNUSED)
{
    static const char first[] = "{\"messages\":[{\"id\":\"m1\",\"role\":\"user\"}]}";
    static const char second[] = "{\"messages\":[{\"id\":\"m1\",\"role\":\"user\"},"
                                 "{\"id\":\"m2\",\"role\":\"user\"}]}";
    static const char unnamed[] =
        "{\"messages\":[{\"role\":\"user\"},{\"role\":\"user\"},{\"role\":\"user\"}]}";
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, defs, "hook_cadence: { a: 2 }");
    for (int i = 0; i < 3; i++) {
        bed_emit(&bed, "experimental.chat.messages.transform", first);
        assert_true(bed_ran(&bed, "a"));
    }
    for (int i = 0; i < 3; i++) {
        bed_emit(&bed, "experimental.chat.messages.transform", second);
        assert_false(bed_ran(&bed, "a"));
    }
    for (int i = 0; i < 2; i++) {
        bed_emit(&bed, "experimental.chat.messages.transform", unnamed);
        assert_true(bed_ran(&bed, "a"));
    }
}

static void an_agent_may_have_its_own_cadence(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, defs, "hook_cadence: { a: { every: 3, agents: { orchestrator: 1 } } }");
    bed.session.agent = "orchestrator";
    assert_string_equal(fires(&bed, "a", SYSTEM, 4), "TTTT");
    bed.session.id = "s2";
    bed.session.agent = "builder";
    assert_string_equal(fires(&bed, "a", SYSTEM, 4), "TFFT");
}

static void a_full_context_may_change_the_cadence(void **state UNUSED)
{
    static const char full[] =
        "{\"usage\":{\"current_context_window\":700,\"max_context_window\":1000}}";
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, defs,
             "hook_cadence:\n"
             "  a: { every: 5, when_context_over: 0.6, then: 2 }\n"
             "  b: { every: 1, when_tokens_over: 500, then: 4 }\n");
    assert_string_equal(fires(&bed, "a", SYSTEM, 6), "TFFFFT");
    bed_emit(&bed, SYSTEM, full);
    assert_true(bed_ran(&bed, "a"));
    assert_false(bed_ran(&bed, "b"));
    bed_emit(&bed, SYSTEM, full);
    assert_false(bed_ran(&bed, "a"));
}

static void a_decision_stands_however_full_the_context_becomes(void **state UNUSED)
{
    static const char first[] = "{\"messages\":[{\"id\":\"m1\",\"role\":\"user\"}]}";
    static const char calm[] = "{\"messages\":[{\"id\":\"m2\",\"role\":\"user\"}],\"usage\":"
                               "{\"current_context_window\":1,\"max_context_window\":10}}";
    static const char full[] = "{\"messages\":[{\"id\":\"m2\",\"role\":\"user\"}],\"usage\":"
                               "{\"current_context_window\":9,\"max_context_window\":10}}";
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, defs, "hook_cadence: { a: { every: 5, when_context_over: 0.6, then: 1 } }");
    bed_emit(&bed, "experimental.chat.messages.transform", first);
    bed_emit(&bed, "experimental.chat.messages.transform", calm);
    assert_false(bed_ran(&bed, "a"));
    bed_emit(&bed, "experimental.chat.messages.transform", full);
    assert_false(bed_ran(&bed, "a"));
}

static void a_locked_hook_is_not_slowed_through_its_point(void **state UNUSED)
{
    static const char managed[] = "locked: [hooks.wall]\n"
                                  "hooks: [{ name: wall, on: chat.message, say: x }]\n";
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, defs, NULL);
    assert_int_equal(file_write(path_join(&bed.arena, bed.dir.path, "managed.yaml"),
                                str_of(managed), 0600, NULL),
                     0);
    bed_configure(&bed, defs, "hook_cadence: { UserPromptSubmit: 4 }");
    assert_string_equal(fires(&bed, "wall", "chat.message", 5), "TTTTT");
    assert_string_equal(fires(&bed, "a", "chat.message", 4), "FFFT");
}

static void two_cadences_fire_where_both_open(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, defs, "hook_cadence: { " SYSTEM ": 2, a: 3 }");
    fires(&bed, "a", SYSTEM, 2);
    assert_int_equal(bed.receipt.held[0].every, 6);
}

static void the_numbers_are_in_the_receipt(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, defs, "hook_cadence: { a: 3 }");
    fires(&bed, "a", SYSTEM, 2);
    assert_int_equal(bed.receipt.held[0].why, HELD_CADENCE);
    assert_int_equal(bed.receipt.held[0].every, 3);
    assert_int_equal(bed.receipt.held[0].time, 2);
    fires(&bed, "a", SYSTEM, 2);
    assert_string_equal(bed.receipt.runs[1].hook->name, "a"); /* after the guard */
    assert_int_equal(bed.receipt.runs[1].every, 3);
    assert_int_equal(bed.receipt.runs[1].time, 4);
}

static int inject_text(const struct hook_call *c, struct verdict *v, struct err *e UNUSED)
{
    verdict_inject(c->arena, v, "text", "standing text");
    return 0;
}

static void gated_system_text_goes_to_the_tail_unless_told_otherwise(void **state UNUSED)
{
    static const struct hook_def text = { .name = "text",
                                          .layer = LAYER_PRODUCE,
                                          .on = { [POINT_SYSTEM_TRANSFORM] = inject_text } };
    static const struct hook_def *const own[] = { &text, NULL };
    static const struct {
        const char *yaml;
        enum inject_place place;
    } rows[] = {
        { "", PLACE_SYSTEM },
        { "hook_cadence: { text: 1 }", PLACE_SYSTEM },
        { "hook_cadence: { text: 3 }", PLACE_TAIL },
        { "hook_cadence: { " SYSTEM ": 3 }", PLACE_TAIL },
        { "{ hook_cadence: { text: 3 }, hooks: [{ name: text, place: system }] }", PLACE_SYSTEM },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(bed) struct bed bed = { 0 };

        bed_open(&bed, own, rows[i].yaml);
        bed_emit(&bed, SYSTEM, NULL);
        assert_int_equal(bed.receipt.verdict.injections->place, rows[i].place);
    }
}

static void all_ones_and_no_configuration_give_the_same_bytes(void **state UNUSED)
{
    CLEANUP(bed) struct bed with = { 0 };
    CLEANUP(bed) struct bed without = { 0 };

    bed_open(&with, defs, "hook_cadence: { " SYSTEM ": 1, a: 1, b: 1, chat.message: 1 }");
    bed_open(&without, defs, "");
    for (int i = 0; i < 3; i++) {
        bed_emit(&with, SYSTEM, NULL);
        bed_emit(&without, SYSTEM, NULL);
        assert_string_equal(bed_verdict(&with), bed_verdict(&without));
        assert_string_equal(bed_order(&with), bed_order(&without));
        assert_int_equal(with.receipt.runs[0].every, without.receipt.runs[0].every);
    }
}

static void a_store_that_fails_opens_the_gate_and_says_so_once(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { .store = store_sqlite("/proc/none/hooke.db") };

    bed_open(&bed, defs, "hook_cadence: { a: 3 }");
    assert_string_equal(fires(&bed, "a", SYSTEM, 3), "TTT");
    assert_int_equal(count_lines(&bed, "hook 'a' fires without its cadence"), 1);
}

TESTS(cmocka_unit_test(without_configuration_every_time_fires),
      cmocka_unit_test(a_cadence_fires_on_the_first_and_every_nth_time),
      cmocka_unit_test(what_is_no_cadence_counts_as_one),
      cmocka_unit_test(a_broken_file_counts_as_none),
      cmocka_unit_test(an_ungated_point_always_fires), cmocka_unit_test(notices_always_fire),
      cmocka_unit_test(a_safety_critical_hook_always_fires), cmocka_unit_test(both_keys_must_open),
      cmocka_unit_test(hooks_count_on_their_own), cmocka_unit_test(points_count_on_their_own),
      cmocka_unit_test(sessions_count_on_their_own),
      cmocka_unit_test(deleting_and_compacting_a_session_start_again),
      cmocka_unit_test(titles_and_summaries_do_not_count),
      cmocka_unit_test(one_user_message_is_one_time_however_often_it_is_rendered),
      cmocka_unit_test(an_agent_may_have_its_own_cadence),
      cmocka_unit_test(a_full_context_may_change_the_cadence),
      cmocka_unit_test(a_decision_stands_however_full_the_context_becomes),
      cmocka_unit_test(a_locked_hook_is_not_slowed_through_its_point),
      cmocka_unit_test(two_cadences_fire_where_both_open),
      cmocka_unit_test(the_numbers_are_in_the_receipt),
      cmocka_unit_test(gated_system_text_goes_to_the_tail_unless_told_otherwise),
      cmocka_unit_test(all_ones_and_no_configuration_give_the_same_bytes),
      cmocka_unit_test(a_store_that_fails_opens_the_gate_and_says_so_once))
