/*
 * secret-guard - credentials in a tool's arguments block the call, in its output they are masked.
 *
 * Points:  tool.execute.before, tool.execute.after
 * Tests:   tests/unit/builtin/test_secret_guard.c
 */
#include "hook/hook.h"
#include "hook/secrets.h"

/* Any text inside a value, keys included. */
static bool value_has_secret(struct arena *a, const struct json *j, struct secret *found)
{
    struct str text = json_str(a, j);

    if (str_is_set(text) && secrets_find(text, 0, found))
        return true;
    for (const struct json *child = json_first(j); child; child = json_next(child)) {
        struct str key = json_key(a, child);

        if (secrets_find(key, 0, found) || value_has_secret(a, child, found))
            return true;
    }
    return false;
}

static int tool_execute_before(const struct hook_call *c, struct verdict *v, struct err *e UNUSED)
{
    struct secret found;

    if (value_has_secret(c->arena, event_data(c->event, STR("args")), &found))
        verdict_block(v, arena_printf(c->arena,
                                      "the arguments contain %s; read it from the environment or "
                                      "a file instead of writing it out",
                                      found.what));
    return 0;
}

/* Unset when there is nothing to mask. */
static struct str masked(struct arena *a, struct str text)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    struct secret found;
    size_t from = 0;

    while (secrets_find(text, from, &found)) {
        strbuf_add(&out, text.ptr + from, found.at - from);
        strbuf_printf(&out, "[%s, masked]", found.what);
        from = found.at + found.len;
    }
    if (from == 0)
        return (struct str){ 0 };
    strbuf_add(&out, text.ptr + from, text.len - from);
    return (struct str){ arena_cstr(a, strbuf_str(&out)), out.len };
}

static int tool_execute_after(const struct hook_call *c, struct verdict *v, struct err *e UNUSED)
{
    struct str output = json_str(c->arena, event_data(c->event, STR("output")));
    struct str clean = masked(c->arena, output);

    if (str_is_set(clean))
        verdict_replace(c->arena, v, STR("output"), json_string(c->arena, clean));
    return 0;
}

const struct hook_def secret_guard_hook = {
    .name = "secret-guard",
    .summary = "blocks tool calls that carry credentials and masks credentials in tool output",
    .layer = LAYER_GUARD,
    .priority = 100,
    .safety_critical = true,
    .on = { [POINT_TOOL_EXECUTE_BEFORE] = tool_execute_before,
            [POINT_TOOL_EXECUTE_AFTER] = tool_execute_after },
};
