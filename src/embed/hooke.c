/*
 * The public library: include/hooke/hooke.h over the engine. Everything here translates.
 */
#include "hooke/hooke.h"

#include "base/mem.h"
#include "base/suggest.h"
#include "embed/runtime.h"
#include "hook/gate.h"
#include "hook/registry.h"

#include <errno.h>
#include <stdio.h>

/* One registered function; lives as long as the handle. */
struct callback {
    struct callback *next;
    hooke_hook_fn *run;
    void *context;
};

struct hooke {
    struct runtime rt;
    struct log log;
    struct hooke_options options;
    char *cwd;
    pthread_mutex_t lock; /* guards the list of callbacks */
    struct callback *callbacks;
};

struct hooke_answer {
    struct arena *arena;
    char *verdict;
};

static const char no_handle[] = "there is no handle: hooke_open() failed or was not called";

static int fail(struct hooke_error *error, int code, const char *message)
{
    if (error)
        snprintf(error->message, sizeof(error->message), "%s", message);
    return code;
}

static void pass_log(void *context, enum log_level level UNUSED, const char *line)
{
    const struct hooke *h = context;

    if (h->options.log)
        h->options.log(h->options.log_context, line);
}

const char *hooke_version(void)
{
    return HOOKE_VERSION;
}

struct hooke *hooke_open(const struct hooke_options *options, struct hooke_error *error)
{
    static const struct hooke_options usual = { 0 };
    struct hooke *h = xcalloc(1, sizeof(*h));
    struct runtime_options o = {
        .log = &h->log,
        .no_config = true,
    };
    struct err e = { 0 };

    if (!options)
        options = &usual;
    o.store = options->store;
    o.receipts = options->receipts;
    o.only_used = !options->all_builtins;
    h->options = *options;
    h->cwd = options->cwd ? xstrdup(options->cwd) : NULL;
    pthread_mutex_init(&h->lock, NULL);
    log_init(&h->log, LOG_WARN, pass_log, h);
    if (runtime_open(&h->rt, &o, &e) == 0)
        return h;
    fail(error, e.code, e.msg);
    hooke_close(h);
    return NULL;
}

void hooke_close(struct hooke *h)
{
    struct callback *next;

    if (!h)
        return;
    runtime_close(&h->rt);
    for (struct callback *cb = h->callbacks; cb; cb = next) {
        next = cb->next;
        free(cb);
    }
    log_release(&h->log);
    pthread_mutex_destroy(&h->lock);
    free(h->cwd);
    free(h);
}

int hooke_load(struct hooke *h, const char *path, struct hooke_error *error)
{
    struct runtime_options o = { .config = path };
    struct err e = { 0 };
    int r;

    if (!h)
        return fail(error, -EINVAL, no_handle);
    if (path && access(path, R_OK) < 0) {
        r = err_errno(&e, "reading '%s'", path);
        return fail(error, r, e.msg);
    }
    o.log = &h->log;
    o.cwd = h->cwd;
    r = runtime_configure(&h->rt, &o, &e);
    return r < 0 ? fail(error, r, e.msg) : 0;
}

int hooke_use(struct hooke *h, const char *builtin, struct hooke_error *error)
{
    struct err e = { 0 };
    int r;

    if (!h || !builtin)
        return fail(error, -EINVAL, !h ? no_handle : "which built-in hook?");
    r = engine_use(h->rt.engine, builtin, &e);
    return r < 0 ? fail(error, r, e.msg) : 0;
}

/* Hooks ---------------------------------------------------------------------------------------- */

void hooke_answer_json(struct hooke_answer *answer, const char *verdict)
{
    if (!answer)
        return;
    answer->verdict = arena_strdup(answer->arena, verdict);
}

static int read_answer(const struct hook_call *c, const char *text, struct verdict *v,
                       struct err *e)
{
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    const struct json *j;
    int r = json_parse(c->arena, str_of(text), NULL, &j, e);

    if (r == 0)
        r = verdict_from_json(c->arena, j, v, &warnings, e);
    if (r < 0)
        return err_wrap(e, r, "gave a bad answer");
    if (warnings.len)
        c->io->warnings = arena_cstr(c->arena, strbuf_str(&warnings));
    return 0;
}

static int run_callback(const struct hook_call *c, struct verdict *v, struct err *e)
{
    const struct callback *cb = c->context;
    struct hooke_answer answer = { .arena = c->arena };
    struct hooke_error error = { "" };

    if (cb->run(cb->context, json_text(c->arena, event_to_json(c->arena, c->event)), &answer,
                &error) != 0)
        return err_set(e, -EIO, "failed: %s", error.message[0] ? error.message : "no reason given");
    return answer.verdict ? read_answer(c, answer.verdict, v, e) : 0;
}

static int resolve(const char *name, struct subscription *on, struct hooke_error *error)
{
    CLEANUP(arena) struct arena a = { 0 };
    const char *near = name ? point_nearest(name) : NULL;

    if (name && point_resolve(str_of(name), on))
        return 0;
    return fail(error, -EINVAL,
                arena_printf(&a, "unknown point '%s'%s", name ? name : "", suggest(&a, near, "")));
}

static int check_hook(const struct hooke *h, const struct hooke_hook *hook, struct subscription *on,
                      struct hooke_error *error)
{
    if (!h)
        return fail(error, -EINVAL, no_handle);
    if (!hook || !hook->name || !hook->name[0] || !hook->run)
        return fail(error, -EINVAL, "a hook needs a name and a function");
    if ((unsigned)hook->layer > HOOKE_OBSERVE)
        return fail(error, -EINVAL, "there is no such layer");
    return resolve(hook->point, on, error);
}

int hooke_register(struct hooke *h, const struct hooke_hook *hook, struct hooke_error *error)
{
    struct engine_callback registered = { .run = run_callback };
    struct callback *cb;
    struct subscription on;
    struct err e = { 0 };
    int r = check_hook(h, hook, &on, error);

    if (r < 0)
        return r;
    registered.name = hook->name;
    registered.layer = (enum layer)hook->layer;
    registered.priority = hook->priority;
    registered.safety_critical = hook->safety_critical != 0;
    cb = xcalloc(1, sizeof(*cb));
    cb->run = hook->run;
    cb->context = hook->context;
    registered.on = on;
    registered.context = cb;
    r = engine_register(h->rt.engine, &registered, &e);
    if (r < 0) {
        free(cb);
        return fail(error, r, e.msg);
    }
    pthread_mutex_lock(&h->lock);
    cb->next = h->callbacks;
    h->callbacks = cb;
    pthread_mutex_unlock(&h->lock);
    return 0;
}

/* Events --------------------------------------------------------------------------------------- */

static void fill_result(struct arena *a, const struct receipt *receipt, struct hooke_result *result)
{
    CLEANUP(strbuf) struct strbuf line = { 0 };

    receipt_write(&line, receipt);
    *result = (struct hooke_result){
        .decision = (enum hooke_decision)receipt->verdict.decision,
        .stop = receipt->verdict.stop != NULL,
        .verdict = xstrdup(json_text(a, verdict_to_json(a, &receipt->verdict))),
        .data = xstrdup(receipt->data ? json_text(a, receipt->data) : "{}"),
        .receipt = xstrdup(strbuf_cstr(&line)),
    };
}

/* The event of ours that theirs stands for. */
static int read_event(struct arena *a, const struct hooke_event *event, struct event *ev,
                      struct hooke_error *error)
{
    struct subscription on;
    struct err e = { 0 };
    int r = resolve(event->point, &on, error);

    if (r < 0)
        return r;
    *ev = (struct event){
        .turn = event->turn,
        .abort_fd = event->abort_fd,
        .session = { .id = event->session,
                     .parent = event->parent,
                     .agent = event->agent,
                     .recipe = event->recipe,
                     .cwd = event->cwd },
    };
    if (event->data)
        r = json_parse(a, str_of(event->data), NULL, &ev->data, &e);
    if (r == 0 && event->usage)
        r = json_parse(a, str_of(event->usage), NULL, &ev->session.usage, &e);
    if (r < 0)
        return fail(error, r, e.msg);
    if (!event_fit(a, ev, &on, "unknown"))
        return fail(error, -EINVAL, "the event is of a main session by name, but has a parent");
    return 0;
}

int hooke_emit(struct hooke *h, const struct hooke_event *event, struct hooke_result *result,
               struct hooke_error *error)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(receipt) struct receipt receipt = { 0 };
    struct err e = { 0 };
    struct event ev;
    int r;

    if (!h || !event || !result)
        return fail(error, -EINVAL, !h ? no_handle : "emitting needs an event and a result");
    r = read_event(&a, event, &ev, error);
    if (r < 0)
        return r;
    r = engine_emit(h->rt.engine, &ev, &a, &receipt, &e);
    if (r < 0)
        return fail(error, r, e.msg);
    fill_result(&a, &receipt, result);
    return 0;
}

void hooke_result_release(struct hooke_result *result)
{
    if (!result)
        return;
    free(result->verdict);
    free(result->data);
    free(result->receipt);
    *result = (struct hooke_result){ 0 };
}

int hooke_cadence(struct hooke *h, const char *hook, const char *point, struct hooke_error *error)
{
    struct subscription on;
    struct registry *reg;
    const struct hook *found;
    int r;

    if (!h || !hook)
        return fail(error, -EINVAL, !h ? no_handle : "which hook?");
    r = resolve(point, &on, error);
    if (r < 0)
        return r;
    reg = engine_look(h->rt.engine);
    found = registry_find(reg, hook);
    r = found ? (int)gate_configured(reg, found, on.point) : fail(error, -ENOENT, "no such hook");
    registry_unref(reg);
    return r;
}
