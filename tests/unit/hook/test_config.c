#include "config_fixture.h"

#include <sys/time.h>

static double number(const struct setting *s)
{
    double d = -1;

    assert_true(setting_to_double(s, &d));
    return d;
}

static void defaults_without_any_file(void **state)
{
    struct fixture *f = *state;
    CLEANUP(config) struct config *c = load(f);

    assert_problems(f, c, "");
    assert_int_equal(c->hook_count, 0);
    assert_false(c->strict || c->broken || c->fallen_back);
    assert_int_equal(c->max_hooks, 100);
    assert_int_equal(c->max_continuations, 8);
    assert_null(config_get(c, "compact", "ratio", NULL));
    assert_string_equal(c->workspace, at(f, "ws"));
    assert_int_equal(c->file_count, 5);
    assert_false(c->files[2].exists);
}

static void later_sources_win(void **state)
{
    struct fixture *f = *state;

    put(f, "etc/config.yaml", "compact: {auto: false, ratio: 0.1}\nlimits: {continuations: 3}\n");
    put(f, "user/config.yaml", "compact: {ratio: 0.2}\n");
    put_trusted(f, "ws/.hooke/config.yaml", "compact: {ratio: 0.3}\n");
    put_trusted(f, "ws/.hooke/config.local.yaml", "compact: {ratio: 0.4}\n");
    CLEANUP(config) struct config *c = load(f);
    assert_problems(f, c, "");
    assert_true(number(config_get(c, "compact", "ratio", NULL)) == 0.4);
    assert_string_equal(config_get(c, "compact", "auto", NULL)->text.ptr, "false");
    assert_int_equal(config_get(c, "compact", "auto", NULL)->origin.source, SOURCE_MANAGED);
    assert_int_equal(config_get(c, "compact", "ratio", NULL)->origin.source, SOURCE_WORKSPACE);
    assert_int_equal(c->max_continuations, 3);
}

static void hooks_add_up_in_order(void **state)
{
    struct fixture *f = *state;

    put(f, "etc/config.yaml", "hooks: [{name: a, on: Stop, exec: x}]\n");
    put(f, "user/config.yaml", "hooks: [{name: b, on: Stop, exec: x}]\n");
    put_trusted(f, "ws/.hooke/config.yaml", "hooks: [{name: c, on: Stop, exec: x}]\n");
    CLEANUP(config) struct config *c = load(f);
    assert_problems(f, c, "");
    assert_int_equal(c->hook_count, 3);
    assert_string_equal(c->hooks[0].name, "a");
    assert_string_equal(c->hooks[1].name, "b");
    assert_string_equal(c->hooks[2].name, "c");
    assert_int_equal(c->hooks[2].origin.source, SOURCE_WORKSPACE);
}

static void disabled_hooks_are_united(void **state)
{
    struct fixture *f = *state;

    put(f, "etc/config.yaml", "disabled_hooks: [loop-guard]\n");
    put(f, "user/config.yaml", "disabled_hooks: [phase-reminder, loop-guard, 5]\n");
    CLEANUP(config) struct config *c = load(f);
    assert_int_equal(c->disabled_count, 2);
    assert_string_equal(c->disabled[0].name, "loop-guard");
    assert_int_equal(c->disabled[0].origin.source, SOURCE_MANAGED);
    assert_string_equal(c->disabled[1].name, "phase-reminder");
    assert_problems(f, c, "user/config.yaml:1:46: expected the name of a hook, not a number\n");
}

static void empty_keys_say_nothing(void **state)
{
    struct fixture *f = *state;

    put(f, "etc/config.yaml", "hook_cadence: {loop-guard: 3}\ncompact: {ratio: 0.3}\n");
    put(f, "user/config.yaml", "hook_cadence:\nhooks:\ndisabled_hooks: ~\ncompact:\nstrict:\n");
    CLEANUP(config) struct config *c = load(f);
    assert_problems(f, c, "");
    assert_int_equal(c->cadence_count, 1);
    assert_true(number(config_get(c, "compact", "ratio", NULL)) == 0.3);
}

static void locked_keys_stay(void **state)
{
    struct fixture *f = *state;

    put(f, "etc/config.yaml",
        "locked: [compact.ratio, hook_cadence, limits, hooks.wall]\ncompact: {ratio: 0.1}\n"
        "hooks: [{name: wall, on: Stop, exec: x}]\n");
    put(f, "user/config.yaml",
        "compact: {ratio: 0.9, auto: false}\nhook_cadence: {loop-guard: 3}\nlimits: {turns: 4}\n"
        "disabled_hooks: [wall]\nhooks: [{name: mine, on: Stop, exec: x}]\n");
    setenv("HOOKE_COMPACT_RATIO", "0.5", 1);
    CLEANUP(config) struct config *c = load(f);
    unsetenv("HOOKE_COMPACT_RATIO");
    assert_true(number(config_get(c, "compact", "ratio", NULL)) == 0.1);
    assert_non_null(config_get(c, "compact", "auto", NULL));
    assert_int_equal(c->cadence_count, 0);
    assert_null(config_get(c, "limits", "turns", NULL));
    assert_int_equal(c->disabled_count, 0);
    assert_int_equal(c->hook_count, 2);
    assert_int_equal(c->problems.count, 5);
    assert_true(c->problems.first->warning);
    assert_non_null(strstr(problems_of(f, c), "user/config.yaml:1:11: 'compact.ratio' is locked"));
    assert_non_null(strstr(problems_of(f, c), "HOOKE_COMPACT_RATIO: 'compact.ratio' is locked"));
    assert_non_null(strstr(problems_of(f, c), "4:18: the hook 'wall' is locked"));
}

static void lock_cannot_be_dodged_from_above(void **state)
{
    struct fixture *f = *state;

    put(f, "etc/config.yaml", "locked: [providers.x.url]\nproviders: {x: {url: good}}\n");
    put(f, "user/config.yaml", "providers: {x: []}\n");
    CLEANUP(config) struct config *c = load(f);
    assert_string_equal(config_get(c, "providers", "x", "url", NULL)->text.ptr, "good");
    assert_int_equal(c->problems.count, 1);
}

static void only_managed_configuration_locks(void **state)
{
    assert_user_problems(
        *state, "locked: [strict]\n",
        "user/config.yaml:1:1: 'locked' works in the managed configuration only\n");
}

static void bad_values_leave_the_earlier_ones(void **state)
{
    struct fixture *f = *state;

    put(f, "etc/config.yaml", "strict: true\nmax_hooks: 7\n");
    put(f, "user/config.yaml", "strict: maybe\nmax_hooks: -1\n");
    CLEANUP(config) struct config *c = load(f);
    assert_true(c->strict);
    assert_int_equal(c->max_hooks, 7);
    assert_problems(f, c,
                    "user/config.yaml:1:9: 'strict' must be true or false, not 'maybe'\n"
                    "user/config.yaml:2:12: 'max_hooks' must be from 0 to 100000, not '-1'\n");
}

static void mistakes_at_the_top_level_are_located(void **state)
{
    assert_user_problems(
        *state,
        "hookz: []\nhooks: {a: b}\ncompact: {rato: 1, ratio: 7}\nlimits: {turns: x}\nagents: []\n"
        "hook_cadence: 3\n",
        "user/config.yaml:1:1: unknown key 'hookz', did you mean 'hooks'?\n"
        "user/config.yaml:2:8: 'hooks' must be a list, not a map\n"
        "user/config.yaml:3:11: unknown key 'compact.rato', did you mean 'ratio'?\n"
        "user/config.yaml:3:27: 'compact.ratio' must be from 0 to 1, not '7'\n"
        "user/config.yaml:4:17: 'limits.turns' must be a whole number, not 'x'\n"
        "user/config.yaml:5:9: 'agents' must be a map, not a list\n"
        "user/config.yaml:6:15: 'hook_cadence' must be a map, not a number\n");
}

static void json_works_where_yaml_does(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.json", "{\"strict\": true}");
    CLEANUP(config) struct config *c = load(f);
    assert_problems(f, c, "");
    assert_true(c->strict);
}

static void yaml_wins_over_json_beside_it(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml", "max_hooks: 5\n");
    put(f, "user/config.json", "{\"max_hooks\": 6}");
    CLEANUP(config) struct config *c = load(f);
    assert_int_equal(c->max_hooks, 5);
    assert_int_equal(c->problems.count, 1);
    assert_non_null(strstr(problems_of(f, c), "user/config.json: '"));
}

static void hive_file_gives_cadences_only(void **state)
{
    struct fixture *f = *state;

    put(f, "agent_hive.json",
        "{\"agents\": [1], \"strict\": true, \"hook_cadence\": {"
        "\"experimental.chat.system.transform\": 3, \"chat.message\": 0}}");
    CLEANUP(config) struct config *c = load(f);
    assert_problems(
        f, c,
        "agent_hive.json:1:107: [hooke:cadence] Invalid cadence 0 for chat.message, using 1\n");
    assert_false(c->strict);
    assert_int_equal(c->cadence_count, 2);
    assert_int_equal(c->cadences[0].point, POINT_SYSTEM_TRANSFORM);
    assert_int_equal(c->cadences[0].cadence.every, 3);
    assert_int_equal(c->cadences[1].cadence.every, 1);
}

static void malformed_hive_file_is_one_problem(void **state)
{
    struct fixture *f = *state;

    put(f, "agent_hive.json", "{\"hook_cadence\": {\"chat.message\": 3}");
    put(f, "user/config.yaml", "strict: true\n");
    CLEANUP(config) struct config *c = load(f);
    assert_int_equal(c->problems.count, 1);
    assert_false(c->broken || c->fallen_back);
    assert_true(c->strict);
    assert_int_equal(c->cadence_count, 0);
}

static void null_cadence_of_hive_is_silent(void **state)
{
    struct fixture *f = *state;

    put(f, "agent_hive.json", "{\"hook_cadence\": null}");
    CLEANUP(config) struct config *c = load(f);
    assert_problems(f, c, "");
}

static void user_cadence_wins_over_hive(void **state)
{
    struct fixture *f = *state;

    put(f, "agent_hive.json", "{\"hook_cadence\": {\"chat.message\": 3, \"shell.env\": 2}}");
    put(f, "user/config.yaml", "hook_cadence: {chat.message: 5}\n");
    CLEANUP(config) struct config *c = load(f);
    assert_int_equal(c->cadence_count, 2);
    assert_int_equal(c->cadences[0].cadence.every, 5);
    assert_int_equal(c->cadences[1].cadence.every, 2);
}

static void environment_and_flags_come_last(void **state)
{
    struct fixture *f = *state;
    const struct config_flag flags[] = {
        { "compact.ratio", "0.7" },
        { "hook_cadence.chat.message", "4" },
        { NULL, NULL },
    };

    put(f, "user/config.yaml", "strict: false\nlimits: {turns: 3}\n");
    setenv("HOOKE_STRICT", "true", 1);
    setenv("HOOKE_LIMITS_TURNS", "5", 1);
    setenv("HOOKE_COMPACT_RATIO", "0.2", 1);
    setenv("HOOKE_EVENT_TIMEOUT", "5s", 1);
    setenv("HOOKE_DISABLED_HOOKS", "loop-guard, phase-reminder,", 1);
    setenv("HOOKE_MAX_HOOKS", "many", 1);
    f->where.flags = flags;
    CLEANUP(config) struct config *c = load(f);
    unsetenv("HOOKE_STRICT");
    unsetenv("HOOKE_LIMITS_TURNS");
    unsetenv("HOOKE_COMPACT_RATIO");
    unsetenv("HOOKE_EVENT_TIMEOUT");
    unsetenv("HOOKE_DISABLED_HOOKS");
    unsetenv("HOOKE_MAX_HOOKS");
    assert_problems(f, c, "HOOKE_MAX_HOOKS: 'max_hooks' must be a whole number, not 'many'\n");
    assert_true(c->strict);
    assert_true(number(config_get(c, "limits", "turns", NULL)) == 5);
    assert_true(number(config_get(c, "compact", "ratio", NULL)) == 0.7);
    assert_int_equal(config_get(c, "compact", "ratio", NULL)->origin.source, SOURCE_FLAG);
    assert_int_equal(c->event_timeout_ms, 5000);
    assert_int_equal(c->disabled_count, 2);
    assert_int_equal(c->cadences[0].point, POINT_CHAT_MESSAGE);
    assert_int_equal(c->cadences[0].cadence.every, 4);
}

static void places_follow_the_environment(void **state)
{
    struct fixture *f = *state;
    const struct config_where where = { .cwd = f->where.cwd };

    setenv("HOME", at(f, "home"), 1);
    setenv("XDG_CONFIG_HOME", at(f, "xdg"), 1);
    setenv("XDG_STATE_HOME", at(f, "state"), 1);
    put(f, "xdg/hooke/config.yaml", "max_hooks: 9\n");
    put(f, "xdg/opencode/agent_hive.json", "{\"hook_cadence\": {\"chat.message\": 3}}");
    CLEANUP(config) struct config *c = config_load(&where);
    assert_int_equal(c->max_hooks, 9);
    assert_int_equal(c->cadence_count, 1);
    unsetenv("XDG_CONFIG_HOME");
    put(f, "home/.config/hooke/config.yaml", "max_hooks: 10\n");
    CLEANUP(config) struct config *home = config_load(&where);
    assert_int_equal(home->max_hooks, 10);
    unsetenv("XDG_STATE_HOME");
}

TESTS(CONFIG_TEST(defaults_without_any_file), CONFIG_TEST(later_sources_win),
      CONFIG_TEST(hooks_add_up_in_order), CONFIG_TEST(disabled_hooks_are_united),
      CONFIG_TEST(empty_keys_say_nothing), CONFIG_TEST(locked_keys_stay),
      CONFIG_TEST(lock_cannot_be_dodged_from_above), CONFIG_TEST(only_managed_configuration_locks),
      CONFIG_TEST(bad_values_leave_the_earlier_ones),
      CONFIG_TEST(mistakes_at_the_top_level_are_located), CONFIG_TEST(json_works_where_yaml_does),
      CONFIG_TEST(yaml_wins_over_json_beside_it), CONFIG_TEST(hive_file_gives_cadences_only),
      CONFIG_TEST(malformed_hive_file_is_one_problem), CONFIG_TEST(null_cadence_of_hive_is_silent),
      CONFIG_TEST(user_cadence_wins_over_hive), CONFIG_TEST(environment_and_flags_come_last),
      CONFIG_TEST(places_follow_the_environment))
