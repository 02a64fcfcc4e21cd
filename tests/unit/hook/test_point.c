#include "hook/point.h"
#include "test.h"

static void every_point_resolves_to_itself(void **state UNUSED)
{
    for (int p = 0; p < POINT_COUNT; p++) {
        struct subscription on;

        assert_true(point_resolve(str_of(point_info((enum point)p)->name), &on));
        assert_int_equal(on.point, p);
        assert_int_equal(on.session, SESSION_ANY);
    }
}

static void a_foreign_name_stands_for_a_point_and_a_match(void **state UNUSED)
{
    struct subscription on;

    assert_true(point_resolve(STR("SubagentStop"), &on));
    assert_int_equal(on.point, POINT_AGENT_STOP);
    assert_int_equal(on.session, SESSION_SUB);
    assert_true(point_resolve(STR("PostToolUseFailure"), &on));
    assert_int_equal(on.point, POINT_TOOL_EXECUTE_AFTER);
    assert_int_equal(on.result, RESULT_FAILURE);
    assert_true(point_resolve(STR("before_tool_call"), &on));
    assert_int_equal(on.point, POINT_TOOL_EXECUTE_BEFORE);
}

static void an_unknown_name_has_a_nearest_one(void **state UNUSED)
{
    struct subscription on;

    assert_false(point_resolve(STR("tool.execute.befor"), &on));
    assert_string_equal(point_nearest("tool.execute.befor"), "tool.execute.before");
    assert_string_equal(point_nearest("PreToolUs"), "PreToolUse");
    assert_null(point_nearest("zzzzzzzz"));
}

static void a_system_knows_its_own_names_only(void **state UNUSED)
{
    static const char *const kodelet[] = { "before_tool_call",  "after_tool_call", "agent_stop",
                                           "user_message_send", "after_turn",      "turn_end" };
    static const char *const others[] = { "", "Stop", "agent-stop", "agent_stop hook",
                                          "AGENT_STOP" };

    for (size_t i = 0; i < ARRAY_LEN(kodelet); i++)
        assert_string_equal(point_alias_of("kodelet", str_of(kodelet[i]))->name, kodelet[i]);
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        assert_null(point_alias_of("kodelet", str_of(others[i])));
    assert_non_null(point_alias_of("codex", STR("SubagentStart")));
    assert_null(point_alias_of("gemini", STR("SubagentStart")));
    assert_null(point_alias_of("code", STR("SubagentStart")));
    assert_string_equal(point_alias_nearest("kodelet", "agent-stop"), "agent_stop");
    assert_string_equal(point_alias_nearest("acai", "agent_stop"), "agent-stop");
    assert_null(point_alias_nearest("claude", "after_turn"));
}

static void only_tool_execute_before_is_ungated(void **state UNUSED)
{
    for (int p = 0; p < POINT_COUNT; p++)
        assert_int_equal(point_info((enum point)p)->ungated, p == POINT_TOOL_EXECUTE_BEFORE);
}

static void a_point_that_changes_says_which_fields(void **state UNUSED)
{
    for (int p = 0; p < POINT_COUNT; p++) {
        const struct point_info *info = point_info((enum point)p);
        bool any = false;
        size_t count;
        const struct point_field *f = point_fields((enum point)p, &count);

        for (size_t i = 0; i < count; i++)
            any |= f[i].changes;
        assert_int_equal(any, (info->powers & POWER_CHANGE) != 0);
    }
}

static void fields_are_found_by_name(void **state UNUSED)
{
    assert_true(point_field(POINT_TOOL_EXECUTE_BEFORE, STR("args"))->changes);
    assert_false(point_field(POINT_TOOL_EXECUTE_BEFORE, STR("tool"))->changes);
    assert_null(point_field(POINT_SESSION_IDLE, STR("tool")));
}

TESTS(cmocka_unit_test(every_point_resolves_to_itself),
      cmocka_unit_test(a_foreign_name_stands_for_a_point_and_a_match),
      cmocka_unit_test(an_unknown_name_has_a_nearest_one),
      cmocka_unit_test(a_system_knows_its_own_names_only),
      cmocka_unit_test(only_tool_execute_before_is_ungated),
      cmocka_unit_test(a_point_that_changes_says_which_fields),
      cmocka_unit_test(fields_are_found_by_name))
