#include "session_fixture.h"
#include "tool_fixture.h"

static void the_list_is_shown_as_it_stands(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    tool_bed_open(&b);
    tool_works(&b, "todo",
               "{\"todos\":[{\"content\":\"look\",\"status\":\"completed\"},{\"content\":\"write\","
               "\"status\":\"in_progress\"},{\"content\":\"test\",\"status\":\"pending\"}]}",
               "[x] look\n[>] write\n[ ] test\n");
    assert_string_equal(b.result.title, "1 of 3 done");
    tool_works(&b, "todo", "{\"todos\":[]}", "the list is empty");
}

static void mistakes_are_explained(void **state UNUSED)
{
    CLEANUP(tool_bed) struct tool_bed b = { 0 };

    tool_bed_open(&b);
    tool_fails(
        &b, "todo", "{\"todos\":[{\"content\":\"x\",\"status\":\"done\"}]}",
        "'todos[0].status' of the tool 'todo' must be one of pending, in_progress, completed");
    tool_fails(&b, "todo", "{\"todos\":[{\"status\":\"pending\"}]}",
               "'todos[0].content' of the tool 'todo' is missing");
    tool_fails(&b, "todo", "{\"todos\":\"x\"}", "must be an array");
}

static void hooks_see_the_list_when_the_agent_stops(void **state UNUSED)
{
    CLEANUP(session_bed) struct session_bed b = { 0 };

    session_bed_open(
        &b,
        "hooks: [{ name: open-items, on: agent.stop, when: 'todos[1].status == "
        "\"pending\"', say: there is more }]\n",
        "turns:\n"
        "- calls: [{ tool: todo, args: { todos: [{ content: a, status: pending }] } }]\n"
        "- { text: Done. }\n");
    session_bed_run(&b, &(struct agent_task){ .text = "go" });
    session_bed_shows(&b, "say there is more\n");
}

TESTS(cmocka_unit_test(the_list_is_shown_as_it_stands), cmocka_unit_test(mistakes_are_explained),
      cmocka_unit_test(hooks_see_the_list_when_the_agent_stops))
