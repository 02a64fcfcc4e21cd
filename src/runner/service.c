#include "runner/service.h"

#include "hook/state.h"

#include <errno.h>

#define LOG_MAX 2000

/* One request while it is served. */
struct request {
    const struct service *service;
    struct arena *arena;
    const struct json *params;
    struct store_key key;
    const struct json *result;
    enum rpc_code code;
    struct err err;
};

typedef int method_fn(struct request *r);

static int refuse(struct request *r, enum rpc_code code, const char *text)
{
    r->code = code;
    return err_set(&r->err, -EINVAL, "%s", text);
}

static struct store *store_of(const struct request *r)
{
    return engine_store(r->service->engine);
}

static void answer_text(struct request *r, struct json *result, struct str value)
{
    json_add(r->arena, result, STR("value"),
             str_is_set(value) ? json_string(r->arena, value) : json_null(r->arena));
    r->result = result;
}

/* A text, or null for none. False: it is something else. */
static bool read_text(struct request *r, const struct json *j, struct str *text)
{
    *text = json_str(r->arena, j);
    return str_is_set(*text) || json_type(j) == JSON_NULL;
}

/* State ---------------------------------------------------------------------------------------- */

static int find_key(struct request *r)
{
    struct str key = json_str(r->arena, json_get(r->params, STR("key")));
    const char *fault = state_key_fault(key);

    if (!r->service->session)
        return refuse(r, RPC_NO_EVENT, r->service->why);
    if (fault)
        return refuse(r, RPC_BAD_PARAMS, arena_printf(r->arena, "'key' %s", fault));
    r->key =
        (struct store_key){ r->service->session->id, r->service->hook, arena_cstr(r->arena, key) };
    return 0;
}

static int state_get_method(struct request *r)
{
    struct str value = { 0 };
    int e = find_key(r);

    if (e == 0)
        e = store_get(store_of(r), &r->key, r->arena, &value, &r->err);
    if (e == 0)
        answer_text(r, json_object(r->arena), value);
    return e;
}

static int state_set_method(struct request *r)
{
    struct str value;
    int e = find_key(r);

    if (e < 0)
        return e;
    if (!read_text(r, json_get(r->params, STR("value")), &value))
        return refuse(r, RPC_BAD_PARAMS, "'value' must be a text, or null to remove the key");
    r->result = json_object(r->arena);
    return store_set(store_of(r), &r->key, value, &r->err);
}

struct swap {
    struct str from, to, now;
    bool changed;
    struct arena *arena;
};

static int decide_swap(void *context, struct arena *a UNUSED, struct str before, struct str *after,
                       struct err *e UNUSED)
{
    struct swap *s = context;

    s->changed = str_is_set(before) == str_is_set(s->from) && str_eq(before, s->from);
    if (s->changed)
        *after = s->to;
    s->now = s->changed ? s->to : before;
    if (str_is_set(s->now))
        s->now.ptr = arena_cstr(s->arena, s->now);
    return 0;
}

static int swap_value(struct request *r)
{
    struct json *result = json_object(r->arena);
    struct swap s = { .arena = r->arena };
    int e;

    if (!read_text(r, json_get(r->params, STR("from")), &s.from) ||
        !read_text(r, json_get(r->params, STR("to")), &s.to))
        return refuse(r, RPC_BAD_PARAMS,
                      "give 'by', a whole number, or 'from' and 'to', each a text or null");
    e = store_update(store_of(r), &r->key, decide_swap, &s, &r->err);
    json_add(r->arena, result, STR("changed"), json_bool(r->arena, s.changed));
    answer_text(r, result, s.now);
    return e;
}

static int state_update_method(struct request *r)
{
    const struct json *by = json_get(r->params, STR("by"));
    struct json *result;
    int64_t step, now;
    int e = find_key(r);

    if (e < 0)
        return e;
    if (!by)
        return swap_value(r);
    if (json_to_int64(by, &step) < 0)
        return refuse(r, RPC_BAD_PARAMS, "'by' must be a whole number");
    e = store_incr(store_of(r), &r->key, step, &now, &r->err);
    if (e < 0)
        return e;
    result = json_object(r->arena);
    json_add(r->arena, result, STR("value"), json_int(r->arena, now));
    r->result = result;
    return 0;
}

/* Log ------------------------------------------------------------------------------------------ */

static int log_method(struct request *r)
{
    const struct service *s = r->service;
    struct log *log = s->engine ? engine_log(s->engine) : NULL;
    struct str level = json_str(r->arena, json_get(r->params, STR("level")));
    struct str text = json_str(r->arena, json_get(r->params, STR("message")));

    if (!str_is_set(text))
        return refuse(r, RPC_BAD_PARAMS, "'message' must be a text");
    r->result = json_object(r->arena);
    if (++*s->logged > SERVICE_LOG_MAX)
        return 0;
    text = str_trim(text);
    if (text.len > LOG_MAX)
        text.len = LOG_MAX;
    if (*s->logged == SERVICE_LOG_MAX)
        log_warn(log, "hook '%s' logs too much, what follows is dropped", s->hook);
    else if (str_is(level, "debug"))
        log_debug(log, "hook '%s': %.*s", s->hook, STR_ARG(text));
    else if (str_is(level, "info"))
        log_info(log, "hook '%s': %.*s", s->hook, STR_ARG(text));
    else
        log_warn(log, "hook '%s': %.*s", s->hook, STR_ARG(text));
    return 0;
}

/* Methods -------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    method_fn *run;
} methods[] = {
    { "state.get", state_get_method },
    { "state.set", state_set_method },
    { "state.update", state_update_method },
    { "log", log_method },
};

static bool starts_with(const char *method, const char *family)
{
    return strncmp(method, family, strlen(family)) == 0;
}

bool service_is_slow(const char *method)
{
    return starts_with(method, "llm.") || starts_with(method, "recipe.");
}

bool service_is_of_agent(const char *method)
{
    return service_is_slow(method) || starts_with(method, "session.");
}

static enum rpc_code code_of(int r)
{
    return r == -ENOSYS ? RPC_NO_METHOD : r == -EINVAL ? RPC_BAD_PARAMS : RPC_INTERNAL;
}

static int ask_agent(struct request *r, const char *method)
{
    const struct service *s = r->service;
    struct service_call c = {
        .arena = r->arena,
        .hook = s->hook,
        .method = method,
        .params = r->params,
        .session = s->session,
        .receipt_id = s->receipt_id,
        .deadline_ns = s->deadline_ns,
        .abort_fd = s->abort_fd,
        .callback = s->callback,
        .used = s->used,
    };
    int e;

    if (!s->session || !s->engine)
        return refuse(r, RPC_NO_EVENT, s->why ? s->why : "no event is being handled");
    e = engine_serve(s->engine, &c, &r->result, &r->err);
    r->code = code_of(e);
    return e;
}

static int call(struct request *r, const char *method)
{
    for (size_t i = 0; i < ARRAY_LEN(methods); i++)
        if (strcmp(method, methods[i].name) == 0)
            return methods[i].run(r);
    if (service_is_of_agent(method))
        return ask_agent(r, method);
    return refuse(r, RPC_NO_METHOD,
                  arena_printf(r->arena,
                               "unknown method '%s': there are state.get, state.set, "
                               "state.update, log, and what an agent offers",
                               method));
}

void service_answer(const struct service *s, struct arena *a, const struct rpc_message *m,
                    struct strbuf *out)
{
    struct request r = { .service = s, .arena = a, .params = m->params, .code = RPC_INTERNAL };
    int e = call(&r, m->method);

    if (m->kind != RPC_REQUEST)
        return;
    if (e < 0)
        rpc_refuse(out, m->id, r.code, r.err.msg);
    else
        rpc_answer(out, m->id, r.result);
}
