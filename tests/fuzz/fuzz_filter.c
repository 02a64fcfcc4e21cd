/*
 * Matchers and conditions come from files that others wrote, shell commands from a model: a
 * matcher, a condition and a command, separated by NULs, come to an answer in bounded time, and a
 * command that is read says nothing that was not in it.
 */
#include "dialect/dialect.h"
#include "dialect/shell_text.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void filter(const char *name, struct arena *a, const struct dialect_wants *wants,
                   const struct event *ev)
{
    const struct dialect *d = dialect_find(str_of(name));
    const struct dialect_event seen = { .event = ev };
    struct dialect_filter *f;
    struct err e = { 0 };
    int r = d->filter_new(a, wants, &f, &e);

    if (r > 0 || (r < 0) != (e.msg[0] != '\0'))
        abort();
    if (r < 0)
        return;
    (void)d->filter_test(f, a, &seen);
    d->filter_free(f);
}

static void read_command(struct arena *a, struct str command)
{
    struct shell_text t;

    shell_text_read(&t, a, command);
    for (const struct shell_part *c = t.first; c; c = c->next)
        if (c->raw.len == 0 || c->raw.len > command.len || c->plain.len > c->raw.len)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct str rest = { (const char *)data, size }, match, condition;
    struct event ev = { .point = POINT_TOOL_EXECUTE_BEFORE, .session = { .id = "s", .cwd = "/w" } };
    struct json *event = json_object(&a), *args = json_object(&a);
    struct dialect_wants wants = { 0 };

    if (size > 4096 || !str_cut(&rest, '\0', &match) || !str_cut(&rest, '\0', &condition) ||
        !str_is_set(rest))
        return 0;
    wants.match = arena_cstr(&a, match);
    wants.condition = condition.len ? arena_cstr(&a, condition) : NULL;
    json_add(&a, args, STR("command"), json_string(&a, rest));
    json_add(&a, args, STR("path"), json_string(&a, rest));
    json_add(&a, event, STR("tool"), json_cstring(&a, match.len % 2 ? "edit" : "bash"));
    json_add(&a, event, STR("args"), args);
    ev.data = event;
    filter("claude", &a, &wants, &ev);
    wants.condition = NULL;
    filter("codex", &a, &wants, &ev);
    read_command(&a, rest);
    return 0;
}
