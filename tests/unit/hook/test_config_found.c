/* What the configuration says of hooks that were found. */
#include "config_fixture.h"

/* Finds two hooks of the user and one of the workspace, each a rule. */
static void find_three(struct config_finding *f)
{
    static const struct {
        const char *name;
        enum source source;
    } finds[] = {
        { "x/mine", SOURCE_USER },
        { "x/ours", SOURCE_WORKSPACE },
        { "x/late", SOURCE_USER },
    };

    for (size_t i = 0; i < ARRAY_LEN(finds); i++) {
        const struct origin file = { finds[i].source, finds[i].name, 0, 0 };
        struct setting *entry;
        const char *text =
            arena_printf(f->arena, "{ name: %s, on: turn.after, exec: [/bin/true], timeout: 9s }",
                         finds[i].name);

        assert_int_equal(setting_parse(f->arena, &file, str_of(text), &entry, NULL, NULL), 0);
        config_found_entry(f, entry);
        config_found_file(f, &(struct config_file){ .path = finds[i].name, .exists = true });
    }
}

static struct config *find(struct fixture *f)
{
    f->where.find = find_three;
    return load(f);
}

static const struct hook_entry *hook_of(const struct config *c, const char *name)
{
    for (size_t i = 0; i < c->hook_count; i++)
        if (!c->hooks[i].duplicate && strcmp(c->hooks[i].name, name) == 0)
            return &c->hooks[i];
    return NULL;
}

static void finds_are_hooks_after_those_configured(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml", "hooks: [{ name: a, on: Stop, exec: x }]\n");
    CLEANUP(config) struct config *c = find(f);
    assert_problems(f, c, "");
    assert_int_equal(c->hook_count, 4);
    assert_string_equal(c->hooks[0].name, "a");
    assert_string_equal(c->hooks[1].name, "x/mine");
    assert_false(c->hooks[0].found);
    assert_true(c->hooks[1].found);
    assert_int_equal(c->file_count, 8);
    assert_true(c->files[7].found);
}

static void an_entry_of_that_name_sets_options(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml",
        "hooks: [{ name: x/mine, timeout: 2s, layer: guard, tool: [bash, /^e/], enabled: false,\n"
        "          cadence: 3, on: Stop }]\n"
        "disabled_hooks: [x/ours]\nhook_cadence: { x/late: 4 }\n");
    CLEANUP(config) struct config *c = find(f);
    const struct hook_entry *h = hook_of(c, "x/mine");

    assert_problems(f, c, "");
    assert_int_equal(c->hook_count, 3);
    assert_int_equal(h->traits.timeout_ms, 2000);
    assert_int_equal(h->traits.layer, LAYER_GUARD);
    assert_int_equal(h->traits.on[0].point, POINT_AGENT_STOP);
    assert_false(h->traits.enabled);
    assert_int_equal(h->traits.cadence.every, 3);
    assert_int_equal(h->runner, RUNNER_COMMAND);
    assert_string_equal(h->origin.file, "x/mine");
    assert_int_equal(c->disabled_count, 1);
    assert_int_equal(c->cadences[0].cadence.every, 4);
}

static void a_bad_option_does_not_cost_the_hook(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml",
        "hooks: [{ name: x/mine, timeout: soon, layer: 3, tool: /(/, dialect: native,\n"
        "          priority: 7 }]\n");
    CLEANUP(config) struct config *c = find(f);
    assert_int_equal(c->problems.count, 4);
    assert_non_null(strstr(problems_of(f, c), "user/config.yaml:1:34: 'timeout' must be a time"));
    assert_non_null(strstr(problems_of(f, c), "'dialect' of the found hook 'x/mine' can't be"));
    assert_int_equal(hook_of(c, "x/mine")->traits.timeout_ms, 9000);
    assert_int_equal(hook_of(c, "x/mine")->traits.priority, 7);
}

static void an_entry_that_runs_something_takes_the_place(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml", "hooks: [{ name: x/mine, on: PreToolUse, block: no }]\n");
    CLEANUP(config) struct config *c = find(f);
    assert_int_equal(hook_of(c, "x/mine")->runner, RUNNER_RULE);
    assert_int_equal(c->problems.count, 1);
    assert_non_null(strstr(problems_of(f, c),
                           "x/mine:1:1: it is not used, because the hook 'x/mine' "
                           "is configured at "));
}

static void a_workspace_can_do_neither_to_a_hook_of_the_user(void **state)
{
    struct fixture *f = *state;

    put_trusted(f, "ws/.hooke/config.yaml",
                "hooks:\n  - { name: x/mine, enabled: false }\n"
                "  - { name: x/late, on: Stop, block: no }\n  - { name: x/ours, timeout: 3s }\n"
                "hook_cadence: { x/mine: 9, x/ours: 9 }\n");
    CLEANUP(config) struct config *c = find(f);
    assert_true(hook_of(c, "x/mine")->traits.enabled);
    assert_int_equal(hook_of(c, "x/late")->runner, RUNNER_COMMAND);
    assert_int_equal(hook_of(c, "x/ours")->traits.timeout_ms, 3000);
    assert_problems(f, c,
                    "ws/.hooke/config.yaml:2:5: a workspace file cannot set options of the hook "
                    "'x/mine', found at x/mine:1:1\n"
                    "ws/.hooke/config.yaml:3:5: a workspace file cannot replace the hook 'x/late', "
                    "found at x/late:1:1\n"
                    "ws/.hooke/config.yaml:5:25: a workspace file cannot set "
                    "'hook_cadence.x/mine': the hook is not the workspace's\n");
    assert_int_equal(c->cadence_count, 1);
}

static void what_the_user_said_of_a_workspace_hook_stays(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml", "hooks: [{ name: x/ours, timeout: 2s }]\n");
    put_trusted(f, "ws/.hooke/config.yaml",
                "hooks: [{ name: x/ours, timeout: 3s, priority: 3 }]\n");
    CLEANUP(config) struct config *c = find(f);
    assert_int_equal(hook_of(c, "x/ours")->traits.timeout_ms, 2000);
    assert_int_equal(hook_of(c, "x/ours")->traits.priority, 3);
    assert_int_equal(c->problems.count, 1);
    assert_non_null(
        strstr(problems_of(f, c), "a workspace may not change 'timeout', it is set at"));
}

static void options_for_nothing_are_a_warning(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml",
        "hooks: [{ name: x/nobody, timeout: 2s }]\ndisabled_hooks: [x/mime]\n");
    CLEANUP(config) struct config *c = find(f);
    assert_problems(f, c,
                    "user/config.yaml:1:9: there is no hook 'x/nobody' to set options of: no such "
                    "file is found and trusted\n"
                    "user/config.yaml:2:18: unknown hook 'x/mime', did you mean 'x/mine'?\n");
    assert_int_equal(c->hook_count, 3);
}

static void a_safety_critical_hook_that_is_not_found_fails(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml", "hooks: [{ name: x/nobody, on: Stop, safety_critical: true }]\n");
    CLEANUP(config) struct config *c = find(f);
    assert_non_null(hook_of(c, "x/nobody")->broken);
}

static void locked_hooks_keep_finds_out(void **state)
{
    struct fixture *f = *state;

    put(f, "etc/config.yaml", "locked: [hooks]\nhooks: [{ name: a, on: Stop, exec: x }]\n");
    CLEANUP(config) struct config *c = find(f);
    assert_int_equal(c->hook_count, 1);
    assert_int_equal(c->problems.count, 3);
}

TESTS(CONFIG_TEST(finds_are_hooks_after_those_configured),
      CONFIG_TEST(an_entry_of_that_name_sets_options),
      CONFIG_TEST(a_bad_option_does_not_cost_the_hook),
      CONFIG_TEST(an_entry_that_runs_something_takes_the_place),
      CONFIG_TEST(a_workspace_can_do_neither_to_a_hook_of_the_user),
      CONFIG_TEST(what_the_user_said_of_a_workspace_hook_stays),
      CONFIG_TEST(options_for_nothing_are_a_warning),
      CONFIG_TEST(a_safety_critical_hook_that_is_not_found_fails),
      CONFIG_TEST(locked_hooks_keep_finds_out))
