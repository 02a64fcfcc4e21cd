#include "agent/services.h"

#include "base/suggest.h"

#include <errno.h>

#define PROMPT_MAX ((size_t)64 << 10)

typedef int method_fn(struct agent *ag, const struct service_call *c, const struct json **result,
                      struct err *e);

/* Parameters ----------------------------------------------------------------------------------- */

const struct json *service_param(const struct service_call *c, struct str name)
{
    const struct json *j = json_get(c->params, name);

    return json_type(j) == JSON_NULL ? NULL : j;
}

const char *service_text(const struct service_call *c, struct str name)
{
    return json_cstr(c->arena, service_param(c, name));
}

static const struct service_field *field_of(const struct service_field *fields, struct str name)
{
    while (fields->name && !str_is(name, fields->name))
        fields++;
    return fields->name ? fields : NULL;
}

static int unknown_field(const struct service_call *c, const struct service_field *fields,
                         struct str name, struct err *e)
{
    const char *known[16], *wrong = arena_cstr(c->arena, name);
    size_t count = 0;

    for (; fields->name && count < ARRAY_LEN(known); fields++)
        known[count++] = fields->name;
    return err_set(e, -EINVAL, "unknown parameter '%.80s' of %s%s", wrong, c->method,
                   suggest(c->arena, str_nearest(wrong, known, count), ""));
}

int service_check(const struct service_call *c, const struct service_field *fields, struct err *e)
{
    for (const struct json *p = json_first(c->params); p; p = json_next(p)) {
        struct str name = json_key(c->arena, p);
        const struct service_field *f = field_of(fields, name);

        if (!f)
            return unknown_field(c, fields, name, e);
        if (json_type(p) != f->type && json_type(p) != JSON_NULL)
            return err_set(e, -EINVAL, "'%s' of %s must be %s, not %s", f->name, c->method,
                           json_type_name(f->type), json_type_name(json_type(p)));
    }
    for (const struct service_field *f = fields; f->name; f++)
        if (f->required && !service_param(c, str_of(f->name)))
            return err_set(e, -EINVAL, "%s needs '%s'", c->method, f->name);
    return 0;
}

/* The session that is meant: the event's own unless another is named, which must be its kin. */
static int find_session(struct agent *ag, const struct service_call *c, const char **id,
                        struct err *e)
{
    const char *named = service_text(c, STR("session"));

    *id = named ? named : c->session->id;
    if (named && !status_is_kin(agent_statuses(ag), c->session, named))
        return err_set(e, -ESRCH,
                       "'session' of %s: '%.80s' is neither the event's session nor its parent nor "
                       "a child of it that runs",
                       c->method, named);
    return 0;
}

/* Sessions ------------------------------------------------------------------------------------- */

static int session_status_method(struct agent *ag, const struct service_call *c,
                                 const struct json **result, struct err *e)
{
    static const struct service_field fields[] = { { "session", JSON_STRING, false }, { 0 } };
    const char *id;
    int r = service_check(c, fields, e);

    if (r == 0)
        r = find_session(ag, c, &id, e);
    if (r == 0)
        *result = status_json(agent_statuses(ag), c->arena, id);
    return r;
}

static int session_messages_method(struct agent *ag, const struct service_call *c,
                                   const struct json **result, struct err *e)
{
    static const struct service_field fields[] = { { "session", JSON_STRING, false },
                                                   { "limit", JSON_NUMBER, false },
                                                   { 0 } };
    const struct json *limit, *messages = NULL;
    const char *id;
    int64_t most = INT64_MAX;
    int r = service_check(c, fields, e);

    if (r < 0)
        return r;
    limit = service_param(c, STR("limit"));
    if (limit && (json_to_int64(limit, &most) < 0 || most < 1))
        return err_set(e, -EINVAL, "'limit' of %s must be a whole number above 0", c->method);
    r = find_session(ag, c, &id, e);
    if (r == 0)
        r = status_messages(agent_statuses(ag), c->arena, id, (size_t)most, &messages, e);
    if (r == 0)
        *result = json_with(c->arena, NULL, STR("messages"), messages);
    return r;
}

static int session_abort_method(struct agent *ag, const struct service_call *c,
                                const struct json **result, struct err *e)
{
    static const struct service_field fields[] = { { "reason", JSON_STRING, true },
                                                   { "session", JSON_STRING, false },
                                                   { 0 } };
    const char *id, *reason;
    bool first;
    int r = service_check(c, fields, e);

    if (r < 0)
        return r;
    reason = service_text(c, STR("reason"));
    if (!str_trim(str_of(reason)).len)
        return err_set(e, -EINVAL, "'reason' of %s must not be empty", c->method);
    r = find_session(ag, c, &id, e);
    if (r == 0)
        r = status_abort(agent_statuses(ag), id, reason, &first, e);
    if (r == 0)
        *result = json_with(c->arena, NULL, STR("aborted"), json_bool(c->arena, first));
    return r;
}

static int session_prompt_method(struct agent *ag, const struct service_call *c,
                                 const struct json **result, struct err *e)
{
    static const struct service_field fields[] = { { "text", JSON_STRING, true },
                                                   { "session", JSON_STRING, false },
                                                   { 0 } };
    const char *id, *text;
    int r = service_check(c, fields, e);

    if (r < 0)
        return r;
    text = service_text(c, STR("text"));
    if (!str_trim(str_of(text)).len || strlen(text) > PROMPT_MAX)
        return err_set(e, -EINVAL, "'text' of %s must have 1 to %zu bytes", c->method, PROMPT_MAX);
    r = find_session(ag, c, &id, e);
    if (r == 0)
        r = status_prompt(agent_statuses(ag), id, text, e);
    if (r < 0)
        return r;
    log_info(agent_options(ag)->log, "hook '%s' has a prompt for session '%s'", c->hook, id);
    *result = json_object(c->arena);
    return 0;
}

/* Methods -------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    method_fn *run;
} methods[] = {
    { "llm.complete", service_complete },        { "recipe.run", service_recipe },
    { "session.status", session_status_method }, { "session.messages", session_messages_method },
    { "session.abort", session_abort_method },   { "session.prompt", session_prompt_method },
};

static int unknown_method(const struct service_call *c, struct err *e)
{
    const char *names[ARRAY_LEN(methods)];

    for (size_t i = 0; i < ARRAY_LEN(methods); i++)
        names[i] = methods[i].name;
    return err_set(e, -ENOSYS, "unknown method '%.80s'%s", c->method,
                   suggest(c->arena, str_nearest(c->method, names, ARRAY_LEN(names)), ""));
}

int agent_serve(void *context, const struct service_call *c, const struct json **result,
                struct err *e)
{
    if (c->params && json_type(c->params) != JSON_OBJECT)
        return err_set(e, -EINVAL, "the parameters of %s must be an object, not %s", c->method,
                       json_type_name(json_type(c->params)));
    for (size_t i = 0; i < ARRAY_LEN(methods); i++)
        if (strcmp(c->method, methods[i].name) == 0)
            return methods[i].run(context, c, result, e);
    return unknown_method(c, e);
}
