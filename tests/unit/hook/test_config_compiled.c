#include "base/strbuf.h"
#include "config_fixture.h"

#include <dirent.h>
#include <fcntl.h>

/* The compiled file of the fixture, or NULL. */
static char *compiled_file(struct fixture *f)
{
    DIR *dir = opendir(at(f, "state/compiled"));
    char *found = NULL;

    if (!dir)
        return NULL;
    for (struct dirent *d; (d = readdir(dir));)
        if (d->d_name[0] != '.')
            found = path_join(&f->arena, at(f, "state/compiled"), d->d_name);
    closedir(dir);
    return found;
}

/* Make a file old enough that its time can be relied on. */
static void age(struct fixture *f, const char *name)
{
    const struct timespec past[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };

    assert_int_equal(utimensat(AT_FDCWD, at(f, name), past, 0), 0);
}

/* Other bytes, but the same size and times, so that only a reader of the file would notice. */
static void change_unseen(struct fixture *f, const char *name, const char *text)
{
    FILE *file = fopen(at(f, name), "r+");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    age(f, name);
}

/* Everything a configuration says, as text. */
static const char *describe(struct fixture *f, const struct config *c)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };

    strbuf_addstr(&b, json_text(&f->arena, setting_to_json(&f->arena, c->root)));
    for (size_t i = 0; i < c->hook_count; i++)
        strbuf_printf(&b, "\n%s %s %u %d", c->hooks[i].name,
                      origin_text(&f->arena, &c->hooks[i].origin), c->hooks[i].traits.said,
                      (int)c->hooks[i].runner);
    for (size_t i = 0; i < c->cadence_count; i++)
        strbuf_printf(&b, "\n%s %u %s", c->cadences[i].name, c->cadences[i].cadence.every,
                      origin_text(&f->arena, &c->cadences[i].cadence.origin));
    for (size_t i = 0; i < c->disabled_count; i++)
        strbuf_printf(&b, "\n%s %s", c->disabled[i].name,
                      origin_text(&f->arena, &c->disabled[i].origin));
    for (size_t i = 0; i < c->file_count; i++)
        strbuf_printf(&b, "\n%s %d %d %d", c->files[i].path, (int)c->files[i].source,
                      c->files[i].exists, c->files[i].trusted);
    strbuf_printf(&b, "\n%d %u %u %u %d %d\n%s", c->strict, c->max_hooks, c->max_continuations,
                  c->event_timeout_ms, c->broken, c->fallen_back, problems_of(f, c));
    return arena_cstr(&f->arena, strbuf_str(&b));
}

static void compiled_gives_the_same_configuration(void **state)
{
    static const char *const files[] = { "etc/config.yaml",
                                         "agent_hive.json",
                                         "user/config.yaml",
                                         "ws/.hooke/config.yaml",
                                         "ws/.hooke/config.local.json",
                                         "user/trusted" };
    struct fixture *f = *state;

    put(f, "etc/config.yaml", "locked: [max_hooks]\ncompact: {ratio: 0x1, auto: True}\n");
    put(f, "agent_hive.json", "{\"hook_cadence\": {\"chat.message\": 3");
    put(f, "user/config.yaml",
        "max_hooks: 3\nbad: 1\nhook_cadence: {x: ~, chat.message: 2.5}\nhooks:\n"
        "- {name: a, on: PreToolUse, tool: /x/, block: \"no\\n\\u263a\"}\n- {name: b}\n");
    put_trusted(f, "ws/.hooke/config.yaml", "disabled_hooks: [a, loop-guard]\n");
    put(f, "ws/.hooke/config.local.json", "{\"strict\": true}");
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        age(f, files[i]);
    CLEANUP(config) struct config *fresh = load(f);
    const char *expected = describe(f, fresh);
    assert_true(fresh->problems.count >= 6);
    assert_non_null(compiled_file(f));

    CLEANUP(config) struct config *compiled = load(f);
    assert_true(compiled->problems.known);
    assert_string_equal(describe(f, compiled), expected);
}

static void fresh_compiled_configuration_saves_reading(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml", "max_hooks: 3\n");
    age(f, "user/config.yaml");
    config_free(load(f));
    CLEANUP(config) struct config *c = load(f);
    assert_true(c->problems.known);
    assert_int_equal(c->max_hooks, 3);
    f->where.recompile = true;
    CLEANUP(config) struct config *again = load(f);
    assert_false(again->problems.known);
}

static void an_edit_that_keeps_size_and_time_is_noticed(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml", "max_hooks: 3\n");
    age(f, "user/config.yaml");
    config_free(load(f));
    change_unseen(f, "user/config.yaml", "max_hooks: 4\n");
    CLEANUP(config) struct config *c = load(f);
    assert_int_equal(c->max_hooks, 4);
}

static void the_last_good_file_counts_in_every_workspace(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml", "hooks: [{name: wall, on: Stop, say: x}]\n");
    config_free(load(f));
    put(f, "user/config.yaml", "hooks: [\n");
    assert_int_equal(mkdir(at(f, "other"), 0700), 0);
    assert_int_equal(mkdir(at(f, "other/.git"), 0700), 0);
    f->where.cwd = at(f, "other");
    CLEANUP(config) struct config *c = load(f);
    assert_true(c->fallen_back);
    assert_int_equal(c->hook_count, 1);
}

static void a_file_that_was_just_emptied_does_not_switch_off_its_guards(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml", "hooks: [{name: wall, on: Stop, say: x}]\n");
    config_free(load(f));
    put(f, "user/config.yaml", "");
    CLEANUP(config) struct config *c = load(f);
    assert_int_equal(c->hook_count, 1);
    age(f, "user/config.yaml");
    CLEANUP(config) struct config *settled = load(f);
    assert_int_equal(settled->hook_count, 0);
}

static void young_files_are_read_again(void **state)
{
    struct fixture *f = *state;
    struct timespec times[2] = { 0 };
    struct stat st;

    put(f, "user/config.yaml", "max_hooks: 3\n");
    config_free(load(f));
    assert_int_equal(stat(at(f, "user/config.yaml"), &st), 0);
    change_unseen(f, "user/config.yaml", "max_hooks: 4\n");
    times[0] = times[1] = st.st_mtim;
    assert_int_equal(utimensat(AT_FDCWD, at(f, "user/config.yaml"), times, 0), 0);
    CLEANUP(config) struct config *c = load(f);
    assert_int_equal(c->max_hooks, 4);
}

static void every_change_of_a_file_is_seen(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml", "max_hooks: 3\n");
    age(f, "user/config.yaml");
    config_free(load(f));
    put(f, "user/config.yaml", "max_hooks: 5\n");
    CLEANUP(config) struct config *changed = load(f);
    assert_int_equal(changed->max_hooks, 5);
    assert_int_equal(unlink(at(f, "user/config.yaml")), 0);
    CLEANUP(config) struct config *gone = load(f);
    assert_int_equal(gone->max_hooks, 100);
    put(f, "user/config.json", "{\"max_hooks\": 6}");
    CLEANUP(config) struct config *json = load(f);
    assert_int_equal(json->max_hooks, 6);
}

static void trusting_a_file_is_seen(void **state)
{
    struct fixture *f = *state;

    put(f, "ws/.hooke/config.yaml", "strict: true\n");
    age(f, "ws/.hooke/config.yaml");
    CLEANUP(config) struct config *before = load(f);
    assert_false(before->strict);
    put_trusted(f, "ws/.hooke/config.yaml", "strict: true\n");
    CLEANUP(config) struct config *after = load(f);
    assert_true(after->strict);
}

static void variables_are_not_compiled(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml", "max_hooks: 3\n");
    age(f, "user/config.yaml");
    setenv("HOOKE_MAX_HOOKS", "7", 1);
    CLEANUP(config) struct config *with = load(f);
    unsetenv("HOOKE_MAX_HOOKS");
    CLEANUP(config) struct config *without = load(f);
    assert_int_equal(with->max_hooks, 7);
    assert_int_equal(without->max_hooks, 3);
}

static void unchanged_compiled_file_is_not_written(void **state)
{
    struct fixture *f = *state;
    struct stat before, after;

    put(f, "user/config.yaml", "max_hooks: 3\n");
    age(f, "user/config.yaml");
    config_free(load(f));
    assert_int_equal(stat(compiled_file(f), &before), 0);
    assert_int_equal(before.st_mode & 0777, 0600);
    f->where.recompile = true;
    config_free(load(f));
    assert_int_equal(stat(compiled_file(f), &after), 0);
    assert_true(before.st_ino == after.st_ino);
}

static void damaged_compiled_file_is_ignored(void **state)
{
    static const char *const texts[] = {
        "", "{", "[]", "{\"format\":1}", "{\"format\":9,\"version\":\"0.1.0\"}",
    };
    struct fixture *f = *state;
    struct str good;

    put(f, "user/config.yaml", "max_hooks: 3\nhooks: [{name: a, on: Stop, exec: x}]\n");
    age(f, "user/config.yaml");
    config_free(load(f));
    assert_int_equal(file_read(&f->arena, compiled_file(f), 1 << 20, &good, NULL), 0);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        assert_int_equal(file_write(compiled_file(f), str_of(texts[i]), 0600, NULL), 0);
        CLEANUP(config) struct config *c = load(f);
        assert_int_equal(c->max_hooks, 3);
    }
    /* any byte made another one: still a configuration, whatever it says */
    for (size_t i = 0; i < good.len; i++) {
        char *copy = arena_cstr(&f->arena, good);

        if (copy[i] == '[')
            copy[i] = '{';
        else
            copy[i] = '[';
        assert_int_equal(file_write(compiled_file(f), str_of(copy), 0600, NULL), 0);
        config_free(load(f));
    }
}

static void broken_file_leaves_the_last_good_one_in_force(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml", "hooks: [{name: wall, on: PreToolUse, block: \"no\"}]\n");
    put(f, "etc/config.yaml", "max_hooks: 3\n");
    config_free(load(f));
    put(f, "user/config.yaml", "hooks: [\n");
    put(f, "etc/config.yaml", "max_hooks: 4\n");
    for (int i = 0; i < 2; i++) {
        CLEANUP(config) struct config *c = load(f);

        assert_true(c->broken && c->fallen_back);
        assert_int_equal(c->hook_count, 1);
        assert_string_equal(c->hooks[0].name, "wall");
        assert_int_equal(c->max_hooks, 4); /* what is good is up to date */
        assert_int_equal(c->problems.count, 1);
        assert_non_null(strstr(problems_of(f, c), "; the last good configuration is in force\n"));
        assert_int_equal(c->problems.first->origin.line, 2);
        assert_false(c->problems.first->warning);
    }
    put(f, "user/config.yaml", "hooks: []\n");
    CLEANUP(config) struct config *mended = load(f);
    assert_false(mended->broken || mended->fallen_back);
    assert_int_equal(mended->hook_count, 0);
}

static void broken_file_without_a_good_one_is_left_out(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml", "a: b: c\n");
    put(f, "etc/config.yaml", "max_hooks: 4\n");
    CLEANUP(config) struct config *c = load(f);
    assert_true(c->broken);
    assert_false(c->fallen_back);
    assert_int_equal(c->max_hooks, 4);
    assert_int_equal(c->problems.count, 1);
    assert_non_null(strstr(problems_of(f, c), "user/config.yaml:1:5: "));
    assert_non_null(strstr(problems_of(f, c),
                           "; without it, because there is no earlier good configuration\n"));
}

static void broken_managed_file_falls_back_likewise(void **state)
{
    struct fixture *f = *state;

    put(f, "etc/config.yaml", "locked: [max_hooks]\nmax_hooks: 3\n");
    config_free(load(f));
    put(f, "etc/config.yaml", "- a list\n");
    put(f, "user/config.yaml", "max_hooks: 9\n");
    CLEANUP(config) struct config *c = load(f);
    assert_true(c->fallen_back);
    assert_int_equal(c->max_hooks, 3);
}

static void folder_instead_of_a_file_is_broken(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml/x", "");
    CLEANUP(config) struct config *c = load(f);
    assert_true(c->broken);
}

static void last_good_of_an_untrusted_file_is_not_used(void **state)
{
    struct fixture *f = *state;

    put_trusted(f, "ws/.hooke/config.yaml", "strict: true\n");
    config_free(load(f));
    put(f, "ws/.hooke/config.yaml", "strict: [\n");
    put(f, "user/config.yaml", "a: [\n");
    CLEANUP(config) struct config *c = load(f);
    assert_true(c->broken);
    assert_false(c->strict);
}

static void read_only_state_is_no_failure(void **state)
{
    struct fixture *f = *state;

    put(f, "user/config.yaml", "max_hooks: 3\n");
    put(f, "state", "a file, not a folder");
    CLEANUP(config) struct config *c = load(f);
    assert_problems(f, c, "");
    assert_int_equal(c->max_hooks, 3);
}

TESTS(CONFIG_TEST(compiled_gives_the_same_configuration),
      CONFIG_TEST(fresh_compiled_configuration_saves_reading),
      CONFIG_TEST(an_edit_that_keeps_size_and_time_is_noticed),
      CONFIG_TEST(the_last_good_file_counts_in_every_workspace),
      CONFIG_TEST(a_file_that_was_just_emptied_does_not_switch_off_its_guards),
      CONFIG_TEST(young_files_are_read_again), CONFIG_TEST(every_change_of_a_file_is_seen),
      CONFIG_TEST(trusting_a_file_is_seen), CONFIG_TEST(variables_are_not_compiled),
      CONFIG_TEST(unchanged_compiled_file_is_not_written),
      CONFIG_TEST(damaged_compiled_file_is_ignored),
      CONFIG_TEST(broken_file_leaves_the_last_good_one_in_force),
      CONFIG_TEST(broken_file_without_a_good_one_is_left_out),
      CONFIG_TEST(broken_managed_file_falls_back_likewise),
      CONFIG_TEST(folder_instead_of_a_file_is_broken),
      CONFIG_TEST(last_good_of_an_untrusted_file_is_not_used),
      CONFIG_TEST(read_only_state_is_no_failure))
