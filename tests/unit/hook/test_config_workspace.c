#include "config_fixture.h"

static void untrusted_file_is_not_used(void **state)
{
    struct fixture *f = *state;

    put(f, "ws/.hooke/config.yaml", "strict: true\n");
    CLEANUP(config) struct config *c = load(f);
    assert_false(c->strict || c->broken);
    assert_int_equal(c->problems.count, 1);
    assert_true(c->problems.first->warning);
    assert_string_equal(c->problems.first->message,
                        arena_printf(&f->arena,
                                     "'%s' is not trusted and is not used: run 'hooke trust'",
                                     at(f, "ws/.hooke/config.yaml")));
    assert_true(c->files[3].exists);
    assert_false(c->files[3].trusted);
}

static void changed_file_is_not_used(void **state)
{
    struct fixture *f = *state;

    put_trusted(f, "ws/.hooke/config.yaml", "strict: true\n");
    put(f, "ws/.hooke/config.yaml", "strict: true \n");
    CLEANUP(config) struct config *c = load(f);
    assert_false(c->strict);
    assert_int_equal(c->problems.count, 1);
    assert_non_null(strstr(c->problems.first->message, "has changed since it was trusted"));
}

static void broken_untrusted_file_breaks_nothing(void **state)
{
    struct fixture *f = *state;

    put(f, "ws/.hooke/config.yaml", "a: [\n");
    CLEANUP(config) struct config *c = load(f);
    assert_false(c->broken);
    assert_int_equal(c->problems.count, 1);
}

static void trust_file_may_be_named(void **state)
{
    struct fixture *f = *state;
    const char *text = "strict: true\n";

    put(f, "ws/.hooke/config.yaml", text);
    assert_int_equal(trust_pin(at(f, "pins"), at(f, "ws/.hooke/config.yaml"), str_of(text), NULL),
                     0);
    setenv("HOOKE_TRUST", at(f, "pins"), 1);
    CLEANUP(config) struct config *c = load(f);
    unsetenv("HOOKE_TRUST");
    assert_problems(f, c, "");
    assert_true(c->strict);
}

static void workspace_is_found_from_below(void **state)
{
    struct fixture *f = *state;

    put_trusted(f, "ws/.hooke/config.yaml", "strict: true\n");
    put(f, "ws/a/b/file", "");
    f->where.cwd = at(f, "ws/a/b");
    CLEANUP(config) struct config *c = load(f);
    assert_true(c->strict);
}

/* What is said of a trusted workspace file beside a user's hook 'mine' and managed 'wall'. */
static struct config *load_beside(struct fixture *f, const char *text)
{
    put(f, "etc/config.yaml", "hooks: [{name: wall, on: PreToolUse, exec: x}]\n");
    put(f, "user/config.yaml",
        "hooks: [{name: mine, on: chat.message, exec: x}]\n"
        "hook_cadence: {phase-reminder: 3}\nlimits: {turns: 10}\n");
    put_trusted(f, "ws/.hooke/config.yaml", text);
    return load(f);
}

static void cannot_disable_hooks_of_others(void **state)
{
    struct fixture *f = *state;
    CLEANUP(config)
    struct config *c = load_beside(f, "disabled_hooks: [wall, mine, own, loop-guard]\n"
                                      "hooks: [{name: own, on: Stop, exec: x}]\n");

    assert_int_equal(c->disabled_count, 2);
    assert_string_equal(c->disabled[0].name, "own");
    assert_string_equal(c->disabled[1].name, "loop-guard");
    assert_int_equal(c->disabled[1].origin.source, SOURCE_WORKSPACE);
    assert_int_equal(c->problems.count, 2);
    assert_non_null(strstr(problems_of(f, c),
                           "ws/.hooke/config.yaml:1:18: a workspace file cannot disable "
                           "'wall', defined at "));
}

static void cannot_replace_hooks_of_others(void **state)
{
    struct fixture *f = *state;
    CLEANUP(config)
    struct config *c = load_beside(f, "hooks: [{name: mine, on: Stop, exec: evil}]\n");

    assert_int_equal(c->hook_count, 3);
    assert_true(c->hooks[2].duplicate);
    assert_int_equal(c->problems.count, 1);
    assert_non_null(strstr(problems_of(f, c), "1:16: the hook 'mine' is already defined at "));
}

static void cannot_take_the_name_of_a_bad_hook(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml", "hooks: [{name: mine, on: Stopp, exec: x}]\n");
    put_trusted(f, "ws/.hooke/config.yaml", "hooks: [{name: mine, on: Stop, exec: evil}]\n");
    CLEANUP(config) struct config *c = load(f);
    assert_int_equal(c->hook_count, 1);
    assert_true(c->hooks[0].duplicate);
}

static void cannot_slow_hooks_of_others(void **state)
{
    struct fixture *f = *state;
    CLEANUP(config)
    struct config *c = load_beside(
        f, "hook_cadence: {chat.message: 9, mine: 9, wall: 9, phase-reminder: 9, own: 9}\n"
           "hooks: [{name: own, on: Stop, exec: x, cadence: 2}]\n");

    assert_int_equal(c->problems.count, 4);
    assert_int_equal(c->cadence_count, 2);
    assert_string_equal(c->cadences[0].name, "phase-reminder");
    assert_int_equal(c->cadences[0].cadence.every, 3);
    assert_string_equal(c->cadences[1].name, "own");
    assert_int_equal(c->cadences[1].cadence.every, 9);
    assert_non_null(strstr(problems_of(f, c),
                           "ws/.hooke/config.yaml:1:67: a workspace file cannot set "
                           "'hook_cadence.phase-reminder': it may only be lowered there\n"));
}

static void may_lower_a_cadence(void **state)
{
    struct fixture *f = *state;
    CLEANUP(config)
    struct config *c =
        load_beside(f, "hook_cadence: {phase-reminder: 2, loop-guard: {every: 4}}\n");

    assert_problems(f, c, "");
    assert_int_equal(c->cadences[0].cadence.every, 2);
    assert_int_equal(c->cadences[1].cadence.every, 4);
}

static const char *permission_of(const struct config *c, const char *tool)
{
    return config_get(c, "permission", tool, NULL)->text.ptr;
}

static void may_make_permissions_stricter_only(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml", "permission: {bash: deny, read: allow, '*': ask}\n");
    put_trusted(f, "ws/.hooke/config.yaml",
                "permission: {'*': deny, bash: allow, read: ask, write: allow, edit: deny}\n");
    put_trusted(f, "ws/.hooke/config.local.yaml", "permission: {glob: allow, grep: ask}\n");
    CLEANUP(config) struct config *c = load(f);
    assert_int_equal(c->problems.count, 3); /* bash, write, glob */
    assert_string_equal(permission_of(c, "bash"), "deny");
    assert_string_equal(permission_of(c, "read"), "ask");
    assert_string_equal(permission_of(c, "edit"), "deny");
    assert_string_equal(permission_of(c, "grep"), "ask");
    assert_string_equal(permission_of(c, "*"), "deny");
    assert_null(config_get(c, "permission", "write", NULL));
    assert_non_null(strstr(problems_of(f, c), "a workspace file cannot set 'permission.bash': it "
                                              "may only be made stricter there\n"));
}

static void own_files_may_change_each_other(void **state)
{
    struct fixture *f = *state;

    put_trusted(f, "ws/.hooke/config.yaml", "hook_cadence: {phase-reminder: 2}\n");
    put_trusted(f, "ws/.hooke/config.local.yaml", "hook_cadence: {phase-reminder: 4}\n");
    CLEANUP(config) struct config *c = load(f);
    assert_problems(f, c, "");
    assert_int_equal(c->cadences[0].cadence.every, 4);
}

static void may_set_options_of_builtins_only(void **state)
{
    struct fixture *f = *state;
    CLEANUP(config)
    struct config *c =
        load_beside(f, "hooks: [{name: loop-guard, limit: 2, enabled: false, priority: -9}]\n");

    assert_int_equal(c->hook_count, 3);
    assert_int_equal(c->hooks[2].runner, RUNNER_BUILTIN);
    assert_int_equal(c->hooks[2].traits.said, 0);
    assert_true(c->hooks[2].traits.enabled);
    assert_non_null(setting_get(c->hooks[2].spec, "limit"));
    assert_problems(f, c,
                    "ws/.hooke/config.yaml:1:38: a workspace file may set options of the built-in "
                    "'loop-guard', not 'enabled'\n"
                    "ws/.hooke/config.yaml:1:54: a workspace file may set options of the built-in "
                    "'loop-guard', not 'priority'\n");
}

static void may_only_tighten_limits(void **state)
{
    struct fixture *f = *state;
    CLEANUP(config)
    struct config *c =
        load_beside(f, "limits: {turns: 20, tokens: 5, continuations: 9, processes: 1}\n"
                       "max_hooks: 1\nevent_timeout: 1ms\nlocked: [strict]\n");

    assert_int_equal(c->problems.count, 6);
    assert_string_equal(config_get(c, "limits", "turns", NULL)->text.ptr, "10");
    assert_string_equal(config_get(c, "limits", "tokens", NULL)->text.ptr, "5");
    assert_int_equal(c->max_continuations, 8);
    assert_null(config_get(c, "limits", "processes", NULL));
    assert_int_equal(c->max_hooks, 100);
    assert_int_equal(c->event_timeout_ms, 600000);
}

static void may_only_switch_strict_on(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml", "strict: true\n");
    put_trusted(f, "ws/.hooke/config.yaml", "strict: false\n");
    CLEANUP(config) struct config *c = load(f);
    assert_true(c->strict);
    assert_int_equal(c->problems.count, 1);
}

static void may_only_keep_web_fetch_from_private_networks(void **state)
{
    struct fixture *f = *state;

    put_trusted(f, "ws/.hooke/config.yaml", "web_fetch: { allow_private: true }\n");
    {
        CLEANUP(config) struct config *c = load(f);
        assert_false(c->fetch_private);
        assert_int_equal(c->problems.count, 1);
    }
    put(f, "user/config.yaml", "web_fetch: { allow_private: true, allow_all: true }\n");
    put_trusted(f, "ws/.hooke/config.yaml", "strict: false\n");
    {
        CLEANUP(config) struct config *c = load(f);
        assert_true(c->fetch_private);
        assert_non_null(strstr(c->problems.first->message, "unknown key 'web_fetch.allow_all'"));
    }
    put_trusted(f, "ws/.hooke/config.yaml", "web_fetch: { allow_private: false }\n");
    {
        CLEANUP(config) struct config *c = load(f);
        assert_false(c->fetch_private);
    }
}

TESTS(CONFIG_TEST(untrusted_file_is_not_used), CONFIG_TEST(changed_file_is_not_used),
      CONFIG_TEST(broken_untrusted_file_breaks_nothing), CONFIG_TEST(trust_file_may_be_named),
      CONFIG_TEST(workspace_is_found_from_below), CONFIG_TEST(cannot_disable_hooks_of_others),
      CONFIG_TEST(cannot_replace_hooks_of_others), CONFIG_TEST(cannot_take_the_name_of_a_bad_hook),
      CONFIG_TEST(cannot_slow_hooks_of_others), CONFIG_TEST(may_lower_a_cadence),
      CONFIG_TEST(may_make_permissions_stricter_only), CONFIG_TEST(own_files_may_change_each_other),
      CONFIG_TEST(may_set_options_of_builtins_only), CONFIG_TEST(may_only_tighten_limits),
      CONFIG_TEST(may_only_switch_strict_on),
      CONFIG_TEST(may_only_keep_web_fetch_from_private_networks))
