/* What hosts may ask for: docs/serve.md. */
#include "base/clock.h"
#include "base/vars.h"
#include "hook/registry.h"
#include "runner/rpc.h"
#include "serve/alarm.h"
#include "serve/foreign.h"
#include "serve/host.h"
#include "serve/record.h"

#include <errno.h>

#define SAY_HELLO "say hello first: {\"method\":\"hello\",\"params\":{\"version\":1}}"

/* A request in hand. On failure a method returns a code of JSON-RPC and fills `e`. */
struct asking {
    struct host *host;
    struct arena *arena;
    const struct json *params, *result;
};
typedef int method_fn(struct asking *q, struct err *e);

static int bad_params(struct err *e, const char *why)
{
    err_set(e, -EINVAL, "%s", why);
    return RPC_BAD_PARAMS;
}

/* hello ---------------------------------------------------------------------------------------- */

/* {"NAME":"value"} as `environ` has it. */
static int read_vars(struct arena *a, const struct json *env, char *const **out, struct err *e)
{
    char **vars = arena_array(a, char *, json_count(env) + 1);
    size_t count = 0;

    if (json_type(env) != JSON_OBJECT)
        return bad_params(e, "'env' must be an object of texts");
    for (const struct json *v = json_first(env); v; v = json_next(v)) {
        struct str name = json_key(a, v);
        const char *value = json_cstr(a, v);

        if (!value || !name.len || memchr(name.ptr, '=', name.len))
            return bad_params(e, "'env' must be an object of texts");
        vars[count++] = arena_printf(a, "%.*s=%s", STR_ARG(name), value);
    }
    *out = vars;
    return 0;
}

static int say_hello(struct asking *q, struct err *e)
{
    struct host *h = q->host;
    const struct json *env = json_get(q->params, STR("env"));
    struct json *result;
    enum tools_system unused;
    int64_t version;

    if (h->greeted)
        return bad_params(e, "hello was said already");
    if (json_to_int64(json_get(q->params, STR("version")), &version) < 0 ||
        version != HOST_PROTOCOL)
        return bad_params(e, "this daemon speaks version 1 of the protocol");
    h->cwd = json_cstr(&h->arena, json_get(q->params, STR("cwd")));
    h->dialect = json_cstr(&h->arena, json_get(q->params, STR("dialect")));
    if (h->dialect && !foreign_find(str_of(h->dialect), &unused))
        return bad_params(e, "there is no such dialect");
    if (env) {
        int r = read_vars(&h->arena, env, &h->vars, e);

        if (r < 0)
            return r;
    }
    h->greeted = true;
    result = json_object(q->arena);
    json_add(q->arena, result, STR("version"), json_int(q->arena, HOST_PROTOCOL));
    json_add(q->arena, result, STR("hooke"), json_cstring(q->arena, HOOKE_VERSION));
    json_add(q->arena, result, STR("pid"), json_int(q->arena, getpid()));
    q->result = result;
    return 0;
}

/* emit ----------------------------------------------------------------------------------------- */

static const char *text_of(struct asking *q, const char *name, const char *otherwise)
{
    const char *text = json_cstr(q->arena, json_get(q->params, str_of(name)));

    return text ? text : otherwise;
}

/* Whether a hook that must not be passed over is at this point. */
static bool is_guarded(const struct receipt *r)
{
    size_t count = 0;
    const struct hook *const *hooks =
        r->registry ? registry_at(r->registry, r->event->point, &count) : NULL;

    return registry_critical(hooks, count) != NULL;
}

static const struct json *result_of(struct asking *q, const struct receipt *r,
                                    const struct json *verdict)
{
    struct json *result = json_object(q->arena), *warnings = json_array(q->arena);

    json_add(q->arena, result, STR("verdict"), verdict);
    json_add(q->arena, result, STR("receipt"), json_cstring(q->arena, r->id));
    json_add(q->arena, result, STR("outcome"), json_cstring(q->arena, receipt_outcome(r)));
    if (is_guarded(r))
        json_add(q->arena, result, STR("critical"), json_bool(q->arena, true));
    for (size_t i = 0; i < r->warning_count; i++)
        json_push(q->arena, warnings, json_cstring(q->arena, r->warnings[i]));
    if (r->warning_count)
        json_add(q->arena, result, STR("warnings"), warnings);
    return result;
}

/*
 * Loops end: a host is told to go on only as often as `limits.continuations` allows. And it says to
 * the person what does not work.
 */
static void settle(void *context, struct arena *a, struct receipt *r)
{
    struct record *record = context;
    struct verdict *v = &r->verdict;
    const char *why = NULL, *first = json_cstr(a, json_first(v->follow_ups));

    v->say = alarm_line(a, alarm_failures(record->engine, r, v->say, a), alarm_configuration(a, r));
    if (r->event->point != POINT_AGENT_STOP || !first || v->stop ||
        record_continue(record, v->reason, first, a, &why))
        return;
    v->follow_ups = NULL;
    v->say = arena_printf(a, "%s%shooke lets the agent stop: %s", v->say ? v->say : "",
                          v->say ? "\n" : "", why);
    receipt_warn(a, r, why);
}

static int emit_in(struct asking *q, struct tenant *t, struct event *ev, struct err *e)
{
    CLEANUP(receipt) struct receipt r = { 0 };
    const char *dialect = text_of(q, "dialect", q->host->dialect);
    struct engine *en = tenant_runtime(t)->engine;
    /* a host says itself which turn it is, and tells when somebody speaks */
    struct record record = { .engine = en, .tells_turns = true, .going_on = true };
    const struct event_settle last = { settle, &record };
    struct event settled;
    const struct json *verdict;
    const char *refusal = tenant_refusal(t, q->arena);
    enum tools_system system;

    if (dialect && !foreign_find(str_of(dialect), &system))
        return bad_params(e, "there is no such dialect");
    if (dialect)
        foreign_in(q->arena, system, ev);
    ev->via = dialect;
    ev->abort_fd = q->host->gone.fd;
    record_count(&record, ev, q->arena);
    settled = *ev;
    settled.settle = &last;
    if (engine_emit(en, &settled, q->arena, &r, e) < 0)
        return RPC_BAD_PARAMS;
    if (refusal)
        receipt_warn(q->arena, &r, refusal);
    verdict = verdict_to_json(q->arena, &r.verdict);
    if (dialect)
        verdict = foreign_out(q->arena, system, ev, verdict);
    q->result = json_copy(q->arena, result_of(q, &r, verdict));
    return 0;
}

/* With the configuration and the variables of the event. */
static int emit_for(struct asking *q, const struct tenant_key *key, struct event *ev, struct err *e)
{
    struct tenants *all = &q->host->server->tenants;
    struct tenant *t;
    int r;

    if (tenants_take(all, key, &t, e) < 0)
        return RPC_INTERNAL;
    vars_use(key->vars);
    r = emit_in(q, t, ev, e);
    vars_use(NULL);
    tenants_give(all, t);
    return r;
}

static int emit(struct asking *q, struct err *e)
{
    struct server *s = q->host->server;
    struct tenant_key key = { .vars = q->host->vars };
    struct event ev;
    int r;

    if (event_from_json(q->arena, q->params, &ev, e) < 0)
        return RPC_BAD_PARAMS;
    if (!ev.session.cwd)
        ev.session.cwd = text_of(q, "cwd", q->host->cwd);
    if (!ev.session.cwd || ev.session.cwd[0] != '/')
        return bad_params(e, "an event needs the folder of its session: cwd, from /");
    key.cwd = ev.session.cwd;
    key.answering = text_of(q, "answering", NULL);
    if (!server_enter(s, key.cwd)) {
        err_errno(e, "entering '%s'", key.cwd);
        return RPC_BAD_PARAMS;
    }
    r = emit_for(q, &key, &ev, e);
    (void)!server_enter(s, NULL);
    return r;
}

/* The daemon itself ---------------------------------------------------------------------------- */

static int ping(struct asking *q, struct err *e UNUSED)
{
    q->result = json_object(q->arena);
    return 0;
}

static size_t count_clients(struct server *s)
{
    size_t count = 0;

    pthread_mutex_lock(&s->lock);
    for (const struct client *c = s->clients; c; c = c->next)
        count++;
    pthread_mutex_unlock(&s->lock);
    return count;
}

static size_t count_tenants(struct tenants *all)
{
    size_t count;

    pthread_mutex_lock(&all->lock);
    count = all->count;
    pthread_mutex_unlock(&all->lock);
    return count;
}

static int status(struct asking *q, struct err *e UNUSED)
{
    struct server *s = q->host->server;
    struct json *result = json_object(q->arena);
    const struct {
        struct str name;
        uint64_t value;
    } numbers[] = {
        { STR("pid"), (uint64_t)getpid() },
        { STR("up_ms"), (clock_mono_ns() - s->began_ns) / 1000000 },
        { STR("served"), atomic_load(&s->served) },
        { STR("connections"), count_clients(s) - 1 }, /* without who asks */
        { STR("runtimes"), count_tenants(&s->tenants) },
    };

    json_add(q->arena, result, STR("hooke"), json_cstring(q->arena, HOOKE_VERSION));
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        json_add(q->arena, result, numbers[i].name, json_int(q->arena, (int64_t)numbers[i].value));
    q->result = result;
    return 0;
}

static int stop(struct asking *q, struct err *e UNUSED)
{
    server_stop(q->host->server);
    return ping(q, NULL);
}

/* Messages ------------------------------------------------------------------------------------- */

static method_fn *find_method(const char *name)
{
    static const struct {
        const char *name;
        method_fn *run;
    } methods[] = {
        { "hello", say_hello }, { "emit", emit }, { "ping", ping },
        { "status", status },   { "stop", stop },
    };

    for (size_t i = 0; i < ARRAY_LEN(methods); i++)
        if (strcmp(methods[i].name, name) == 0)
            return methods[i].run;
    return NULL;
}

static int call(struct asking *q, const struct rpc_message *m, struct err *e)
{
    method_fn *run = find_method(m->method);

    if (!q->host->greeted && run != say_hello) {
        err_set(e, -EPROTO, SAY_HELLO);
        return RPC_BAD_REQUEST;
    }
    if (!run) {
        err_set(e, -ENOSYS, "there is no method '%s'", m->method);
        return RPC_NO_METHOD;
    }
    atomic_fetch_add(&q->host->server->served, run == emit);
    return run(q, e);
}

void host_handle(struct host *h, struct arena *a, struct str line, struct strbuf *out)
{
    struct asking q = { .host = h, .arena = a };
    struct rpc_message m;
    struct err e = { 0 };
    int code;

    if (str_trim(line).len == 0)
        return;
    rpc_read(a, line, &m);
    if (m.kind == RPC_JUNK) {
        rpc_refuse(out, m.id, RPC_BAD_REQUEST, m.why);
        return;
    }
    if (m.kind != RPC_REQUEST && m.kind != RPC_NOTIFICATION)
        return; /* an answer: nothing was asked */
    q.params = m.params;
    code = call(&q, &m, &e);
    if (m.kind == RPC_NOTIFICATION)
        return;
    if (code < 0)
        rpc_refuse(out, m.id, (enum rpc_code)code, e.msg);
    else
        rpc_answer(out, m.id, q.result);
    if (out->truncated) {
        strbuf_reset(out);
        out->truncated = false;
        rpc_refuse(out, m.id, RPC_INTERNAL, "the answer is too long");
    }
}
