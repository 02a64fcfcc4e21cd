#include "agent/survival.h"

#include <strings.h>

static bool is_listed(struct arena *a, const struct json *list, struct str text)
{
    for (const struct json *j = json_first(list); j; j = json_next(j))
        if (str_eq(json_str(a, j), text))
            return true;
    return false;
}

/* Naming -------------------------------------------------------------------------------------- */

bool survival_names(const char *text, struct str what)
{
    for (; *text; text++)
        if (strncasecmp(text, what.ptr, what.len) == 0)
            return true;
    return false;
}

/* All that is said in messages, by whomever. */
static const char *text_of(struct arena *a, const struct json *messages)
{
    CLEANUP(strbuf) struct strbuf all = { 0 };

    for (const struct json *m = json_first(messages); m; m = json_next(m)) {
        const struct json *part = json_first(message_parts(a, m));

        for (; part; part = json_next(part)) {
            struct str text = json_str(a, json_get(part, STR("text")));

            strbuf_printf(&all, "%.*s\n%s\n", STR_ARG(text),
                          json_get(part, STR("args")) ? json_text(a, json_get(part, STR("args")))
                                                      : "");
        }
    }
    return arena_cstr(a, strbuf_str(&all));
}

static void sort(struct arena *a, const struct json *all, const char *text,
                 struct survival_names *out)
{
    struct json *kept = json_array(a), *lost = json_array(a);

    for (const struct json *n = json_first(all); n; n = json_next(n))
        json_push(a, survival_names(text, json_str(a, n)) ? kept : lost, n);
    out->kept = kept;
    out->lost = lost;
}

/* Files --------------------------------------------------------------------------------------- */

static const struct json *files_of(struct arena *a, const struct json *messages)
{
    struct json *all = json_array(a);

    for (const struct json *m = json_first(messages); m; m = json_next(m)) {
        const struct json *part = json_first(message_parts(a, m));

        for (; part; part = json_next(part)) {
            struct str path = json_str(a, json_get(json_get(part, STR("args")), STR("path")));

            if (path.len && !str_is(path, ".") && !is_listed(a, all, path))
                json_push(a, all, json_string(a, path));
        }
    }
    return all;
}

/* Todos --------------------------------------------------------------------------------------- */

static const struct json *todos_of_part(struct arena *a, const struct json *part)
{
    if (message_part_is(part, "tool_call") &&
        str_is(json_str(a, json_get(part, STR("tool"))), "todo"))
        return json_get(json_get(part, STR("args")), STR("todos"));
    return json_get(part, STR("todos"));
}

const struct json *survival_todos(const struct json *messages)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *found = NULL;

    for (const struct json *m = json_first(messages); m; m = json_next(m)) {
        const struct json *part = json_first(json_get(m, STR("content")));

        for (; part; part = json_next(part)) {
            const struct json *todos = todos_of_part(&a, part);

            if (json_type(todos) == JSON_ARRAY)
                found = todos;
        }
    }
    return found;
}

bool survival_is_open(const struct json *todo)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct str status = json_str(&a, json_get(todo, STR("status")));

    return !str_is(status, "completed") && !str_is(status, "cancelled");
}

static const struct json *open_todos(struct arena *a, const struct json *messages)
{
    struct json *all = json_array(a);

    for (const struct json *t = json_first(survival_todos(messages)); t; t = json_next(t)) {
        struct str content = json_str(a, json_get(t, STR("content")));

        if (content.len && survival_is_open(t))
            json_push(a, all, json_string(a, content));
    }
    return all;
}

struct survival survival_of(struct arena *a, const struct json *before, const struct json *after)
{
    const char *text = text_of(a, after);
    struct survival v;

    sort(a, files_of(a, before), text, &v.files);
    sort(a, open_todos(a, before), text, &v.todos);
    return v;
}
