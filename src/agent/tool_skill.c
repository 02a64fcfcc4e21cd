/*
 * skill - read a skill.
 *
 * Tests: tests/unit/agent/test_tool_skill.c
 */
#include "agent/tool.h"
#include "hook/skill.h"

static int run(const struct tool_call *c, struct tool_result *result, struct err *e)
{
    const char *name = tool_text(c, "name");
    struct skill skill;
    int r = skill_find(c->arena, c->workspace, name, &skill, e);

    if (r < 0)
        return r;
    result->title = name;
    result->output = str_of(
        arena_printf(c->arena, "<skill name=\"%s\">\n%.*s\n</skill>", name, STR_ARG(skill.text)));
    return 0;
}

const struct tool skill_tool = {
    .name = "skill",
    .description = "Read a skill: a text that says how something is done here.",
    .parameters = "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},"
                  "\"required\":[\"name\"]}",
    .read_only = true,
    .run = run,
};
