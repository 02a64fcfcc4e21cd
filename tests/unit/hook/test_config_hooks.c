#include "config_fixture.h"

/* The only hook of a user's configuration that has no problems. */
static struct config *load_hook(struct fixture *f, const char *keys)
{
    struct config *c;

    put(f, "user/config.yaml", arena_printf(&f->arena, "hooks:\n  - {%s}\n", keys));
    c = load(f);
    assert_problems(f, c, "");
    assert_int_equal(c->hook_count, 1);
    return c;
}

static void rule_has_its_verdict_and_guards(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml",
        "hooks:\n"
        "  - name: no-force-push\n"
        "    on: tool.execute.before\n"
        "    when: tool == \"bash\" and re(args.command, [[push.*--force]])\n"
        "    block: Force pushes are not allowed here.\n"
        "  - name: compact-at-70\n"
        "    on: turn.after\n"
        "    when: usage.current_context_window / usage.max_context_window > 0.70\n"
        "    callback: compact\n"
        "  - name: audit-log\n"
        "    on: [PreToolUse, Stop]\n"
        "    exec: [./audit.sh, --json]\n"
        "    mode: observe\n"
        "    timeout: 5s\n");
    CLEANUP(config) struct config *c = load(f);
    assert_problems(f, c, "");
    assert_int_equal(c->hook_count, 3);
    assert_int_equal(c->hooks[0].runner, RUNNER_RULE);
    assert_int_equal(c->hooks[0].traits.layer, LAYER_GUARD);
    assert_int_equal(c->hooks[0].traits.on[0].point, POINT_TOOL_EXECUTE_BEFORE);
    assert_string_equal(setting_get(c->hooks[0].spec, "when")->text.ptr,
                        "tool == \"bash\" and re(args.command, [[push.*--force]])");
    assert_int_equal(c->hooks[1].traits.layer, LAYER_TRANSFORM);
    assert_int_equal(c->hooks[2].runner, RUNNER_COMMAND);
    assert_int_equal(c->hooks[2].traits.layer, LAYER_OBSERVE);
    assert_true(c->hooks[2].traits.observe);
    assert_int_equal(c->hooks[2].traits.timeout_ms, 5000);
    assert_int_equal(c->hooks[2].traits.on_count, 2);
    assert_int_equal(c->hooks[2].traits.on[1].point, POINT_AGENT_STOP);
    assert_int_equal(c->hooks[2].traits.on[1].session, SESSION_MAIN);
    assert_int_equal(c->hooks[2].traits.said, KEY_ON | KEY_MODE | KEY_TIMEOUT);
}

static void all_keys_are_read(void **state)
{
    struct fixture *f = *state;
    CLEANUP(config)
    struct config *c =
        load_hook(f, "name: a/b, on: [chat.message], tool: [x, /y/], agent: fixer, session: sub, "
                     "script: x.lua, dialect: native, layer: validate, priority: -5, timeout: 1.5, "
                     "on_failure: ask, safety_critical: true, place: tail, once: true, "
                     "env: {A: 1}, budget: {tokens: 10, session_tokens: 20, llm_tokens: 30, "
                     "llm_cost: 0.5}, prewarm: true, "
                     "enabled: false, cadence: 1");
    const struct hook_traits *t = &c->hooks[0].traits;

    assert_string_equal(c->hooks[0].name, "a/b");
    assert_int_equal(c->hooks[0].runner, RUNNER_SCRIPT);
    assert_true(match_test(t->tool, STR("many")));
    assert_false(match_test(t->agent, STR("other")));
    assert_int_equal(t->session, SESSION_SUB);
    assert_int_equal(t->layer, LAYER_VALIDATE);
    assert_int_equal(t->priority, -5);
    assert_int_equal(t->timeout_ms, 1500);
    assert_int_equal(t->on_failure, FAILURE_ASK);
    assert_true(t->safety_critical && t->once);
    assert_int_equal(t->place, PLACE_TAIL);
    assert_int_equal(t->budget_tokens, 10);
    assert_int_equal(t->budget_session_tokens, 20);
    assert_int_equal(t->budget_llm_tokens, 30);
    assert_true(t->budget_llm_cost > 0.49 && t->budget_llm_cost < 0.51);
    assert_false(t->enabled);
    assert_false(t->observe);
    assert_int_equal(t->said, (KEY_ENABLED << 1) - 1 - KEY_MODE);
}

static void failure_of_safety_critical_hooks_blocks(void **state)
{
    struct fixture *f = *state;
    CLEANUP(config)
    struct config *c = load_hook(f, "name: a, on: Stop, exec: x, safety_critical: true, budget: 7");

    assert_int_equal(c->hooks[0].traits.on_failure, FAILURE_BLOCK);
    assert_int_equal(c->hooks[0].traits.budget_tokens, 7);
    assert_true(c->hooks[0].traits.enabled);
}

static void runners_go_by_their_key(void **state)
{
    struct fixture *f = *state;
    CLEANUP(config) struct config *c = load_hook(f, "name: a, on: Stop, resident: [node, 1]");

    assert_int_equal(c->hooks[0].runner, RUNNER_RESIDENT);
}

static void rules_may_say_several_things(void **state)
{
    struct fixture *f = *state;
    CLEANUP(config)
    struct config *c = load_hook(
        f, "name: a, on: agent.stop, continue: [go on], callback: compact, callback_args: {a: 1}, "
           "say: hello");

    assert_int_equal(c->hooks[0].runner, RUNNER_RULE);
    assert_int_equal(c->hooks[0].traits.layer, LAYER_TRANSFORM);
}

/* The first problem of an entry, which is then not used. */
static void assert_bad(struct fixture *f, const char *keys, unsigned column, const char *message)
{
    put(f, "user/config.yaml",
        arena_printf(&f->arena, "hooks:\n- {%s}\n- {name: good, on: Stop, exec: x}\n", keys));
    CLEANUP(config) struct config *c = load(f);
    assert_int_equal(c->problems.count, 1);
    assert_string_equal(c->problems.first->message, message);
    assert_int_equal(c->problems.first->origin.line, 2);
    assert_int_equal(c->problems.first->origin.column, column);
    assert_int_equal(c->hook_count, 1);
    assert_string_equal(c->hooks[0].name, "good");
}

/* A handler that is wrong is located, and stays to fail; its neighbours are not touched. */
static void bad_handlers_are_located_and_kept(void **state)
{
    static const struct {
        const char *handler;
        unsigned column;
        const char *message;
    } rows[] = {
        { "{exec: x, tiemout: 3}", 52,
          "unknown key 'tiemout' of a handler, did you mean 'timeout'?" },
        { "{exec: x, timeout: soon}", 61,
          "'timeout' must be a time such as 500ms, 5s or 2m, not 'soon'" },
        { "{exec: x, async: 1}", 59, "'async' must be true or false, not a number" },
        { "{exec: []}", 49, "'exec' is empty: say what to run" },
        { "{exec: [[x]]}", 50, "a word of 'exec' must be a text, not a list" },
        { "{exec: x, env: {A: [1]}}", 61, "a variable of 'env' must be a text, not a list" },
        { "{exec: x, match: 3}", 59, "'match' must be a text, not a number" },
        { "{match: Bash}", 42, "a handler needs 'exec': what to run" },
        { "text", 42, "a handler must be a map with 'exec', not a text" },
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        put(f, "user/config.yaml",
            arena_printf(&f->arena, "hooks:\n- {name: a, on: Stop, group: [{exec: y}, %s]}\n",
                         rows[i].handler));
        CLEANUP(config) struct config *c = load(f);
        assert_int_equal(c->problems.count, 1);
        assert_string_equal(c->problems.first->message, rows[i].message);
        assert_int_equal(c->problems.first->origin.column, rows[i].column);
        assert_int_equal(c->hooks[0].handler_count, 2);
        assert_null(c->hooks[0].handlers[0].broken);
        assert_non_null(strstr(c->hooks[0].handlers[1].broken, rows[i].message));
    }
}

static void handlers_are_read_in_order(void **state)
{
    struct fixture *f = *state;
    CLEANUP(config)
    struct config *c = load_hook(
        f, "name: a, on: Stop, group: [{exec: [x, y], timeout: 2m, async: true, env: [A]}, "
           "{exec: z, match: Bash, if: 'Bash(git *)'}]");
    const struct hook_handler *h = c->hooks[0].handlers;

    assert_int_equal(c->hooks[0].runner, RUNNER_COMMAND);
    assert_int_equal(c->hooks[0].traits.layer, LAYER_TRANSFORM);
    assert_int_equal(c->hooks[0].handler_count, 2);
    assert_int_equal(h[0].timeout_ms, 120000);
    assert_true(h[0].async && h[0].env && !h[0].match);
    assert_string_equal(h[1].exec->text.ptr, "z");
    assert_string_equal(h[1].match->text.ptr, "Bash");
    assert_string_equal(h[1].condition->text.ptr, "Bash(git *)");
    assert_false(h[1].async);
    assert_int_equal(h[1].origin.line, 2);
    assert_true(h[1].origin.column > h[0].origin.column);
}

static void a_plain_command_is_a_group_of_one(void **state)
{
    struct fixture *f = *state;
    CLEANUP(config) struct config *c = load_hook(f, "name: a, on: Stop, exec: x");

    assert_int_equal(c->hooks[0].handler_count, 1);
    assert_string_equal(c->hooks[0].handlers[0].exec->text.ptr, "x");
}

static void bad_entries_are_located_and_skipped(void **state)
{
    struct fixture *f = *state;

    assert_bad(f, "on: Stop, exec: x", 3, "a hook needs a 'name'");
    assert_bad(f, "name: a b, on: Stop, exec: x", 10,
               "'a b' is no name for a hook: use letters, digits, '-', '_' and '/'");
    assert_bad(f, "name: notification, on: Stop, exec: x", 10,
               "'notification' is the name of a point: call the hook otherwise");
    assert_bad(f, "name: a, exec: x", 3, "the hook 'a' needs 'on': the points it is for");
    assert_bad(f, "name: a, on: tool.execute.befor, exec: x", 17,
               "unknown point 'tool.execute.befor', did you mean 'tool.execute.before'?");
    assert_bad(f, "name: a, on: [], exec: x", 17, "'on' names no point");
    assert_bad(f, "name: a, on: [Stop, 5], exec: x", 24,
               "expected the name of a point, not a number");
    assert_bad(f, "name: a, on: Stop, exec: x, prio: 3", 32, "unknown key 'prio' of a hook");
    assert_bad(f, "name: a, on: Stop, exec: x, timeot: 3", 32,
               "unknown key 'timeot' of a hook, did you mean 'timeout'?");
    assert_bad(f, "name: a, on: Stop, exec: []", 29, "'exec' is empty: say what to run");
    assert_bad(f, "name: a, on: Stop, group: []", 30, "'group' is empty: say what to run");
    assert_bad(f, "name: a, on: Stop, exec: x, async: true", 32,
               "'async' belongs to the handlers of a 'group', not to the hook");
    assert_bad(f, "name: a, on: Stop, exec: x, tool: /(/", 38,
               "bad regular expression '(' at offset 1: missing closing parenthesis");
    assert_bad(f, "name: a, on: Stop, exec: x, layer: top", 39,
               "'layer' must be one of guard, produce, transform, consume, validate, observe, not "
               "'top'");
    assert_bad(f, "name: a, on: Stop, exec: x, timeout: soon", 41,
               "'timeout' must be a time such as 500ms, 5s or 2m, not 'soon'");
    assert_bad(f, "name: a, on: Stop, exec: x, once: 1", 38,
               "'once' must be true or false, not a number");
    assert_bad(f, "name: a, on: Stop, exec: x, budget: {token: 1}", 41,
               "unknown key 'token' of 'budget': it has 'tokens', 'session_tokens', "
               "'llm_tokens' and 'llm_cost'");
    assert_bad(f, "name: a, on: PreToolUse, block: x, allow: true", 39,
               "a rule cannot have both 'block' and 'allow'");
    assert_bad(f, "name: a, on: PreToolUse, allow: false", 36,
               "'allow: false' means nothing: leave the key out");
    assert_bad(f, "name: a, on: PreToolUse, block: [x]", 36, "'block' must be a text, not a list");
    assert_bad(f, "name: a, on: Stop, exec: x, callback_args: {}", 47,
               "'callback_args' needs 'callback' beside it");
}

static void an_entry_needs_exactly_one_runner(void **state)
{
    struct fixture *f = *state;

    assert_bad(f, "name: a, on: Stop", 3,
               "the hook 'a' does nothing: give it a verdict such as 'block' or 'inject', or "
               "'exec', 'group', 'resident' or 'script'");
    assert_bad(f, "name: a, on: Stop, stop: x, exec: y", 3,
               "the hook 'a' has more than one of a verdict, 'exec', 'group', 'resident' and "
               "'script'");
}

static void entry_that_is_no_map_is_skipped(void **state)
{
    assert_user_problems(*state, "hooks:\n- x\n",
                         "user/config.yaml:2:3: a hook must be a map with a 'name', not a text\n");
}

static void eaten_expression_is_explained(void **state)
{
    assert_user_problems(
        *state, "hooks:\n- name: a\n  on: Stop\n  when: #x == 1\n  stop: y\n",
        "user/config.yaml:4:3: 'when' is empty: YAML takes what follows '#' for a comment, put the "
        "expression in quotes\n");
}

static void second_entry_of_a_name_is_not_used(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml",
        "hooks:\n- {name: a, on: Stop, exec: x}\n- {name: a, on: Stop, exec: y}\n");
    CLEANUP(config) struct config *c = load(f);
    assert_int_equal(c->hook_count, 2);
    assert_false(c->hooks[0].duplicate);
    assert_true(c->hooks[1].duplicate);
    assert_int_equal(c->problems.count, 1);
    assert_non_null(strstr(problems_of(f, c), "user/config.yaml:3:10: the hook 'a' is already"));
}

static void verdict_without_power_is_a_warning(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml", "hooks: [{name: a, on: session.idle, block: x}]\n");
    CLEANUP(config) struct config *c = load(f);
    assert_problems(f, c, "user/config.yaml:1:37: 'block' has no effect at 'session.idle'\n");
    assert_true(c->problems.first->warning);
    assert_int_equal(c->hook_count, 1);
}

static void options_of_a_builtin_may_come_from_several_files(void **state)
{
    struct fixture *f = *state;

    put(f, "etc/config.yaml", "hooks: [{name: loop-guard, limit: 2}]\n");
    put(f, "user/config.yaml",
        "hooks: [{name: loop-guard, limit: 5}, {name: loop-guard, limit: 6}]\n");
    CLEANUP(config) struct config *c = load(f);
    assert_int_equal(c->hook_count, 3);
    assert_false(c->hooks[0].duplicate);
    assert_false(c->hooks[1].duplicate);
    assert_true(c->hooks[2].duplicate);
}

static void a_locked_builtin_takes_no_later_options(void **state)
{
    struct fixture *f = *state;

    put(f, "etc/config.yaml",
        "locked: [hooks.loop-guard]\nhooks: [{name: loop-guard, limit: 2}]\n");
    put(f, "user/config.yaml", "hooks: [{name: loop-guard, limit: 5}]\n");
    CLEANUP(config) struct config *c = load(f);
    assert_int_equal(c->hook_count, 1);
    assert_non_null(strstr(problems_of(f, c), "the hook 'loop-guard' is locked"));
}

static void a_bad_entry_that_is_safety_critical_stays_and_is_broken(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml",
        "hooks:\n  - {name: a, on: Stop, colour: red, say: x}\n"
        "  - {name: b, on: PreToolUse, safety_critical: true, colour: red, block: x}\n"
        "  - {name: c, on: Nowhere, safety_critical: true, block: x}\n");
    CLEANUP(config) struct config *c = load(f);
    assert_int_equal(c->hook_count, 1);
    assert_string_equal(c->hooks[0].name, "b");
    assert_non_null(strstr(c->hooks[0].broken, "unknown key 'colour'"));
}

static void options_of_builtins_are_left_alone(void **state)
{
    struct fixture *f = *state;
    CLEANUP(config)
    struct config *c =
        load_hook(f, "name: loop-guard, limit: 5, whatever: [x], priority: 3, enabled: false");

    assert_int_equal(c->hooks[0].runner, RUNNER_BUILTIN);
    assert_int_equal(c->hooks[0].traits.said, KEY_PRIORITY | KEY_ENABLED);
    assert_false(c->hooks[0].traits.enabled);
    assert_non_null(setting_get(c->hooks[0].spec, "limit"));
    assert_true(config_is_hook_key(STR("priority")) && config_is_hook_key(STR("name")));
    assert_false(config_is_hook_key(STR("limit")));
}

static void cadence_keys_are_points_foreign_names_and_hooks(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml",
        "hook_cadence: {chat.message: 2, UserPromptSubmit: 3, AfterTool: 4, phase-reminder: 5, "
        "mine: 6}\nhooks: [{name: mine, on: AfterTool, exec: x}]\n");
    CLEANUP(config) struct config *c = load(f);
    assert_problems(f, c,
                    "user/config.yaml:1:33: 'UserPromptSubmit' is the point 'chat.message', which "
                    "has a cadence already\n");
    assert_int_equal(c->cadence_count, 4);
    assert_true(c->cadences[0].is_point);
    assert_string_equal(c->cadences[0].name, "chat.message");
    assert_int_equal(c->cadences[0].cadence.every, 3);
    assert_int_equal(c->cadences[1].point, POINT_TOOL_EXECUTE_AFTER);
    assert_false(c->cadences[2].is_point);
    assert_string_equal(c->cadences[3].name, "mine");
    assert_int_equal(c->cadences[3].cadence.every, 6);
}

static void cadence_names_are_case_sensitive_and_kept(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml", "hook_cadence: {Phase-Reminder: 2, chat.mesage: 3}\n");
    CLEANUP(config) struct config *c = load(f);
    assert_problems(
        f, c,
        "user/config.yaml:1:16: unknown hook or point 'Phase-Reminder', did you mean "
        "'phase-reminder'?\n"
        "user/config.yaml:1:35: unknown hook or point 'chat.mesage', did you mean 'chat.message'?\n");
    assert_true(c->problems.first->warning);
    assert_int_equal(c->cadence_count, 2);
}

static void nothing_gates_what_is_safety_critical(void **state)
{
    struct fixture *f = *state;
    const char *ignored = "[hooke:cadence] Ignoring cadence > 1 for safety-critical hook: ";

    put(f, "user/config.yaml",
        "hook_cadence: {tool.execute.before: 5, PreToolUse: 2.5, safe: 3}\n"
        "hooks:\n"
        "- {name: safe, on: chat.message, exec: x, safety_critical: true, cadence: 4}\n"
        "- {name: wall, on: PreToolUse, exec: x, cadence: 4}\n");
    CLEANUP(config) struct config *c = load(f);
    assert_int_equal(c->problems.count, 6);
    assert_problems(
        f, c,
        arena_printf(
            &f->arena,
            "user/config.yaml:3:75: %ssafe\nuser/config.yaml:4:50: %swall\n"
            "user/config.yaml:1:37: %stool.execute.before\n"
            "user/config.yaml:1:40: 'PreToolUse' is the point 'tool.execute.before', which "
            "has a cadence already\n"
            "user/config.yaml:1:52: %sPreToolUse\nuser/config.yaml:1:63: %ssafe\n",
            ignored, ignored, ignored, ignored, ignored));
    for (size_t i = 0; i < c->cadence_count; i++)
        assert_false(cadence_gates(&c->cadences[i].cadence));
    assert_false(cadence_gates(&c->hooks[0].traits.cadence));
}

static void nothing_gates_notices(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml",
        "hook_cadence: {session.idle: 5}\n"
        "hooks: [{name: bell, on: [session.idle, notification], exec: x, cadence: 2}]\n");
    CLEANUP(config) struct config *c = load(f);
    assert_problems(f, c,
                    "user/config.yaml:2:74: [hooke:cadence] Ignoring cadence > 1 for notice: bell\n"
                    "user/config.yaml:1:30: [hooke:cadence] Ignoring cadence > 1 for notice: "
                    "session.idle\n");
    assert_int_equal(c->cadences[0].cadence.every, 1);
}

static void toggling_the_system_prompt_is_warned_about(void **state)
{
    static const char *const texts[] = {
        "hooks: [{name: a, on: experimental.chat.system.transform, inject: x, place: system, "
        "cadence: 3}]\n",
        "hook_cadence: {a: 3}\n"
        "hooks: [{name: a, on: experimental.chat.system.transform, inject: x, place: system}]\n",
        "hook_cadence: {experimental.chat.system.transform: 3}\n"
        "hooks: [{name: a, on: experimental.chat.system.transform, inject: x, place: system}]\n",
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        put(f, "user/config.yaml", texts[i]);
        CLEANUP(config) struct config *c = load(f);
        assert_int_equal(c->problems.count, 1);
        assert_true(c->problems.first->warning);
        assert_non_null(strstr(c->problems.first->message, "prompt cache"));
    }
    assert_user_problems(
        f, "hooks: [{name: a, on: experimental.chat.system.transform, inject: x, cadence: 3}]\n",
        "");
}

static void unknown_disabled_hook_is_warned_about(void **state)
{
    assert_user_problems(
        *state, "disabled_hooks: [loop-gard]\n",
        "user/config.yaml:1:18: unknown hook 'loop-gard', did you mean 'loop-guard'?\n");
}

TESTS(CONFIG_TEST(rule_has_its_verdict_and_guards), CONFIG_TEST(all_keys_are_read),
      CONFIG_TEST(failure_of_safety_critical_hooks_blocks), CONFIG_TEST(runners_go_by_their_key),
      CONFIG_TEST(rules_may_say_several_things), CONFIG_TEST(bad_entries_are_located_and_skipped),
      CONFIG_TEST(an_entry_needs_exactly_one_runner), CONFIG_TEST(entry_that_is_no_map_is_skipped),
      CONFIG_TEST(eaten_expression_is_explained), CONFIG_TEST(second_entry_of_a_name_is_not_used),
      CONFIG_TEST(verdict_without_power_is_a_warning),
      CONFIG_TEST(options_of_builtins_are_left_alone),
      CONFIG_TEST(options_of_a_builtin_may_come_from_several_files),
      CONFIG_TEST(a_locked_builtin_takes_no_later_options),
      CONFIG_TEST(a_bad_entry_that_is_safety_critical_stays_and_is_broken),
      CONFIG_TEST(cadence_keys_are_points_foreign_names_and_hooks),
      CONFIG_TEST(cadence_names_are_case_sensitive_and_kept),
      CONFIG_TEST(nothing_gates_what_is_safety_critical), CONFIG_TEST(nothing_gates_notices),
      CONFIG_TEST(toggling_the_system_prompt_is_warned_about),
      CONFIG_TEST(unknown_disabled_hook_is_warned_about),
      CONFIG_TEST(bad_handlers_are_located_and_kept), CONFIG_TEST(handlers_are_read_in_order),
      CONFIG_TEST(a_plain_command_is_a_group_of_one))
