#include "agent/recipe.h"
#include "base/file.h"
#include "base/path.h"
#include "hook/trust.h"
#include "tmpdir.h"

/* A home and a workspace, both empty. */
struct kitchen {
    struct tmpdir dir;
    struct arena arena;
    const char *repo, *home;
    struct config config;
    struct recipe_place place;
    struct err e;
};

static void kitchen_make(struct kitchen *k)
{
    struct arena *a = &k->arena;

    tmpdir_make(&k->dir);
    k->repo = path_join(a, k->dir.path, "repo");
    k->home = path_join(a, k->dir.path, "home");
    assert_int_equal(file_mkdirs(k->repo, &k->e), 0);
    assert_int_equal(file_mkdirs(k->home, &k->e), 0);
    setenv("HOME", k->home, 1);
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("XDG_DATA_HOME");
    k->config.workspace = k->repo;
    k->config.trust = path_join(a, k->home, "trusted");
    k->place = (struct recipe_place){ &k->config, k->home };
}

static void kitchen_cleanup(struct kitchen *k)
{
    tmpdir_cleanup(&k->dir);
    arena_release(&k->arena);
}

static const char *put(struct kitchen *k, const char *dir, const char *name, const char *text)
{
    const char *path = path_join(&k->arena, dir, name);

    if (file_write(path, str_of(text), 0600, &k->e) < 0)
        fail_msg("%s", k->e.msg);
    return path;
}

static void trust(struct kitchen *k, const char *path)
{
    struct str text;

    assert_int_equal(file_read(&k->arena, path, 1 << 20, &text, &k->e), 0);
    assert_int_equal(trust_pin(k->config.trust, path, text, &k->e), 0);
}

static int find(struct kitchen *k, const char *name, struct recipe *out)
{
    k->e = (struct err){ 0 };
    return recipe_find(&k->place, &k->arena, name, out, &k->e);
}

static void says(const struct kitchen *k, const char *part)
{
    if (!strstr(k->e.msg, part))
        fail_msg("'%s' is not in '%s'", part, k->e.msg);
}

/* Load a recipe of the user with this text. */
static int load(struct kitchen *k, const char *text, struct recipe *out)
{
    put(k, k->home, ".config/hooke/recipes/x.md", text);
    return find(k, "x", out);
}

static void refuses(const char *text, const char *part)
{
    CLEANUP(kitchen) struct kitchen k = { 0 };
    struct recipe recipe;

    kitchen_make(&k);
    if (load(&k, text, &recipe) == 0)
        fail_msg("%s\nis fine", text);
    says(&k, part);
}

/* Front matter --------------------------------------------------------------------------------- */

static void every_key_is_read(void **state UNUSED)
{
    CLEANUP(kitchen) struct kitchen k = { 0 };
    struct recipe r;

    kitchen_make(&k);
    assert_int_equal(load(&k,
                          "---\nname: A title\ndescription: does it\nallowed_tools: [read, Bash, "
                          "file_edit]\nallowed_commands: git *, make\nmodel: a/b\nagent: helper\n"
                          "apply: replace\narguments:\n  n: {description: how many, default: 3}\n"
                          "  who:\n  l: {default: [a, b]}\n---\nbody {{.who}}\n",
                          &r),
                     0);
    assert_string_equal(r.name, "x");
    assert_string_equal(r.title, "A title");
    assert_string_equal(r.description, "does it");
    assert_string_equal(r.tools[0], "read");
    assert_string_equal(r.tools[1], "bash");
    assert_string_equal(r.tools[2], "edit");
    assert_null(r.tools[3]);
    assert_string_equal(r.commands[0], "git *");
    assert_string_equal(r.commands[1], "make");
    assert_null(r.commands[2]);
    assert_string_equal(r.model, "a/b");
    assert_string_equal(r.agent, "helper");
    assert_true(r.replaces);
    assert_int_equal(r.argument_count, 3);
    assert_string_equal(r.arguments[0].description, "how many");
    assert_string_equal(r.arguments[0].fallback, "3");
    assert_null(r.arguments[1].fallback);
    assert_string_equal(r.arguments[2].fallback, "[\"a\",\"b\"]");
    assert_int_equal(r.line, 14);
    assert_true(str_is(r.body, "body {{.who}}\n"));
}

static void no_tools_differ_from_all_tools(void **state UNUSED)
{
    CLEANUP(kitchen) struct kitchen k = { 0 };
    struct recipe r;

    kitchen_make(&k);
    assert_int_equal(load(&k, "---\nallowed_tools: []\n---\n", &r), 0);
    assert_non_null(r.tools);
    assert_null(r.tools[0]);
    assert_int_equal(load(&k, "---\ndescription: x\n---\n", &r), 0);
    assert_null(r.tools);
    refuses("---\nallowed_tools:\n---\n", "x.md:2:");
}

static void a_file_without_front_matter_is_all_body(void **state UNUSED)
{
    CLEANUP(kitchen) struct kitchen k = { 0 };
    struct recipe r;

    kitchen_make(&k);
    assert_int_equal(load(&k, "Hello\n---\nname: x\n---\n", &r), 0);
    assert_int_equal(r.line, 1);
    assert_true(str_is(r.body, "Hello\n---\nname: x\n---\n"));
    assert_int_equal(load(&k, "\xef\xbb\xbf---\r\ndescription: d\r\n---\r\nbody\r\n", &r), 0);
    assert_string_equal(r.description, "d");
    assert_true(str_is(r.body, "body\r\n"));
}

static void what_is_wrong_is_said_with_its_place(void **state UNUSED)
{
    refuses("---\nname: [\n---\n", "x.md:");
    refuses("---\ndescription: d\n  bad: x\n---\n", "x.md:2:14: ");
    refuses("---\nallowed_tool: [read]\n---\n",
            "x.md:2:1: unknown key 'allowed_tool', did you mean 'allowed_tools'?");
    refuses("---\narguments:\n  a:\n    defalt: x\n---\n",
            "x.md:4:5: unknown key 'defalt', did you mean 'default'?");
    refuses("---\narguments: [a]\n---\n", "'arguments' must be a map, not a list");
    refuses("---\narguments: {a: b}\n---\n", "argument 'a' must be a map");
    refuses("---\napply: append\n---\n", "x.md:2:8: 'apply' can only be 'replace'");
    refuses("---\nallowed_tools: {a: b}\n---\n", "must be a list, not a map");
    refuses("---\nallowed_commands: [[a]]\n---\n", "must be a text, not a list");
    refuses("---\n- a\n---\n", "the front matter must be a map, not a list");
    refuses("---\nname: x\n", "x.md:1:1: the front matter that begins here has no end");
    refuses("---\nname: x\n---\n\n {{.a", "x.md:5:2: '{{' is not closed");
}

static void older_files_of_kodelet_load(void **state UNUSED)
{
    CLEANUP(kitchen) struct kitchen k = { 0 };
    struct recipe r;

    kitchen_make(&k);
    put(&k, k.home, ".kodelet/recipes/github/pr",
        "---\nname: PR\ndefaults: {a: x}\nworkflow: true\nprofile: fast\n"
        "hooks:\n  turn_end: {handler: swap_context, once: true}\nallowed_tools: \"\"\n---\n{{.a}}");
    assert_int_equal(find(&k, "github/pr", &r), 0);
    assert_string_equal(r.arguments[0].fallback, "x");
    assert_true(r.replaces);
    assert_null(r.tools[0]);
}

/* Lookup --------------------------------------------------------------------------------------- */

static void the_first_place_that_has_the_name_counts(void **state UNUSED)
{
    static const char *const places[] = { "repo/.hooke/recipes", "home/.config/hooke/recipes",
                                          "repo/.kodelet/recipes", "home/.kodelet/recipes" };
    CLEANUP(kitchen) struct kitchen k = { 0 };
    struct recipe r;

    kitchen_make(&k);
    assert_int_equal(find(&k, "compact", &r), 0);
    assert_null(r.path);
    assert_true(r.replaces);
    for (size_t i = ARRAY_LEN(places); i-- > 0;) {
        const char *dir = path_join(&k.arena, k.dir.path, places[i]);
        const char *path = put(&k, dir, "compact.md", "mine");

        trust(&k, path);
        assert_int_equal(find(&k, "compact", &r), 0);
        assert_string_equal(r.path, path);
        put(&k, dir, "compact", "not this one");
    }
}

static void a_recipe_of_the_workspace_needs_its_pinned_bytes(void **state UNUSED)
{
    CLEANUP(kitchen) struct kitchen k = { 0 };
    const char *path;
    struct recipe r;

    kitchen_make(&k);
    put(&k, k.home, ".kodelet/recipes/compact.md", "the user's");
    path = put(&k, k.repo, ".hooke/recipes/compact.md", "theirs");
    assert_int_equal(find(&k, "compact", &r), TRUST_REFUSED);
    says(&k, "is not trusted: run 'hooke trust'");
    assert_string_equal(r.path, path);
    assert_non_null(r.untrusted);
    trust(&k, path);
    assert_int_equal(find(&k, "compact", &r), 0);
    assert_true(str_is(r.body, "theirs"));
    put(&k, k.repo, ".hooke/recipes/compact.md", "changed");
    assert_int_equal(find(&k, "compact", &r), TRUST_REFUSED);
    says(&k, "has changed since it was trusted");
}

static void in_ones_home_recipes_are_ones_own(void **state UNUSED)
{
    CLEANUP(kitchen) struct kitchen k = { 0 };
    struct recipe r;

    kitchen_make(&k);
    k.config.workspace = k.home;
    put(&k, k.home, ".kodelet/recipes/mine.md", "hi");
    assert_int_equal(find(&k, "mine", &r), 0);
}

static void a_file_that_others_can_write_is_refused(void **state UNUSED)
{
    CLEANUP(kitchen) struct kitchen k = { 0 };
    struct recipe r;

    kitchen_make(&k);
    assert_int_equal(chmod(put(&k, k.home, ".config/hooke/recipes/x.md", "hi"), 0666), 0);
    assert_int_equal(find(&k, "x", &r), TRUST_REFUSED);
    says(&k, "can be written by everybody");
}

static void names_do_not_lead_elsewhere(void **state UNUSED)
{
    static const char *const names[] = { "",     "../x", "a/../../x", "/etc/passwd",
                                         "a//b", ".x",   "a/.x" };
    CLEANUP(kitchen) struct kitchen k = { 0 };
    struct recipe r;

    kitchen_make(&k);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        assert_int_equal(find(&k, names[i], &r), -EINVAL);
        says(&k, "is no name of a recipe");
    }
    put(&k, k.home, ".config/hooke/recipes/notes.txt", "hi");
    assert_int_equal(find(&k, "notes.txt", &r), -ENOENT);
}

static void an_unknown_name_is_answered_with_the_nearest(void **state UNUSED)
{
    CLEANUP(kitchen) struct kitchen k = { 0 };
    struct recipe r;

    kitchen_make(&k);
    assert_int_equal(find(&k, "comapct", &r), -ENOENT);
    says(&k, "there is no recipe 'comapct', did you mean 'compact'?");
    assert_int_equal(find(&k, "zzzzzzzzzzzz", &r), -ENOENT);
    says(&k, "'hooke recipe list' lists them");
}

/* Listing -------------------------------------------------------------------------------------- */

static const struct recipe *listed(const struct recipe *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

static void all_recipes_are_listed_once_by_name(void **state UNUSED)
{
    CLEANUP(kitchen) struct kitchen k = { 0 };
    struct problems problems = { .arena = &k.arena };
    const struct recipe *list;
    size_t count;

    problems.end = &problems.first;
    kitchen_make(&k);
    put(&k, k.repo, ".hooke/recipes/commit.md", "---\ndescription: secret\n---\nx");
    put(&k, k.home, ".config/hooke/recipes/commit.md", "hidden by the one above");
    put(&k, k.home, ".config/hooke/recipes/a/b.md", "---\ndescription: deep\n---\n");
    put(&k, k.home, ".config/hooke/recipes/bad.md", "{{");
    put(&k, k.home, ".config/hooke/recipes/README.txt", "no recipe");
    put(&k, k.home, ".kodelet/recipes/bad.md", "fine, but not the first");
    list = recipe_list(&k.place, &k.arena, &count, &problems);
    for (size_t i = 1; i < count; i++)
        assert_true(strcmp(list[i - 1].name, list[i].name) < 0);
    assert_string_equal(listed(list, count, "a/b")->description, "deep");
    assert_string_equal(listed(list, count, "commit")->description, "");
    assert_non_null(listed(list, count, "commit")->untrusted);
    assert_non_null(listed(list, count, "compact"));
    assert_null(listed(list, count, "bad"));
    assert_null(listed(list, count, "README.txt"));
    assert_int_equal(problems.count, 1);
    assert_non_null(strstr(problems.first->message, "bad.md:1:1:"));
}

static void files_of_the_workspace_are_known(void **state UNUSED)
{
    CLEANUP(kitchen) struct kitchen k = { 0 };
    const char *const *files, *one, *two;
    size_t count;

    kitchen_make(&k);
    put(&k, k.home, ".kodelet/recipes/mine.md", "x");
    two = put(&k, k.repo, ".kodelet/recipes/b.md", "x");
    one = put(&k, k.repo, ".hooke/recipes/a/c", "x");
    files = recipe_files(&k.place, &k.arena, &count);
    assert_int_equal(count, 2);
    assert_string_equal(files[0], one);
    assert_string_equal(files[1], two);
}

static void declared_and_used_arguments_are_taken(void **state UNUSED)
{
    CLEANUP(kitchen) struct kitchen k = { 0 };
    struct recipe r;

    kitchen_make(&k);
    assert_int_equal(load(&k, "---\narguments: {a: }\n---\n{{if .b}}{{end}}", &r), 0);
    assert_true(recipe_takes(&r, "a"));
    assert_true(recipe_takes(&r, "b"));
    assert_false(recipe_takes(&r, "c"));
}

TESTS(cmocka_unit_test(every_key_is_read), cmocka_unit_test(no_tools_differ_from_all_tools),
      cmocka_unit_test(a_file_without_front_matter_is_all_body),
      cmocka_unit_test(what_is_wrong_is_said_with_its_place),
      cmocka_unit_test(older_files_of_kodelet_load),
      cmocka_unit_test(the_first_place_that_has_the_name_counts),
      cmocka_unit_test(a_recipe_of_the_workspace_needs_its_pinned_bytes),
      cmocka_unit_test(in_ones_home_recipes_are_ones_own),
      cmocka_unit_test(a_file_that_others_can_write_is_refused),
      cmocka_unit_test(names_do_not_lead_elsewhere),
      cmocka_unit_test(an_unknown_name_is_answered_with_the_nearest),
      cmocka_unit_test(all_recipes_are_listed_once_by_name),
      cmocka_unit_test(files_of_the_workspace_are_known),
      cmocka_unit_test(declared_and_used_arguments_are_taken))
