/*
 * todo - the session's list of what is to be done.
 *
 * Tests: tests/unit/agent/test_tool_todo.c
 */
#include "agent/session.h"

static int run(const struct tool_call *c, struct tool_result *result, struct err *e UNUSED)
{
    const struct json *todos = json_get(c->args, STR("todos"));
    CLEANUP(strbuf) struct strbuf out = { 0 };
    size_t done = 0;

    for (const struct json *t = json_first(todos); t; t = json_next(t)) {
        struct str status = json_str(c->arena, json_get(t, STR("status")));

        done += str_is(status, "completed");
        strbuf_printf(&out, "[%s] %.*s\n",
                      str_is(status, "completed")     ? "x"
                      : str_is(status, "in_progress") ? ">"
                                                      : " ",
                      STR_ARG(json_str(c->arena, json_get(t, STR("content")))));
    }
    if (c->owner)
        c->owner->todos = json_copy(&c->owner->arena, todos);
    result->title = arena_printf(c->arena, "%zu of %zu done", done, json_count(todos));
    result->output = out.len ? (struct str){ arena_cstr(c->arena, strbuf_str(&out)), out.len }
                             : STR("the list is empty");
    return 0;
}

const struct tool todo_tool = {
    .name = "todo",
    .description =
        "Write down what is to be done, and keep it up to date while you work: the whole "
        "list each time, at most one item in progress.",
    .parameters =
        "{\"type\":\"object\",\"properties\":{\"todos\":{\"type\":\"array\",\"items\":{\"type\":"
        "\"object\",\"properties\":{\"content\":{\"type\":\"string\"},\"status\":{\"type\":"
        "\"string\",\"enum\":[\"pending\",\"in_progress\",\"completed\"]}},\"required\":["
        "\"content\",\"status\"]}}},\"required\":[\"todos\"]}",
    .run = run,
};
