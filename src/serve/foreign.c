#include "serve/foreign.h"

#include "agent/failure.h"

bool foreign_find(struct str name, enum tools_system *out)
{
    static const char *const names[TOOLS_SYSTEMS] = {
        [TOOLS_KODELET] = "kodelet", [TOOLS_ACAI] = "acai",     [TOOLS_CLAUDE] = "claude",
        [TOOLS_CODEX] = "codex",     [TOOLS_GEMINI] = "gemini", [TOOLS_OPENCODE] = "opencode",
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        *out = (enum tools_system)i;
        if (str_is(name, names[i]))
            return true;
    }
    return false;
}

/* A host may tell neither status nor body, but only what it shows to people. */
static enum failure_class class_of_words(const char *text)
{
    static const struct {
        const char *words;
        enum failure_class class;
    } table[] = {
        { "quota", MODEL_QUOTA },
        { "usage limit", MODEL_QUOTA },
        { "rate limit", MODEL_RATE_LIMIT },
        { "rate_limit", MODEL_RATE_LIMIT },
        { "too many requests", MODEL_RATE_LIMIT },
        { "overloaded", MODEL_OVERLOADED },
    };

    for (size_t i = 0; text && i < ARRAY_LEN(table); i++)
        if (strcasestr(text, table[i].words))
            return table[i].class;
    return MODEL_OTHER;
}

/* Errors that have a name of their own; others are told by status and body, then by words. */
static enum failure_class class_of(struct arena *a, const struct json *error)
{
    static const struct {
        const char *name;
        enum failure_class class;
    } names[] = {
        { "MessageAbortedError", MODEL_ABORTED },
        { "ContextOverflowError", MODEL_CONTEXT_OVERFLOW },
        { "ProviderAuthError", MODEL_AUTH },
    };
    struct str name = json_str(a, json_get(error, STR("name")));
    struct str body = json_str(a, json_get(error, STR("body")));
    const char *message = json_cstr(a, json_get(error, STR("message")));
    struct model_failure f = { 0 };
    int64_t status;

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_is(name, names[i].name))
            return names[i].class;
    if (json_to_int64(json_get(error, STR("status")), &status) < 0 || status < 0 || status > 999)
        status = 0;
    failure_of_answer(a, (int)status, body.len ? body : str_of(message ? message : ""), &f);
    return f.class == MODEL_OTHER && !status ? class_of_words(message) : f.class;
}

/* What can be done about an error depends on its class alone. */
static const struct json *classified(struct arena *a, const struct json *error)
{
    const char *class;

    if (json_type(error) != JSON_OBJECT || json_get(error, STR("class")))
        return error;
    class = failure_class_name(class_of(a, error));
    error = json_with(a, error, STR("class"), json_cstring(a, class));
    return json_with(a, error, STR("body"), NULL);
}

static void classify(struct arena *a, struct event *ev)
{
    const struct json *error = event_data(ev, STR("error")),
                      *status = event_data(ev, STR("status"));
    const struct json *waits = json_get(status, STR("error"));

    if (error)
        ev->data = json_with(a, ev->data, STR("error"), classified(a, error));
    if (!waits)
        return;
    status = json_with(a, status, STR("error"), classified(a, waits));
    ev->data = json_with(a, ev->data, STR("status"), status);
}

void foreign_in(struct arena *a, enum tools_system system, struct event *ev)
{
    const struct json *tool = event_data(ev, STR("tool")), *args = event_data(ev, STR("args"));
    struct str name = json_str(a, tool);
    struct json *native;

    classify(a, ev);
    if (!name.len)
        return;
    native = json_object(a);
    json_add(a, native, STR("tool"), tool);
    json_add(a, native, STR("args"), args);
    json_add(a, native, STR("output"), event_data(ev, STR("output")));
    name = tools_name(system, TOOLS_OURS, name);
    ev->data = json_with(a, ev->data, STR("tool"), json_string(a, name));
    if (args)
        ev->data = json_with(a, ev->data, STR("args"), tools_to_ours(a, system, name, args, NULL));
    ev->data = json_with(a, ev->data, STR("native"), native);
}

const struct json *foreign_out(struct arena *a, enum tools_system system, const struct event *ev,
                               const struct json *verdict)
{
    const struct json *replace = json_get(verdict, STR("replace"));
    const struct json *args = json_get(replace, STR("args"));

    if (!args)
        return verdict;
    args = tools_to_theirs(a, system, event_tool(a, ev), args);
    replace = json_with(a, replace, STR("args"), args);
    return json_with(a, verdict, STR("replace"), replace);
}
