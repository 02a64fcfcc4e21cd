#include "tool_fixture.h"

static const char schema[] =
    "{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"},\"limit\":{\"type\":"
    "\"integer\",\"minimum\":1,\"maximum\":9},\"ratio\":{\"type\":\"number\"},\"all\":{\"type\":"
    "\"boolean\"},\"mode\":{\"type\":\"string\",\"enum\":[\"fast\",\"slow\"]},\"items\":{\"type\":"
    "\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"}},"
    "\"required\":[\"id\"]}}},\"required\":[\"path\"]}";

static void arguments_are_checked_in_words_a_model_can_act_on(void **state UNUSED)
{
    static const struct {
        const char *args, *says; /* NULL: fine */
    } rows[] = {
        { "{\"path\":\"x\"}", NULL },
        { "{\"path\":\"x\",\"limit\":9,\"all\":true,\"mode\":\"slow\",\"items\":[{\"id\":\"1\"}]}",
          NULL },
        { "{\"path\":\"x\",\"limit\":2.0}", NULL },
        { "{\"path\":\"x\",\"limit\":null}", NULL },
        { "{\"path\":\"\"}", NULL },
        { "{}", "'path' of the tool 't' is missing" },
        { "{\"path\":null}", "'path' of the tool 't' is missing" },
        { "[]", "the arguments of the tool 't' must be an object" },
        { "\"x\"", "the arguments of the tool 't' must be an object" },
        { "{\"path\":1}", "'path' of the tool 't' must be a string, not a number" },
        { "{\"path\":\"x\",\"limit\":\"3\"}",
          "'limit' of the tool 't' must be a number, not a string" },
        { "{\"path\":\"x\",\"limit\":1.5}", "'limit' of the tool 't' must be a whole number" },
        { "{\"path\":\"x\",\"limit\":0}", "'limit' of the tool 't' must be at least 1" },
        { "{\"path\":\"x\",\"limit\":10}", "'limit' of the tool 't' must be at most 9" },
        { "{\"path\":\"x\",\"all\":\"yes\"}", "'all' of the tool 't' must be " },
        { "{\"path\":\"x\",\"mode\":\"medium\"}",
          "'mode' of the tool 't' must be one of fast, slow" },
        { "{\"path\":\"x\",\"file_path\":\"y\"}",
          "'file_path' of the tool 't' is not known: it takes path, limit, ratio, all, mode, items" },
        { "{\"path\":\"x\",\"items\":[{\"id\":\"1\"},{}]}",
          "'items[1].id' of the tool 't' is missing" },
        { "{\"path\":\"x\",\"items\":[{\"id\":\"1\",\"name\":2}]}",
          "'items[0].name' of the tool 't' is not known: it takes id" },
        { "{\"path\":\"x\",\"items\":{}}", "'items' of the tool 't' must be an array" },
        { "{\"path\":\"a\\u0000b\"}", "'path' of the tool 't' holds a NUL character" },
    };
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *s, *args;

    assert_int_equal(json_parse(&a, str_of(schema), NULL, &s, NULL), 0);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err e = { 0 };
        int r;

        assert_int_equal(json_parse(&a, str_of(rows[i].args), NULL, &args, NULL), 0);
        r = tool_check_args("t", s, args, &e);
        if ((r == 0) != !rows[i].says || (rows[i].says && !strstr(e.msg, rows[i].says)))
            fail_msg("%s: %s", rows[i].args, e.msg);
    }
}

static void every_tool_has_a_schema_that_takes_what_it_requires(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    size_t count;
    const struct tool *const *all = tool_list(&count);

    for (size_t i = 0; i < count; i++) {
        const struct json *s, *name;

        assert_int_equal(json_parse(&a, str_of(all[i]->parameters), NULL, &s, NULL), 0);
        assert_true(str_is(json_str(&a, json_get(s, STR("type"))), "object"));
        for (name = json_first(json_get(s, STR("required"))); name; name = json_next(name))
            assert_non_null(json_get(json_get(s, STR("properties")), json_str(&a, name)));
        assert_ptr_equal(tool_find(str_of(all[i]->name)), all[i]);
        assert_true(i == 0 || strcmp(all[i - 1]->name, all[i]->name) < 0);
    }
    assert_null(tool_find(STR("Bash")));
}

/* Rules and built-ins look for these names: a tool that took others would pass them unseen. */
static void arguments_have_the_names_of_the_vocabulary(void **state UNUSED)
{
    static const struct {
        const char *tool, *arg; /* "": only the tool */
    } rows[] = {
#define TOOL(ours, system, theirs)      { ours, "" },
#define ARG(tool, ours, system, theirs) { tool, ours },
#include "hook/tools.def"
    };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct tool *t = tool_find(str_of(rows[i].tool));
        const struct json *schema_of;

        assert_non_null(t);
        assert_int_equal(json_parse(&a, str_of(t->parameters), NULL, &schema_of, NULL), 0);
        schema_of = json_get(schema_of, STR("properties"));
        if (rows[i].arg[0] && !json_get(schema_of, str_of(rows[i].arg)))
            fail_msg("'%s' has no '%s'", rows[i].tool, rows[i].arg);
    }
}

static void paths_stay_in_the_workspace(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };
    char *out;

    tool_bed_open(&b);
    tool_bed_file(&b, "in.txt", "in");
    tool_bed_file(&b, "../repo-other/out.txt", "out");
    assert_int_equal(symlink(tool_bed_path(&b, "../repo-other"), tool_bed_path(&b, "there")), 0);
    assert_int_equal(symlink("/etc/passwd", tool_bed_path(&b, "users")), 0);
    assert_int_equal(symlink("in.txt", tool_bed_path(&b, "same")), 0);
    assert_int_equal(symlink("../repo-other/new", tool_bed_path(&b, "nowhere")), 0);
    tool_fails(&b, "read", "{\"path\":\"../repo-other/out.txt\"}", "is outside the workspace");
    tool_fails(&b, "read", "{\"path\":\"sub/../../repo-other/out.txt\"}", "is outside");
    tool_fails(&b, "read", "{\"path\":\"/etc/passwd\"}", "'/etc/passwd' is outside the workspace");
    tool_fails(&b, "read", "{\"path\":\"there/out.txt\"}", "is outside the workspace");
    tool_fails(&b, "read", "{\"path\":\"users\"}", "is outside the workspace");
    tool_fails(&b, "read", "{\"path\":\"\"}", "is empty");
    tool_fails(&b, "write", "{\"path\":\"there/new\",\"content\":\"x\"}", "is outside");
    tool_fails(&b, "write", "{\"path\":\"nowhere\",\"content\":\"x\"}", "leads nowhere");
    tool_fails(&b, "glob", "{\"path\":\"..\",\"pattern\":\"*\"}", "is outside the workspace");
    tool_fails(&b, "grep", "{\"path\":\"there\",\"pattern\":\"o\"}", "is outside the workspace");
    assert_false(tool_bed_exists(&b, "../repo-other/new"));
    tool_works(&b, "read", "{\"path\":\"same\"}", "     1\tin\n");
    assert_int_equal(tool_path(&b.call, b.call.workspace, &out, &b.e), 0);
    assert_int_equal(tool_path(&b.call, "new/deep/file", &out, &b.e), 0);
    assert_string_equal(out, tool_bed_path(&b, "new/deep/file"));
}

static void relative_paths_begin_at_the_working_folder(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    tool_bed_open(&b);
    tool_bed_file(&b, "sub/a.txt", "deep\n");
    tool_bed_file(&b, "b.txt", "high\n");
    b.call.cwd = tool_bed_path(&b, "sub");
    tool_works(&b, "read", "{\"path\":\"a.txt\"}", "     1\tdeep\n");
    tool_works(&b, "read", "{\"path\":\"../b.txt\"}", "     1\thigh\n");
    tool_fails(&b, "read", "{\"path\":\"../../repo-other\"}", "is outside");
}

static void texts_are_cut_between_characters(void **state UNUSED)
{
    assert_int_equal(tool_fit(STR("abc"), 3), 3);
    assert_int_equal(tool_fit(STR("abc"), 2), 2);
    assert_int_equal(tool_fit(STR("a\xc3\xa4"
                                  "b"),
                              2),
                     1);
    assert_int_equal(tool_fit(STR("a\xc3\xa4"
                                  "b"),
                              3),
                     3);
    assert_int_equal(tool_fit(STR("\xe2\x82\xac"), 2), 0);
}

TESTS(cmocka_unit_test(arguments_are_checked_in_words_a_model_can_act_on),
      cmocka_unit_test(every_tool_has_a_schema_that_takes_what_it_requires),
      cmocka_unit_test(arguments_have_the_names_of_the_vocabulary),
      cmocka_unit_test(paths_stay_in_the_workspace),
      cmocka_unit_test(relative_paths_begin_at_the_working_folder),
      cmocka_unit_test(texts_are_cut_between_characters))
