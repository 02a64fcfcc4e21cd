/* Names of tools and arguments, there and back. */
#include "hook/tools.h"
#include "value.h"

static void every_tool_has_its_name_on_both_sides(void **state UNUSED)
{
    static const struct {
        const char *ours, *kodelet;
    } rows[] = {
        { "bash", "bash" },
        { "read", "file_read" },
        { "write", "file_write" },
        { "edit", "file_edit" },
        { "apply_patch", "apply_patch" },
        { "glob", "glob_tool" },
        { "grep", "grep_tool" },
        { "task", "subagent" },
        { "todo", "todo_write" },
        { "web_fetch", "web_fetch" },
        { "mcp_jira_search", "mcp_jira_search" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct str theirs = tools_name(TOOLS_KODELET, TOOLS_THEIRS, str_of(rows[i].ours));

        assert_true(str_is(theirs, rows[i].kodelet));
        assert_true(str_is(tools_name(TOOLS_KODELET, TOOLS_OURS, theirs), rows[i].ours));
    }
    assert_int_equal(tools_name(TOOLS_KODELET, TOOLS_THEIRS, (struct str){ 0 }).len, 0);
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
      cmocka_unit_test(arguments_go_there_and_back),
      cmocka_unit_test(their_name_stays_where_an_event_used_it),
      cmocka_unit_test(our_name_counts_where_both_are_used))
