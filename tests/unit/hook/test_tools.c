/* Names of tools and arguments, there and back. */
#include "hook/tools.h"
#include "value.h"

static void every_tool_has_its_name_on_both_sides(void **state UNUSED)
{
    static const struct {
        const char *ours, *theirs[TOOLS_SYSTEMS]; /* NULL: ours */
    } rows[] = {
        { "bash", { "bash", "Bash", "Bash", "Bash", "run_shell_command", "bash" } },
        { "read", { "file_read", "Read", "Read", "read_file", "read_file", "read" } },
        { "write", { "file_write", "Save", "Write", "Write", "write_file", "write" } },
        { "edit", { "file_edit", "Edit", "Edit", "Edit", "replace", "edit" } },
        { "apply_patch", { NULL, "ApplyPatch", NULL, NULL, NULL, NULL } },
        { "glob", { "glob_tool", "Glob", "Glob", NULL, "glob", "glob" } },
        { "grep", { "grep_tool", "Grep", "Grep", "grep_files", "grep_search", "grep" } },
        { "task", { "subagent", "Agent", "Agent", "spawn_agent", NULL, "task" } },
        { "todo", { "todo_write", NULL, "TodoWrite", "update_plan", "write_todos", "todowrite" } },
        { "web_fetch", { "web_fetch", "WebFetch", "WebFetch", NULL, "web_fetch", "webfetch" } },
        { "mcp__jira__search", { 0 } },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        for (int s = 0; s < TOOLS_SYSTEMS; s++) {
            const char *wanted = rows[i].theirs[s] ? rows[i].theirs[s] : rows[i].ours;
            struct str theirs =
                tools_name((enum tools_system)s, TOOLS_THEIRS, str_of(rows[i].ours));

            if (!str_is(theirs, wanted))
                fail_msg("%s of system %d is %.*s", rows[i].ours, s, STR_ARG(theirs));
            assert_true(str_is(tools_name((enum tools_system)s, TOOLS_OURS, theirs), rows[i].ours));
        }
    assert_int_equal(tools_name(TOOLS_CLAUDE, TOOLS_THEIRS, (struct str){ 0 }).len, 0);
}

static void many_names_are_understood(void **state UNUSED)
{
    static const struct {
        enum tools_system system;
        const char *theirs, *ours;
    } rows[] = {
        { TOOLS_CLAUDE, "Task", "task" },
        { TOOLS_CLAUDE, "MultiEdit", "edit" },
        { TOOLS_CODEX, "exec_command", "bash" },
        { TOOLS_CODEX, "local_shell", "bash" },
        { TOOLS_CODEX, "Agent", "task" },
        { TOOLS_CODEX, "Write", "write" },
        { TOOLS_GEMINI, "search_file_content", "grep" },
        { TOOLS_OPENCODE, "patch", "apply_patch" },
        { TOOLS_ACAI, "readFile", "read" },
        { TOOLS_GEMINI, "Bash", "Bash" },
        { TOOLS_CLAUDE, "NotebookEdit", "NotebookEdit" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        assert_true(
            str_is(tools_name(rows[i].system, TOOLS_OURS, str_of(rows[i].theirs)), rows[i].ours));
}

static void a_tool_tells_all_its_names(void **state UNUSED)
{
    const char *name;
    size_t at = 0, count = 0;
    bool gemini = false;

    while (tools_other_name(TOOLS_CODEX, STR("apply_patch"), &at))
        count++;
    assert_int_equal(count, 3);
    for (at = 0; (name = tools_other_name(TOOLS_SYSTEMS, STR("bash"), &at));)
        gemini = gemini || strcmp(name, "run_shell_command") == 0;
    assert_true(gemini);
    at = 0;
    assert_null(tools_other_name(TOOLS_SYSTEMS, STR("mcp_x"), &at));
    at = 0;
    assert_null(tools_other_name(TOOLS_SYSTEMS, (struct str){ 0 }, &at));
}

static void arguments_go_there_and_back(void **state UNUSED)
{
    static const struct {
        const char *tool, *ours, *kodelet;
    } rows[] = {
        { "bash", "{\"command\":\"ls\",\"timeout\":5}", "{\"command\":\"ls\",\"timeout\":5}" },
        { "read", "{\"path\":\"a\",\"offset\":1,\"limit\":9}",
          "{\"file_path\":\"a\",\"offset\":1,\"line_limit\":9}" },
        { "write", "{\"path\":\"a\",\"content\":\"x\"}", "{\"file_path\":\"a\",\"text\":\"x\"}" },
        { "edit", "{\"path\":\"a\",\"old_string\":\"x\",\"new_string\":\"y\",\"replace_all\":true}",
          "{\"file_path\":\"a\",\"old_text\":\"x\",\"new_text\":\"y\",\"replace_all\":true}" },
        { "apply_patch", "{\"patch\":\"p\"}", "{\"input\":\"p\"}" },
        { "glob", "{\"pattern\":\"*\",\"path\":\"d\"}", "{\"pattern\":\"*\",\"path\":\"d\"}" },
        { "grep", "{\"pattern\":\"x\",\"path\":\"d\"}", "{\"pattern\":\"x\",\"path\":\"d\"}" },
        { "task", "{\"prompt\":\"find\"}", "{\"question\":\"find\"}" },
        { "todo", "{\"todos\":[]}", "{\"todos\":[]}" },
        { "web_fetch", "{\"url\":\"u\",\"prompt\":\"p\"}", "{\"url\":\"u\",\"prompt\":\"p\"}" },
        { "mcp_x", "{\"path\":\"a\"}", "{\"path\":\"a\"}" },
        { "read", "\"not an object\"", "\"not an object\"" },
    };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct json *ours = value_of(&a, rows[i].ours);
        struct str tool = str_of(rows[i].tool);
        const struct json *theirs = tools_to_theirs(&a, TOOLS_KODELET, tool, ours);

        assert_string_equal(json_text(&a, theirs), rows[i].kodelet);
        theirs = tools_to_ours(&a, TOOLS_KODELET, tool, theirs, ours);
        assert_string_equal(json_text(&a, theirs), rows[i].ours);
    }
}

static void arguments_of_every_system_go_there_and_back(void **state UNUSED)
{
    static const struct {
        enum tools_system system;
        const char *tool, *ours, *theirs;
    } rows[] = {
        { TOOLS_CLAUDE, "read", "{\"path\":\"a\",\"limit\":9}",
          "{\"file_path\":\"a\",\"limit\":9}" },
        { TOOLS_CLAUDE, "write", "{\"path\":\"a\",\"content\":\"x\"}",
          "{\"file_path\":\"a\",\"content\":\"x\"}" },
        { TOOLS_CLAUDE, "edit", "{\"path\":\"a\",\"old_string\":\"x\"}",
          "{\"file_path\":\"a\",\"old_string\":\"x\"}" },
        { TOOLS_CLAUDE, "grep", "{\"pattern\":\"x\",\"path\":\"d\"}",
          "{\"pattern\":\"x\",\"path\":\"d\"}" },
        { TOOLS_CODEX, "bash", "{\"command\":\"ls\"}", "{\"command\":\"ls\"}" },
        { TOOLS_CODEX, "apply_patch", "{\"patch\":\"p\"}", "{\"command\":\"p\"}" },
        { TOOLS_CODEX, "task", "{\"prompt\":\"p\"}", "{\"message\":\"p\"}" },
        { TOOLS_GEMINI, "read", "{\"path\":\"a\"}", "{\"file_path\":\"a\"}" },
        { TOOLS_GEMINI, "edit", "{\"path\":\"a\",\"new_string\":\"\"}",
          "{\"file_path\":\"a\",\"new_string\":\"\"}" },
        { TOOLS_GEMINI, "grep", "{\"path\":\"d\"}", "{\"dir_path\":\"d\"}" },
        { TOOLS_OPENCODE, "read", "{\"path\":\"a\"}", "{\"filePath\":\"a\"}" },
        { TOOLS_OPENCODE, "edit",
          "{\"path\":\"a\",\"old_string\":\"x\",\"new_string\":\"y\",\"replace_all\":true}",
          "{\"filePath\":\"a\",\"oldString\":\"x\",\"newString\":\"y\",\"replaceAll\":true}" },
        { TOOLS_OPENCODE, "apply_patch", "{\"patch\":\"p\"}", "{\"patchText\":\"p\"}" },
        { TOOLS_ACAI, "read", "{\"path\":\"a\",\"offset\":2,\"limit\":3}",
          "{\"path\":\"a\",\"startLine\":2,\"lineCount\":3}" },
    };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct json *ours = value_of(&a, rows[i].ours);
        struct str tool = str_of(rows[i].tool);
        const struct json *theirs = tools_to_theirs(&a, rows[i].system, tool, ours);

        assert_string_equal(json_text(&a, theirs), rows[i].theirs);
        theirs = tools_to_ours(&a, rows[i].system, tool, theirs, ours);
        assert_string_equal(json_text(&a, theirs), rows[i].ours);
    }
}

static void another_name_of_theirs_stays_what_the_tool_reads(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *was = value_of(&a, "{\"cmd\":\"ls\"}");
    const struct json *sent = tools_to_theirs(&a, TOOLS_CODEX, STR("bash"), was);

    assert_string_equal(json_text(&a, sent), "{\"command\":\"ls\"}");
    sent = tools_to_ours(&a, TOOLS_CODEX, STR("bash"), value_of(&a, "{\"command\":\"pwd\"}"), was);
    assert_string_equal(json_text(&a, sent), "{\"cmd\":\"pwd\"}");
}

static void their_name_stays_where_an_event_used_it(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *was = value_of(&a, "{\"file_path\":\"a\"}");
    const struct json *sent = tools_to_theirs(&a, TOOLS_KODELET, STR("read"), was);
    const struct json *back =
        tools_to_ours(&a, TOOLS_KODELET, STR("read"),
                      value_of(&a, "{\"file_path\":\"b\",\"line_limit\":1}"), was);

    assert_string_equal(json_text(&a, sent), "{\"file_path\":\"a\"}");
    assert_string_equal(json_text(&a, back), "{\"file_path\":\"b\",\"limit\":1}");
}

static void our_name_counts_where_both_are_used(void **state UNUSED)
{
    static const char *const both[] = {
        "{\"path\":\"/etc/shadow\",\"file_path\":\"harmless\"}",
        "{\"file_path\":\"harmless\",\"path\":\"/etc/shadow\"}",
    };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(both); i++) {
        const struct json *was = value_of(&a, both[i]);
        const struct json *sent = tools_to_theirs(&a, TOOLS_KODELET, STR("read"), was);

        assert_string_equal(json_text(&a, sent), "{\"file_path\":\"/etc/shadow\"}");
        sent = tools_to_ours(&a, TOOLS_KODELET, STR("read"), sent, was);
        assert_string_equal(json_text(&a, sent), "{\"path\":\"/etc/shadow\"}");
    }
}

TESTS(cmocka_unit_test(every_tool_has_its_name_on_both_sides),
      cmocka_unit_test(many_names_are_understood), cmocka_unit_test(a_tool_tells_all_its_names),
      cmocka_unit_test(arguments_of_every_system_go_there_and_back),
      cmocka_unit_test(another_name_of_theirs_stays_what_the_tool_reads),
      cmocka_unit_test(arguments_go_there_and_back),
      cmocka_unit_test(their_name_stays_where_an_event_used_it),
      cmocka_unit_test(our_name_counts_where_both_are_used))
