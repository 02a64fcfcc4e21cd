/*
 * The words of the sandbox, with a bwrap that only says whether it works: the real one is tried by
 * tests/e2e/test_sandbox.py.
 */
#include "bed.h"
#include "builtin/builtin.h"
#include "hook/shell_commands.h"

#include <stdlib.h>
#include <unistd.h>

#define OURS "{\"tool\":\"bash\",\"argv_prefix\":[],\"args\":{\"command\":\"ls\"}}"

struct box {
    struct bed bed;
    struct tmpdir outside; /* of the workspace */
    const char *home, *bin, *count;
};

/* A program that adds a line to `count` and ends as `body` says. */
static void put_program(struct box *b, const char *name, const char *body)
{
    char *path = path_join(&b->bed.arena, b->bin, name);
    char *text = arena_printf(&b->bed.arena, "#!/bin/sh\necho x >>%s\n%s\n", b->count, body);

    assert_int_equal(file_write(path, str_of(text), 0755, NULL), 0);
}

static void put_file(struct box *b, const char *name, const char *text)
{
    assert_int_equal(
        file_write(path_join(&b->bed.arena, b->bed.dir.path, name), str_of(text), 0600, NULL), 0);
}

static void open_box(struct box *b, const char *options)
{
    struct bed *bed = &b->bed;

    bed_open(bed, builtin_hooks, NULL);
    tmpdir_make(&b->outside);
    assert_int_equal(strncmp(b->outside.path, "/tmp/", 5), 0); /* programs are put below it */
    b->home = arena_printf(&bed->arena, "%s/home", b->outside.path);
    b->bin = arena_printf(&bed->arena, "%s/bin", b->outside.path);
    b->count = arena_printf(&bed->arena, "%s/count", b->outside.path);
    assert_int_equal(file_mkdirs(arena_printf(&bed->arena, "%s/.ssh", b->home), NULL), 0);
    assert_int_equal(file_mkdirs(arena_printf(&bed->arena, "%s/.cache", b->home), NULL), 0);
    assert_int_equal(file_mkdirs(b->bin, NULL), 0);
    put_file(b, ".git/hooks/x", "x");
    setenv("HOME", b->home, 1);
    unsetenv("TMPDIR");
    unsetenv("XDG_CONFIG_HOME");
    setenv("PATH", arena_printf(&bed->arena, "%s:/usr/bin:/bin", b->bin), 1);
    bed_configure(bed, builtin_hooks,
                  arena_printf(&bed->arena,
                               "disabled_hooks: [loop-guard]\nhooks: [{ name: sandbox%s%s }]",
                               options ? ", " : "", options ? options : ""));
}

static void box_cleanup(struct box *b)
{
    tmpdir_cleanup(&b->outside);
    bed_cleanup(&b->bed);
}

/* The prefix that the verdict asks for, each word in <>; NULL: none. */
static const char *prefix_of(struct bed *bed)
{
    const struct json *list = json_get(bed->receipt.verdict.replace, STR("argv_prefix"));
    CLEANUP(strbuf) struct strbuf out = { 0 };

    for (const struct json *w = json_first(list); w; w = json_next(w))
        strbuf_printf(&out, "<%s>", json_cstr(&bed->arena, w));
    return list ? arena_cstr(&bed->arena, strbuf_str(&out)) : NULL;
}

static size_t probes(struct box *b)
{
    struct str text = { 0 };
    size_t lines = 0;

    if (file_read(&b->bed.arena, b->count, 65536, &text, NULL) < 0)
        return 0;
    for (size_t i = 0; i < text.len; i++)
        lines += text.ptr[i] == '\n';
    return lines;
}

static void assert_has(const char *text, const char *part)
{
    if (!text || !strstr(text, part))
        fail_msg("no '%s' in %s", part, text ? text : "nothing");
}

/* In our agent --------------------------------------------------------------------------------- */

static void our_agent_gets_words_before_the_command(void **state UNUSED)
{
    CLEANUP(box) struct box b = { 0 };
    const char *words, *dir;

    open_box(&b, NULL);
    put_program(&b, "bwrap", "exit 0");
    dir = b.bed.dir.path;
    bed_emit(&b.bed, "tool.execute.before", OURS);
    words = prefix_of(&b.bed);
    assert_has(words,
               arena_printf(&b.bed.arena, "<%s/bwrap><--unshare-user><--unshare-pid>", b.bin));
    assert_has(words, "<--cap-drop><ALL><--ro-bind></></>");
    assert_has(words, "<--tmpfs></tmp>");
    assert_has(words, arena_printf(&b.bed.arena, "<--bind><%s><%s>", dir, dir));
    assert_has(words, arena_printf(&b.bed.arena, "<--ro-bind><%s/.git/hooks>", dir));
    assert_has(words, arena_printf(&b.bed.arena, "<--tmpfs><%s/.ssh>", b.home));
    assert_has(words, arena_printf(&b.bed.arena, "<--bind><%s/.cache>", b.home));
    assert_null(strstr(words, "--unshare-net"));
    assert_string_equal(words + strlen(words) - 4, "<-->");
    assert_null(json_get(b.bed.receipt.verdict.replace, STR("args")));
}

static void it_is_last_and_words_of_others_come_behind_its_own(void **state UNUSED)
{
    CLEANUP(box) struct box b = { 0 };
    const char *words, *order;

    open_box(&b, "network: false");
    put_program(&b, "bwrap", "exit 0");
    bed_emit(&b.bed, "tool.execute.before",
             "{\"tool\":\"bash\",\"argv_prefix\":[\"nice\"],\"args\":{\"command\":\"ls\"}}");
    words = prefix_of(&b.bed);
    assert_has(words, "<--unshare-net>");
    assert_string_equal(words + strlen(words) - 10, "<--><nice>");
    order = bed_order(&b.bed);
    assert_string_equal(order + strlen(order) - strlen("sandbox"), "sandbox");
}

static void a_session_tries_it_once(void **state UNUSED)
{
    CLEANUP(box) struct box b = { 0 };

    open_box(&b, NULL);
    put_program(&b, "bwrap", "exit 0");
    for (int i = 0; i < 3; i++) {
        bed_emit(&b.bed, "tool.execute.before", OURS);
        assert_non_null(prefix_of(&b.bed));
    }
    assert_int_equal(probes(&b), 1);
    b.bed.session.id = "s2";
    bed_emit(&b.bed, "tool.execute.before", OURS);
    assert_int_equal(probes(&b), 2);
}

static void where_it_does_not_work_that_is_said_once(void **state UNUSED)
{
    CLEANUP(box) struct box b = { 0 };

    open_box(&b, NULL);
    put_program(&b, "bwrap", "echo 'bwrap: no permission' >&2; exit 1");
    bed_emit(&b.bed, "tool.execute.before", OURS);
    assert_null(prefix_of(&b.bed));
    assert_int_equal(b.bed.receipt.verdict.decision, DECISION_NONE);
    assert_has(b.bed.receipt.verdict.say, "without a sandbox: bwrap: no permission");
    bed_emit(&b.bed, "tool.execute.before", OURS);
    assert_null(b.bed.receipt.verdict.say);
    assert_int_equal(probes(&b), 1);
}

static void where_there_is_none_that_is_said_once(void **state UNUSED)
{
    CLEANUP(box) struct box b = { 0 };

    open_box(&b, NULL);
    setenv("PATH", b.bin, 1);
    bed_emit(&b.bed, "tool.execute.before", OURS);
    assert_has(b.bed.receipt.verdict.say, "there is no bwrap here");
    bed_emit(&b.bed, "tool.execute.before", OURS);
    assert_null(b.bed.receipt.verdict.say);
    assert_int_equal(b.bed.receipt.verdict.decision, DECISION_NONE);
}

static void one_that_is_named_must_work(void **state UNUSED)
{
    CLEANUP(box) struct box b = { 0 };

    open_box(&b, "program: bwrap");
    put_program(&b, "bwrap", "echo 'bwrap: no permission' >&2; exit 1");
    for (int i = 0; i < 2; i++) {
        bed_emit(&b.bed, "tool.execute.before", OURS);
        assert_int_equal(b.bed.receipt.verdict.decision, DECISION_BLOCK);
        assert_has(b.bed.receipt.verdict.reason, "does not work here: bwrap: no permission");
    }
}

static void a_program_of_the_workspace_is_never_used(void **state UNUSED)
{
    CLEANUP(box) struct box b = { 0 };
    const char *here;

    open_box(&b, "program: bwrap");
    put_file(&b, "bwrap", "#!/bin/sh\nexit 0\n");
    here = b.bed.dir.path;
    assert_int_equal(chmod(path_join(&b.bed.arena, here, "bwrap"), 0755), 0);
    setenv("PATH", arena_printf(&b.bed.arena, ".:%s", here), 1);
    bed_emit(&b.bed, "tool.execute.before", OURS);
    assert_int_equal(b.bed.receipt.verdict.decision, DECISION_BLOCK);
}

static void only_shell_commands_get_one(void **state UNUSED)
{
    CLEANUP(box) struct box b = { 0 };

    open_box(&b, "elsewhere: true");
    put_program(&b, "bwrap", "exit 0");
    bed_emit(&b.bed, "tool.execute.before", "{\"tool\":\"read\",\"args\":{\"command\":\"x\"}}");
    assert_string_equal(bed_verdict(&b.bed), "{}");
    bed_emit(&b.bed, "tool.execute.before", "{\"tool\":\"bash\"}");
    assert_string_equal(bed_verdict(&b.bed), "{}");
    bed_emit(&b.bed, "tool.execute.before", "{\"tool\":\"bash\",\"args\":{\"command\":5}}");
    assert_null(b.bed.receipt.verdict.replace); /* command-guard refuses it */
}

/* Elsewhere ------------------------------------------------------------------------------------ */

static const char *new_command(struct box *b, const char *command)
{
    struct json *data = json_object(&b->bed.arena), *args = json_object(&b->bed.arena);

    json_add(&b->bed.arena, args, STR("command"), json_cstring(&b->bed.arena, command));
    json_add(&b->bed.arena, args, STR("workdir"), json_cstring(&b->bed.arena, "/elsewhere"));
    json_add(&b->bed.arena, data, STR("tool"), json_cstring(&b->bed.arena, "bash"));
    json_add(&b->bed.arena, data, STR("args"), args);
    bed_emit(&b->bed, "tool.execute.before", json_text(&b->bed.arena, data));
    return json_cstr(&b->bed.arena, json_pointer(b->bed.receipt.verdict.replace, "/args/command"));
}

static void other_agents_are_left_alone_unless_asked_for(void **state UNUSED)
{
    CLEANUP(box) struct box b = { 0 };

    open_box(&b, NULL);
    put_program(&b, "bwrap", "exit 0");
    assert_null(new_command(&b, "ls"));
    assert_string_equal(bed_verdict(&b.bed), "{}");
    assert_int_equal(probes(&b), 0);
}

static void elsewhere_the_whole_command_is_one_word(void **state UNUSED)
{
    static const char *const commands[] = {
        "ls",
        "HOST: ls",
        "host:ls; rm x",
        "a' ; b '",
        "$(x) `y` \"z\" \\",
        "' && touch /x #",
        "cat <<E\n'\nE\n",
        "#",
        "-- ls",
    };
    CLEANUP(box) struct box b = { 0 };

    open_box(&b, "elsewhere: true");
    put_program(&b, "bwrap", "exit 0");
    put_file(&b, "config.yaml",
             "disabled_hooks: [loop-guard, command-guard]\n"
             "hooks: [{ name: sandbox, elsewhere: true }]");
    bed_reload(&b.bed, builtin_hooks);
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        const char *text = new_command(&b, commands[i]);
        struct shell_commands all;
        const struct shell_command *c;

        assert_int_equal(shell_commands_read(&b.bed.arena, str_of(text), NULL, &all, NULL), 0);
        c = all.first;
        assert_int_equal(all.count, 1);
        assert_string_equal(path_basename(c->words[0].text), "bwrap");
        assert_string_equal(c->words[c->count - 3].text, "/bin/bash");
        assert_string_equal(c->words[c->count - 2].text, "-c");
        assert_string_equal(c->words[c->count - 1].text, commands[i]);
    }
}

static void a_zero_byte_is_refused(void **state UNUSED)
{
    CLEANUP(box) struct box b = { 0 };

    open_box(&b, "elsewhere: true");
    put_program(&b, "bwrap", "exit 0");
    put_file(&b, "config.yaml",
             "disabled_hooks: [command-guard]\nhooks: [{ name: sandbox, elsewhere: true }]");
    bed_reload(&b.bed, builtin_hooks);
    bed_emit(&b.bed, "tool.execute.before",
             "{\"tool\":\"bash\",\"args\":{\"command\":\"a\\u0000b\"}}");
    assert_int_equal(b.bed.receipt.verdict.decision, DECISION_BLOCK);
}

/* Worktrees and links -------------------------------------------------------------------------- */

static void a_repository_counts_only_if_it_knows_the_worktree(void **state UNUSED)
{
    CLEANUP(box) struct box b = { 0 };
    const char *real, *main_repository, *known;

    open_box(&b, NULL);
    put_program(&b, "bwrap", "exit 0");
    real = b.bed.dir.path;
    main_repository = arena_printf(&b.bed.arena, "%s/../repo.git", b.home);
    known = arena_printf(&b.bed.arena, "%s/worktrees/w", main_repository);
    assert_int_equal(file_mkdirs(known, NULL), 0);
    assert_int_equal(unlink(path_join(&b.bed.arena, real, ".git/hooks/x")), 0);
    assert_int_equal(rmdir(path_join(&b.bed.arena, real, ".git/hooks")), 0);
    assert_int_equal(rmdir(path_join(&b.bed.arena, real, ".git")), 0);
    put_file(&b, ".git", arena_printf(&b.bed.arena, "gitdir: %s\n", known));
    bed_emit(&b.bed, "tool.execute.before", OURS);
    assert_null(strstr(prefix_of(&b.bed), "repo.git"));
    assert_int_equal(file_write(path_join(&b.bed.arena, known, "gitdir"),
                                str_of(arena_printf(&b.bed.arena, "%s/.git\n", real)), 0600, NULL),
                     0);
    bed_emit(&b.bed, "tool.execute.before", OURS);
    assert_has(prefix_of(&b.bed), "repo.git>");
}

static void a_hidden_place_stays_hidden_inside_a_writable_one(void **state UNUSED)
{
    CLEANUP(box) struct box b = { 0 };
    const char *words, *writable, *hidden;

    open_box(&b, "writable: ['~'], hidden: ['~/.ssh', '~']");
    put_program(&b, "bwrap", "exit 0");
    bed_emit(&b.bed, "tool.execute.before", OURS);
    words = prefix_of(&b.bed);
    writable = strstr(words, arena_printf(&b.bed.arena, "<--bind><%s>", b.home));
    hidden = strstr(words, arena_printf(&b.bed.arena, "<--tmpfs><%s>", b.home));
    assert_non_null(writable);
    assert_non_null(hidden);
    assert_true(writable < hidden);
    assert_has(hidden, "/.ssh>");
}

/* Containers ----------------------------------------------------------------------------------- */

static void containers_run_the_image_of_the_project(void **state UNUSED)
{
    static const struct {
        const char *file, *text, *image;
    } rows[] = {
        { "x", "x", "debian:stable-slim" },
        { "go.mod", "module x", "golang:1-bookworm" },
        { "package.json", "{}", "node:22-bookworm-slim" },
        { "Dockerfile", "# syntax\nFROM --platform=linux/amd64 alpine:3 AS build\nFROM x\n",
          "alpine:3" },
        { "Dockerfile", "FROM $BASE\n", "node:22-bookworm-slim" },
        { ".devcontainer/devcontainer.json", "{\"image\": \"--privileged\"}",
          "node:22-bookworm-slim" },
        { ".devcontainer/devcontainer.json",
          "{ // here\n \"image\": \"r.test/dev:1\", /* x */ \"a\": [1,],\n}", "r.test/dev:1" },
        { ".devcontainer/devcontainer.json", "{ \"image\": \"r.test/dev:2\", // last\n}",
          "r.test/dev:2" },
    };
    CLEANUP(box) struct box b = { 0 };

    open_box(&b, "program: docker, network: false");
    put_program(&b, "docker", "exit 0");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        put_file(&b, rows[i].file, rows[i].text);
        bed_emit(&b.bed, "tool.execute.before", OURS);
        assert_has(prefix_of(&b.bed), arena_printf(&b.bed.arena, "<%s>", rows[i].image));
    }
    assert_has(prefix_of(&b.bed), "<run><--rm><--interactive><--init><--cap-drop><ALL>");
    assert_has(prefix_of(&b.bed), "<--network><none>");
    assert_has(prefix_of(&b.bed), arena_printf(&b.bed.arena, "<type=bind,src=%s,dst=%s>",
                                               b.bed.dir.path, b.bed.dir.path));
}

static void a_container_engine_that_is_not_there_blocks(void **state UNUSED)
{
    CLEANUP(box) struct box b = { 0 };

    open_box(&b, "program: podman, image: debian");
    put_program(&b, "podman", "echo 'no engine' >&2; exit 125");
    bed_emit(&b.bed, "tool.execute.before", OURS);
    assert_int_equal(b.bed.receipt.verdict.decision, DECISION_BLOCK);
    assert_has(b.bed.receipt.verdict.reason, "no engine");
}

static void what_is_no_image_blocks(void **state UNUSED)
{
    CLEANUP(box) struct box b = { 0 };

    open_box(&b, "program: docker, image: '--privileged x'");
    put_program(&b, "docker", "exit 0");
    bed_emit(&b.bed, "tool.execute.before", OURS);
    assert_int_equal(b.bed.receipt.verdict.decision, DECISION_BLOCK);
    assert_has(b.bed.receipt.verdict.reason, "is no name of an image");
}

TESTS(cmocka_unit_test(our_agent_gets_words_before_the_command),
      cmocka_unit_test(it_is_last_and_words_of_others_come_behind_its_own),
      cmocka_unit_test(a_session_tries_it_once),
      cmocka_unit_test(where_it_does_not_work_that_is_said_once),
      cmocka_unit_test(where_there_is_none_that_is_said_once),
      cmocka_unit_test(one_that_is_named_must_work),
      cmocka_unit_test(a_program_of_the_workspace_is_never_used),
      cmocka_unit_test(only_shell_commands_get_one),
      cmocka_unit_test(other_agents_are_left_alone_unless_asked_for),
      cmocka_unit_test(elsewhere_the_whole_command_is_one_word),
      cmocka_unit_test(a_zero_byte_is_refused),
      cmocka_unit_test(a_repository_counts_only_if_it_knows_the_worktree),
      cmocka_unit_test(a_hidden_place_stays_hidden_inside_a_writable_one),
      cmocka_unit_test(containers_run_the_image_of_the_project),
      cmocka_unit_test(a_container_engine_that_is_not_there_blocks),
      cmocka_unit_test(what_is_no_image_blocks))
