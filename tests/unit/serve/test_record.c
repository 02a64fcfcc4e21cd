/* What is remembered of a session that tells no turn: turns, continuations, and when nothing is. */
#include "bed.h"
#include "serve/record.h"

#define STOPPING "hooks: [{ name: more, on: agent.stop, continue: go on }]"
#define LOOKING  "hooks: [{ name: more, on: agent.stop, when: turn > 0, continue: go on }]"

static struct record counted(struct bed *bed, enum point point, bool tells_turns, bool going_on)
{
    const struct event ev = { .point = point, .session = { .id = "s1" } };
    struct record rec = { .engine = bed->engine, .tells_turns = tells_turns, .going_on = going_on };

    record_count(&rec, &ev, &bed->arena);
    return rec;
}

static unsigned turn_at(struct bed *bed, enum point point)
{
    return counted(bed, point, false, false).turn;
}

static void a_tool_after_a_tool_is_a_new_turn(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, LOOKING);
    assert_int_equal(turn_at(&bed, POINT_TOOL_EXECUTE_BEFORE), 1);
    assert_int_equal(turn_at(&bed, POINT_CHAT_MESSAGE), 1);
    assert_int_equal(turn_at(&bed, POINT_TOOL_EXECUTE_BEFORE), 1);
    assert_int_equal(turn_at(&bed, POINT_TOOL_EXECUTE_BEFORE), 1);
    assert_int_equal(turn_at(&bed, POINT_TOOL_EXECUTE_AFTER), 1);
    assert_int_equal(turn_at(&bed, POINT_TOOL_EXECUTE_BEFORE), 2);
    assert_int_equal(turn_at(&bed, POINT_TOOL_EXECUTE_AFTER), 2);
    assert_int_equal(turn_at(&bed, POINT_AGENT_STOP), 3);
    assert_int_equal(turn_at(&bed, POINT_CHAT_MESSAGE), 1);
}

static void requests_that_are_told_are_turns(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, LOOKING);
    assert_int_equal(counted(&bed, POINT_CHAT_MESSAGE, true, false).turn, 0);
    assert_int_equal(counted(&bed, POINT_MESSAGES_TRANSFORM, true, false).turn, 1);
    assert_int_equal(counted(&bed, POINT_TOOL_EXECUTE_AFTER, true, false).turn, 1);
    assert_int_equal(counted(&bed, POINT_TOOL_EXECUTE_BEFORE, true, false).turn, 1);
    assert_int_equal(counted(&bed, POINT_MESSAGES_TRANSFORM, true, false).turn, 2);
}

static void nothing_is_kept_that_nobody_looks_at(void **state UNUSED)
{
    static const struct {
        const char *config;
        bool kept;
    } rows[] = {
        { "hooks: [{ name: r, on: tool.execute.before, block: no }]", false },
        { "hooks: [{ name: r, on: tool.execute.before, when: turn > 1, block: no }]", true },
        { "hooks: [{ name: r, on: agent.stop, continue: on }]", true },
        { "hooks: [{ name: r, on: agent.stop, continue: on, enabled: false }]", false },
        { "hooks: [{ name: c, on: Notification, exec: [\"true\"] }]", true },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CLEANUP(bed) struct bed bed = { 0 };

        bed_open(&bed, NULL, rows[i].config);
        assert_int_equal(counted(&bed, POINT_TOOL_EXECUTE_BEFORE, false, false).kept, rows[i].kept);
        assert_false(counted(&bed, POINT_NOTIFICATION, false, false).kept);
    }
}

static void turns_are_counted_only_where_somebody_looks(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };

    bed_open(&bed, NULL, STOPPING);
    assert_false(counted(&bed, POINT_TOOL_EXECUTE_AFTER, false, false).kept);
    assert_false(counted(&bed, POINT_MESSAGES_TRANSFORM, true, false).kept);
    assert_true(counted(&bed, POINT_TOOL_EXECUTE_BEFORE, false, false).kept);
    assert_int_equal(turn_at(&bed, POINT_TOOL_EXECUTE_BEFORE), 0);
}

static void continuations_are_counted_until_the_user_speaks(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const char *why = NULL;
    struct record rec;

    bed_open(&bed, NULL, "limits: { continuations: 1 }\n" LOOKING);
    rec = counted(&bed, POINT_AGENT_STOP, false, false);
    assert_true(record_continue(&rec, NULL, "a", &bed.arena, &why));
    rec = counted(&bed, POINT_AGENT_STOP, false, true);
    assert_int_equal(rec.loop.continuations, 1);
    assert_int_equal(rec.turn, 2);
    assert_false(record_continue(&rec, NULL, "b", &bed.arena, &why));
    assert_non_null(strstr(why, "the limit is 1"));
    rec = counted(&bed, POINT_AGENT_STOP, false, false);
    assert_int_equal(rec.loop.continuations, 0);
    assert_true(record_continue(&rec, NULL, "a", &bed.arena, &why));
}

static struct record heard(struct bed *bed, const char *text)
{
    const struct json *message =
        json_with(&bed->arena, NULL, STR("text"), json_cstring(&bed->arena, text));
    const struct event ev = { .point = POINT_CHAT_MESSAGE,
                              .session = { .id = "s1" },
                              .data = json_with(&bed->arena, NULL, STR("message"), message) };
    struct record rec = { .engine = bed->engine, .tells_turns = true };

    record_count(&rec, &ev, &bed->arena);
    return rec;
}

static void what_a_hook_told_is_no_word_of_the_user(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const char *why = NULL;
    struct record rec;

    bed_open(&bed, NULL, STOPPING);
    assert_false(heard(&bed, "go on").internal);
    rec = counted(&bed, POINT_AGENT_STOP, true, false);
    assert_true(record_continue(&rec, NULL, "go on", &bed.arena, &why));
    rec = heard(&bed, "go on\n");
    assert_true(rec.internal);
    assert_int_equal(rec.loop.continuations, 1);
    rec = heard(&bed, "something else");
    assert_false(rec.internal);
    assert_int_equal(rec.loop.continuations, 0);
    assert_false(heard(&bed, "go on").internal);
}

/* Gemini forgets with every tool that a hook has kept it going. */
static void who_tells_what_users_say_is_not_asked_whether_they_did(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { 0 };
    const char *why = NULL;
    struct record rec;

    bed_open(&bed, NULL, "limits: { continuations: 1 }\n" STOPPING);
    heard(&bed, "do it");
    rec = counted(&bed, POINT_AGENT_STOP, true, false);
    assert_true(record_continue(&rec, NULL, "go on", &bed.arena, &why));
    heard(&bed, "go on");
    counted(&bed, POINT_TOOL_EXECUTE_BEFORE, true, false);
    rec = counted(&bed, POINT_AGENT_STOP, true, false);
    assert_false(record_continue(&rec, NULL, "go on", &bed.arena, &why));
    heard(&bed, "and now?");
    rec = counted(&bed, POINT_AGENT_STOP, true, false);
    assert_true(record_continue(&rec, NULL, "go on", &bed.arena, &why));
}

static void without_a_store_only_the_first_may(void **state UNUSED)
{
    CLEANUP(bed) struct bed bed = { .store = store_sqlite("/dev/null/none.db") };
    const char *why = NULL;
    struct record rec;

    bed_open(&bed, NULL, STOPPING);
    rec = counted(&bed, POINT_AGENT_STOP, false, false);
    assert_non_null(rec.unknown);
    assert_true(record_continue(&rec, NULL, "a", &bed.arena, &why));
    rec = counted(&bed, POINT_AGENT_STOP, false, true);
    assert_false(record_continue(&rec, NULL, "b", &bed.arena, &why));
    assert_non_null(strstr(strbuf_cstr(&bed.logged), "the turns of session 's1' are not counted"));
}

TESTS(cmocka_unit_test(a_tool_after_a_tool_is_a_new_turn),
      cmocka_unit_test(requests_that_are_told_are_turns),
      cmocka_unit_test(nothing_is_kept_that_nobody_looks_at),
      cmocka_unit_test(turns_are_counted_only_where_somebody_looks),
      cmocka_unit_test(continuations_are_counted_until_the_user_speaks),
      cmocka_unit_test(what_a_hook_told_is_no_word_of_the_user),
      cmocka_unit_test(who_tells_what_users_say_is_not_asked_whether_they_did),
      cmocka_unit_test(without_a_store_only_the_first_may))
