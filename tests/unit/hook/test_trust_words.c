/* What commands of a workspace name, and what is run in their place. */
#include "config_fixture.h"
#include "hook/trust_words.h"

struct look {
    struct trust_names names;
    struct trust_command run;
    struct err e;
    int named, allowed;
};

/* The command of the one hook in the workspace's configuration. */
static struct look look_at(struct fixture *f, const char *keys)
{
    struct look l = { 0 };
    struct config *c;
    struct trust_request rq = { 0 };

    put_trusted(f, "ws/.hooke/config.yaml",
                arena_printf(&f->arena, "hooks:\n  - name: x\n    on: Stop\n    %s\n", keys));
    c = load(f);
    assert_int_equal(c->hook_count, 1);
    rq.config = c;
    rq.command = setting_get(c->hooks[0].spec, "exec");
    if (!rq.command)
        rq.command = setting_get(c->hooks[0].spec, "script");
    rq.env = setting_get(c->hooks[0].spec, "env");
    rq.unpinned = setting_get(c->hooks[0].spec, "unpinned");
    l.named = trust_names(&f->arena, &rq, &l.names, &l.e);
    l.allowed = l.named < 0 ? l.named : trust_look(&f->arena, &rq, &l.run, &l.e);
    if (l.allowed == 0) /* the words live in the configuration */
        for (const char **word = l.run.argv; *word; word++)
            *word = arena_strdup(&f->arena, *word);
    config_free(c);
    return l;
}

/* The files named, from the workspace on, separated by blanks; or why none can be told. */
static const char *files_of(struct fixture *f, const char *keys)
{
    struct look l = look_at(f, keys);
    const char *all = "";
    size_t skip = strlen(at(f, "ws")) + 1;

    if (l.named < 0)
        return arena_printf(&f->arena, "refused: %s", l.e.msg);
    for (size_t i = 0; i < l.names.count; i++) {
        const char *path = l.names.list[i].path;

        if (path_within(at(f, "ws"), path))
            path += skip;
        all = arena_printf(&f->arena, "%s%s%s%s", all, i ? " " : "", path,
                           l.names.list[i].program ? "!" : "");
    }
    return all;
}

static void put_files(struct fixture *f)
{
    put(f, "ws/.hooke/run.sh", "#!/bin/sh\n");
    put(f, "ws/.hooke/my run.sh", "#!/bin/sh\n");
    put(f, "ws/top.js", "");
    put(f, "ws/dir/in.txt", "");
    put(f, "other/x.sh", "");
}

static void words_of_a_list_name_files(void **state)
{
    static const struct {
        const char *keys, *files;
    } rows[] = {
        { "exec: [./run.sh, a, b]", ".hooke/run.sh!" },
        { "exec: ['./my run.sh']", ".hooke/my run.sh!" },
        { "exec: [node, top.js, ./dir/in.txt]", "top.js dir/in.txt" },
        { "exec: [node, run.sh]", ".hooke/run.sh" },
        { "exec: [node, --require=./top.js]", "top.js" },
        { "exec: [/bin/sh, -c, 'exit 0']", "" },
        { "exec: [./none.sh]", ".hooke/none.sh!" },
        { "exec: [cat, /etc/passwd, nothing]", "" },
        { "script: run.sh", ".hooke/run.sh" },
    };
    struct fixture *f = *state;

    put_files(f);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        assert_string_equal(files_of(f, rows[i].keys), rows[i].files);
}

static void words_of_a_shell_text_name_files(void **state)
{
    static const struct {
        const char *keys, *files;
    } rows[] = {
        { "exec: '.hooke/run.sh a'", ".hooke/run.sh!" },
        { "exec: '\"$CLAUDE_PROJECT_DIR\"/.hooke/run.sh'", ".hooke/run.sh!" },
        { "exec: '\"${HOOKE_WORKSPACE}/.hooke/my run.sh\"'", ".hooke/my run.sh!" },
        { "exec: 'node top.js | sh <dir/in.txt >dir/in.txt'", "top.js dir/in.txt" },
        { "exec: 'cd .hooke && ./run.sh'", ".hooke/run.sh!" },
        { "exec: 'f=.hooke/run.sh; sh $f'", ".hooke/run.sh" },
        { "exec: 'x=$(cat top.js) true'", "top.js" },
        { "exec: 'echo hello'", "" },
        { "exec: './gone.sh'", "gone.sh!" },
    };
    struct fixture *f = *state;

    put_files(f);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        assert_string_equal(files_of(f, rows[i].keys), rows[i].files);
}

static void what_cannot_be_pinned_is_refused(void **state)
{
    static const struct {
        const char *keys, *why;
    } rows[] = {
        { "exec: 'sh \"$DIR/run.sh\"'", "known only to the shell" },
        { "exec: '$PROGRAM x'", "known only to the shell" },
        { "exec: 'sh $(pwd)/.hooke/run.sh'", "known only to the shell" },
        { "exec: 'sh .hooke/*.sh'", "known only to the shell" },
        { "exec: 'cd $X && ./run.sh'", "known only to the shell" },
        { "exec: 'cd $X && sh ./run.sh'", "known only to the shell" },
        { "exec: 'sh -c \".hooke/run.sh a\"'", "inside a longer text" },
        { "exec: [sh, -c, 'exec .hooke/run.sh']", "inside a longer text" },
        { "exec: [sh, -c, '\"$PWD\"/.hooke/run.sh;node top.js']", "inside a longer text" },
        { "exec: [sh, -c, '\".hooke/my run.sh\" a']", "inside a longer text" },
        { "exec: [node, -e, 'require(\"./top.js\")']", "inside a longer text" },
        { "exec: \"sh <<E\\n.hooke/run.sh\\nE\\n\"", "here-document" },
        { "exec: 'a `b`'", "backquotes" },
        { "exec: 'true'\n    env: { BASH_ENV: .hooke/run.sh }", "inside a longer text" },
        { "exec: 'true'\n    env: { NODE_OPTIONS: '--require ./top.js' }", "inside a longer text" },
        { "exec: 'true'\n    env: { PATH: './bin:/bin' }", "PATH" },
        { "exec: 'true'\n    env: { HOOKE_TRUST: /x }", "may not set 'HOOKE_TRUST'" },
    };
    struct fixture *f = *state;

    put_files(f);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct look l = look_at(f, rows[i].keys);

        assert_int_equal(l.named, TRUST_REFUSED);
        if (!strstr(l.e.msg, rows[i].why))
            fail_msg("%s: %s", rows[i].keys, l.e.msg);
    }
}

static void what_is_not_pinned_is_told(void **state)
{
    struct fixture *f = *state;
    struct look l;

    put_files(f);
    l = look_at(f, "exec: [python3, ./dir]");
    assert_int_equal(l.names.note_count, 1);
    assert_string_equal(l.names.notes[0], "what it uses of the folder './dir'");
    l = look_at(f, "exec: 'prettier \"$f\"'");
    assert_int_equal(l.names.note_count, 1);
    assert_string_equal(l.names.notes[0], "what '\"$f\"' stands for when it runs");
}

static void words_that_are_declared_stay(void **state)
{
    struct fixture *f = *state;
    struct look l;

    put_files(f);
    l = look_at(f, "exec: [cat, top.js, 'see top.js']\n    unpinned: [top.js, 'see top.js']");
    assert_int_equal(l.allowed, 0);
    assert_string_equal(l.run.argv[1], "top.js");
    l = look_at(f, "exec: 'cat top.js \"$X/y\"'\n    unpinned: [top.js, '\"$X/y\"']");
    assert_int_equal(l.allowed, 0);
    assert_string_equal(l.run.argv[2], "cat top.js \"$X/y\"");
}

static void copies_take_the_place_of_words(void **state)
{
    struct fixture *f = *state;
    const char *copy;
    struct look l;

    put_files(f);
    put_trusted(f, "ws/.hooke/run.sh", "#!/bin/sh\n");
    chmod(at(f, "ws/.hooke/run.sh"), 0700);
    assert_int_equal(
        trust_copy(&f->arena, at(f, "user/trusted"), at(f, "ws/.hooke/run.sh"), &copy, NULL), 0);
    l = look_at(f, "exec: [./run.sh, a]");
    assert_string_equal(l.run.argv[0], copy);
    assert_string_equal(l.run.argv[1], "a");
    assert_string_equal(l.run.file,
                        arena_printf(&f->arena, "HOOKE_FILE=%s", at(f, "ws/.hooke/run.sh")));
    l = look_at(
        f, "exec: 'A=$HOOKE_WORKSPACE/z sh .hooke/run.sh \"f=.hooke/run.sh\" g=.hooke/run.sh'");
    assert_string_equal(l.run.argv[2], arena_printf(&f->arena, "A='%s/z' sh '%s' 'f=%s' g='%s'",
                                                    at(f, "ws"), copy, copy, copy));
}

static void every_file_must_be_pinned_and_executable(void **state)
{
    struct fixture *f = *state;
    struct look l;

    put_files(f);
    l = look_at(f, "exec: [node, top.js]");
    assert_int_equal(l.allowed, TRUST_REFUSED);
    assert_non_null(strstr(l.e.msg, "ws/top.js' is not trusted: run 'hooke trust'"));
    put_trusted(f, "ws/.hooke/run.sh", "#!/bin/sh\n");
    l = look_at(f, "exec: [./run.sh]");
    assert_int_equal(l.allowed, TRUST_REFUSED);
    assert_non_null(strstr(l.e.msg, "is not executable"));
    chmod(at(f, "ws/.hooke/run.sh"), 0702);
    l = look_at(f, "exec: [./run.sh]");
    assert_non_null(strstr(l.e.msg, "can be written by everybody"));
}

static void files_outside_need_a_pin_too_unless_they_are_the_systems(void **state)
{
    struct fixture *f = *state;

    put_files(f);
    assert_string_equal(files_of(f, "exec: [../../other/x.sh]"),
                        arena_printf(&f->arena, "%s!", at(f, "other/x.sh")));
    assert_string_equal(files_of(f, "exec: [/usr/bin/env, true]"), "");
    /* a link to the system is the workspace's */
    assert_int_equal(symlink("/bin/sh", at(f, "ws/.hooke/sh")), 0);
    assert_string_equal(files_of(f, "exec: [./sh]"), ".hooke/sh!");
}

static void a_program_found_in_the_workspace_by_path_needs_a_pin(void **state)
{
    struct fixture *f = *state;
    const char *before = arena_strdup(&f->arena, getenv("PATH"));

    put(f, "ws/bin/tool", "#!/bin/sh\n");
    chmod(at(f, "ws/bin/tool"), 0700);
    setenv("PATH", arena_printf(&f->arena, "%s:%s", at(f, "ws/bin"), before), 1);
    assert_string_equal(files_of(f, "exec: [tool]"), "bin/tool!");
    assert_string_equal(files_of(f, "exec: 'tool x'"), "bin/tool!");
    setenv("PATH", before, 1);
    assert_string_equal(files_of(f, "exec: [tool]"), "");
}

static void configuration_lists_what_its_hooks_run(void **state)
{
    struct fixture *f = *state;

    put_files(f);
    put_trusted(f, "ws/.hooke/config.yaml",
                "hooks:\n  - { name: a, on: Stop, exec: [node, top.js, run.sh] }\n"
                "  - { name: b, on: Stop, exec: 'sh .hooke/run.sh \"$X\"' }\n");
    put_trusted(f, "ws/.hooke/run.sh", "#!/bin/sh\n");
    CLEANUP(config) struct config *c = load(f);
    assert_int_equal(c->file_count, 7);
    assert_string_equal(c->files[5].path, at(f, "ws/top.js"));
    assert_string_equal(c->files[5].hook, "a");
    assert_false(c->files[5].trusted);
    assert_string_equal(c->files[6].path, at(f, "ws/.hooke/run.sh"));
    assert_true(c->files[6].trusted);
    assert_non_null(c->hooks[0].untrusted);
    assert_null(c->hooks[1].untrusted);
    assert_int_equal(c->unpinned_count, 1);
    assert_non_null(strstr(problems_of(f, c), "hook 'a' does not run: "));
}

static void users_programs_need_no_pin_but_an_owner(void **state)
{
    struct fixture *f = *state;
    const struct setting *command;
    struct trust_command run;

    put(f, "user/config.yaml", "hooks: [{ name: a, on: Stop, exec: [./mine.sh, config.yaml] }]\n");
    put(f, "user/mine.sh", "#!/bin/sh\n");
    CLEANUP(config) struct config *c = load(f);
    command = setting_get(c->hooks[0].spec, "exec");
    assert_int_equal(trust_look(&f->arena,
                                &(struct trust_request){ .config = c, .command = command }, &run,
                                NULL),
                     0);
    assert_string_equal(run.argv[0], at(f, "user/mine.sh"));
    assert_null(run.file);
    chmod(at(f, "user/mine.sh"), 0777);
    assert_int_equal(trust_look(&f->arena,
                                &(struct trust_request){ .config = c, .command = command }, &run,
                                NULL),
                     TRUST_REFUSED);
}

TESTS(CONFIG_TEST(words_of_a_list_name_files), CONFIG_TEST(words_of_a_shell_text_name_files),
      CONFIG_TEST(what_cannot_be_pinned_is_refused), CONFIG_TEST(what_is_not_pinned_is_told),
      CONFIG_TEST(words_that_are_declared_stay), CONFIG_TEST(copies_take_the_place_of_words),
      CONFIG_TEST(every_file_must_be_pinned_and_executable),
      CONFIG_TEST(files_outside_need_a_pin_too_unless_they_are_the_systems),
      CONFIG_TEST(a_program_found_in_the_workspace_by_path_needs_a_pin),
      CONFIG_TEST(configuration_lists_what_its_hooks_run),
      CONFIG_TEST(users_programs_need_no_pin_but_an_owner))
