/*
 * task - hand work to a subagent.
 *
 * Tests: tests/unit/agent/test_subagent.c
 */
#include "agent/subagent.h"

#include <errno.h>

static const char *const *skills_of(const struct tool_call *c)
{
    const struct json *list = json_get(c->args, STR("load_skills"));
    const char **names = arena_array(c->arena, const char *, json_count(list) + 1);
    size_t count = 0;

    for (const struct json *s = json_first(list); s; s = json_next(s))
        names[count++] = json_cstr(c->arena, s);
    return count ? names : NULL;
}

static int start(const struct tool_call *c, const struct subagent_task *task,
                 struct tool_result *result, struct err *e)
{
    unsigned number;
    int r = subagent_start(c->owner, task, &number, e);

    if (r == 0)
        result->output = str_of(arena_printf(
            c->arena, "task %u runs in the background; what comes of it is told to you", number));
    return r;
}

static int run_here(const struct tool_call *c, const struct subagent_task *task,
                    struct tool_result *result, struct err *e)
{
    struct agent_outcome out = { 0 };
    int r = subagent_run(c->owner, task, c->arena, &out, e);

    if (r < 0)
        return r;
    result->failed = out.end != AGENT_DONE;
    result->output = str_of(arena_strdup(c->arena, result->failed ? out.reason
                                                   : out.text     ? out.text
                                                                  : "(it said nothing)"));
    agent_outcome_release(&out);
    return 0;
}

static int run(const struct tool_call *c, struct tool_result *result, struct err *e)
{
    const struct subagent_task task = {
        .prompt = tool_text(c, "prompt"),
        .type = tool_text(c, "subagent_type"),
        .category = tool_text(c, "category"),
        .skills = skills_of(c),
    };
    const char *description = tool_text(c, "description");

    if (!c->owner)
        return err_set(e, -ENOTSUP, "there is no session to start a subagent from");
    result->title = description ? description : task.type ? task.type : task.category;
    return tool_flag(c, "run_in_background") ? start(c, &task, result, e)
                                             : run_here(c, &task, result, e);
}

const struct tool task_tool = {
    .name = "task",
    .description =
        "Hand a piece of work to a subagent that knows nothing of this conversation: say all it needs "
        "to know and what you want back. Choose it by subagent_type or by category.",
    .parameters =
        "{\"type\":\"object\",\"properties\":{"
        "\"prompt\":{\"type\":\"string\"},"
        "\"description\":{\"type\":\"string\",\"description\":\"what it is about, in a few words\"},"
        "\"subagent_type\":{\"type\":\"string\",\"description\":\"name of an agent\"},"
        "\"category\":{\"type\":\"string\",\"description\":\"kind of work, from the configuration\"},"
        "\"run_in_background\":{\"type\":\"boolean\"},"
        "\"load_skills\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}},"
        "\"required\":[\"prompt\"]}",
    .run = run,
};
