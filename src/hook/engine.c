#include "hook/engine.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/suggest.h"
#include "hook/background.h"
#include "hook/capture.h"
#include "hook/collector.h"
#include "hook/dispatch.h"
#include "hook/slots.h"

#include <errno.h>
#include <pthread.h>

#define EVENT_TIMEOUT_MS 600000u

struct engine {
    struct engine_options options;
    struct receipt_log *receipts;
    struct capture *capture; /* NULL: no event is ever saved */
    struct ulid_source ids;
    struct slots slots;
    struct background background;
    pthread_mutex_t lock; /* guards the members below */
    struct registry *registry;
    struct arena arena; /* of names that callbacks and used built-ins need */
    const char **used;
    size_t used_count;
    struct hook *callbacks;
    size_t callback_count;
    uint64_t generation; /* counts the changes of the two lists above */
    struct services services;
    unsigned serving; /* calls of it under way */
    pthread_cond_t served;
};

void engine_offer(struct engine *en, const struct services *services)
{
    pthread_mutex_lock(&en->lock);
    en->services = (struct services){ 0 };
    while (en->serving > 0)
        pthread_cond_wait(&en->served, &en->lock);
    if (services)
        en->services = *services;
    pthread_mutex_unlock(&en->lock);
}

int engine_serve(struct engine *en, const struct service_call *c, const struct json **result,
                 struct err *e)
{
    struct services services;
    int r;

    pthread_mutex_lock(&en->lock);
    services = en->services;
    en->serving += services.call != NULL;
    pthread_mutex_unlock(&en->lock);
    if (!services.call)
        return err_set(e, -ENOSYS, "'%s' is not available here: it needs hooke's agent", c->method);
    r = services.call(services.context, c, result, e);
    pthread_mutex_lock(&en->lock);
    if (--en->serving == 0)
        pthread_cond_broadcast(&en->served);
    pthread_mutex_unlock(&en->lock);
    return r;
}

struct log *engine_log(const struct engine *en)
{
    return en->options.log;
}

struct store *engine_store(const struct engine *en)
{
    return en->options.store;
}

struct slots *engine_slots(struct engine *en)
{
    return &en->slots;
}

struct background *engine_background(struct engine *en)
{
    return &en->background;
}

int engine_abort_fd(const struct engine *en)
{
    return en->options.abort_fd;
}

struct engine *engine_new(const struct engine_options *o)
{
    struct engine *en = xcalloc(1, sizeof(*en));

    en->options = *o;
    en->receipts = o->receipts ? receipt_log_new(o->receipts) : NULL;
    if (o->captures || o->capture)
        en->capture = capture_new(o->captures, o->capture, o->log);
    ulid_init(&en->ids);
    slots_init(&en->slots);
    background_init(&en->background);
    pthread_mutex_init(&en->lock, NULL);
    pthread_cond_init(&en->served, NULL);
    return en;
}

void engine_free(struct engine *en)
{
    if (!en)
        return;
    background_release(&en->background);
    slots_release(&en->slots);
    registry_unref(en->registry);
    receipt_log_free(en->receipts);
    capture_free(en->capture);
    free(en->used);
    free(en->callbacks);
    arena_release(&en->arena);
    pthread_cond_destroy(&en->served);
    pthread_mutex_destroy(&en->lock);
    free(en);
}

/* Registry ------------------------------------------------------------------------------------- */

static struct registry *build(const struct engine *en, struct config *config,
                              const struct registry *same_config)
{
    struct registry_sources from = {
        .config = config,
        .same_config = same_config,
        .builtins = en->options.builtins,
        .runners = en->options.runners,
        .use_builtins = en->options.use_builtins,
        .no_hooks = en->options.no_hooks,
        .used = en->used,
        .callbacks = en->callbacks,
        .callback_count = en->callback_count,
        .generation = en->generation,
    };

    return registry_new(&from);
}

/*
 * Without configuration until there is one: whoever starts an engine mostly configures it at once,
 * and building for nothing would be half of the work. Called with the lock held.
 */
static const struct registry *have_registry(struct engine *en)
{
    if (!en->registry)
        en->registry = build(en, NULL, NULL);
    return en->registry;
}

/* Hooks were added: the same configuration with them. Called with the lock held. */
static void rebuild(struct engine *en)
{
    struct registry *before = en->registry;

    en->registry = build(en, NULL, before);
    registry_unref(before);
}

struct registry *engine_build(struct engine *en, struct config *config)
{
    struct registry *reg;

    pthread_mutex_lock(&en->lock);
    reg = build(en, config, NULL);
    pthread_mutex_unlock(&en->lock);
    return reg;
}

void engine_install(struct engine *en, struct registry *reg)
{
    struct registry *before;

    pthread_mutex_lock(&en->lock);
    before = en->registry;
    en->registry = reg;
    if (registry_generation(reg) != en->generation) /* a hook was registered meanwhile */
        rebuild(en);
    pthread_mutex_unlock(&en->lock);
    registry_unref(before);
}

void engine_configure(struct engine *en, struct config *config)
{
    engine_install(en, engine_build(en, config));
}

static int unknown_builtin(const struct engine *en, const char *name, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    const char **names;
    size_t count = 0;

    while (en->options.builtins && en->options.builtins[count])
        count++;
    names = arena_array(&a, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        names[i] = en->options.builtins[i]->name;
    return err_set(e, -ENOENT, "no built-in hook '%s'%s", name,
                   suggest(&a, str_nearest(name, names, count), ""));
}

int engine_use(struct engine *en, const char *builtin, struct err *e)
{
    const struct hook_def *const *d = en->options.builtins;

    while (d && *d && strcmp((*d)->name, builtin) != 0)
        d++;
    if (!d || !*d)
        return unknown_builtin(en, builtin, e);
    pthread_mutex_lock(&en->lock);
    en->used = xrealloc(en->used, (en->used_count + 2) * sizeof(*en->used));
    en->used[en->used_count++] = (*d)->name;
    en->used[en->used_count] = NULL;
    en->generation++;
    rebuild(en);
    pthread_mutex_unlock(&en->lock);
    return 0;
}

static bool is_known(struct engine *en, const char *name)
{
    for (const struct hook_def *const *d = en->options.builtins; d && *d; d++)
        if (strcmp((*d)->name, name) == 0)
            return true;
    return registry_find(have_registry(en), name) != NULL;
}

static struct hook callback_hook(struct engine *en, const struct engine_callback *cb)
{
    struct subscription *on = arena_new(&en->arena, struct subscription);

    *on = cb->on;
    return (struct hook){
        .name = arena_strdup(&en->arena, cb->name),
        .summary = "a function of the program",
        .origin = { .source = SOURCE_BUILTIN, .file = "registered" },
        .runner = RUNNER_BUILTIN,
        .in_process = true,
        .run = cb->run,
        .context = cb->context,
        .traits = { .on = on,
                    .on_count = 1,
                    .layer = cb->layer,
                    .priority = cb->priority,
                    .safety_critical = cb->safety_critical,
                    .on_failure = cb->safety_critical ? FAILURE_BLOCK : FAILURE_ALLOW,
                    .observe = cb->layer == LAYER_OBSERVE,
                    .enabled = true },
    };
}

int engine_register(struct engine *en, const struct engine_callback *cb, struct err *e)
{
    int r = 0;

    pthread_mutex_lock(&en->lock);
    if (is_known(en, cb->name)) {
        r = err_set(e, -EEXIST, "there is a hook '%s' already, choose another name", cb->name);
    } else {
        en->callbacks = xrealloc(en->callbacks, (en->callback_count + 1) * sizeof(*en->callbacks));
        en->callbacks[en->callback_count++] = callback_hook(en, cb);
        en->generation++;
        rebuild(en);
    }
    pthread_mutex_unlock(&en->lock);
    return r;
}

static struct registry *current(struct engine *en)
{
    struct registry *reg;

    pthread_mutex_lock(&en->lock);
    have_registry(en);
    reg = registry_ref(en->registry);
    pthread_mutex_unlock(&en->lock);
    return reg;
}

struct registry *engine_look(struct engine *en)
{
    return current(en);
}

/* Emitting ------------------------------------------------------------------------------------- */

static int check_event(const struct event *ev, struct err *e)
{
    if (!ev->session.id || !ev->session.id[0])
        return err_set(e, -EINVAL, "an event needs the id of its session");
    if (ev->data && json_type(ev->data) != JSON_OBJECT)
        return err_set(e, -EINVAL, "the data of an event must be an object, not %s",
                       json_type_name(json_type(ev->data)));
    return 0;
}

/* What a session leaves behind goes after every hook, the observers too, has seen the end. */
static void forget(struct dispatch *d)
{
    const char *session = d->event.session.id;
    struct store *store = engine_store(d->engine);
    struct err e = { 0 };
    int r = 0;

    if (d->event.point == POINT_SESSION_DELETED) {
        background_forget(engine_background(d->engine), session);
        r = store_erase(store, &(struct store_key){ session, NULL, NULL }, &e);
    }
    if (d->event.point == POINT_SESSION_COMPACTED) {
        r = gate_reset(d->engine, session, &e);
        if (r == 0)
            r = store_erase(store, &(struct store_key){ session, NULL, "@once/" }, &e);
        if (r == 0)
            r = collector_forget_anchors(&(struct collector){ store, session }, &e);
    }
    if (r < 0)
        dispatch_warn(d, "state of session '%s' was not removed: %s", session, e.msg);
}

static void write_receipt(struct engine *en, const struct receipt *r)
{
    CLEANUP(strbuf) struct strbuf line = { 0 };
    struct err e = { 0 };

    if (!en->receipts)
        return;
    receipt_write(&line, r);
    if (receipt_log_append(en->receipts, r->at_ms, &line, &e) < 0)
        log_warn_once(en->options.log, "%s", e.msg);
}

void engine_record(struct engine *en, struct receipt *r)
{
    ulid_next(&en->ids, r->at_ms, r->id);
    write_receipt(en, r);
}

void engine_note(struct engine *en, const struct receipt *of, const char *text)
{
    struct receipt note = {
        .after = of->id,
        .at_ms = clock_wall_ms(),
        .event = of->event,
        .warnings = &text,
        .warning_count = 1,
    };

    engine_record(en, &note);
}

static uint64_t event_timeout_ns(const struct event *ev, const struct registry *reg)
{
    const struct config *c = registry_config(reg);
    uint64_t ms = ev->timeout_ms;

    if (!ms)
        ms = c && c->event_timeout_ms ? c->event_timeout_ms : EVENT_TIMEOUT_MS;
    return ms * 1000000u;
}

/* What every event begins with. The receipt takes over the reference to the registry. */
static void begin(struct dispatch *d, const struct event *ev, struct registry *reg)
{
    struct engine *en = d->engine;
    struct receipt *r = d->receipt;

    d->registry = reg;
    d->depth = en->options.depth;
    d->abort_fd = ev->abort_fd ? ev->abort_fd : en->options.abort_fd;
    *r = (struct receipt){ .event = ev, .registry = reg, .at_ms = clock_wall_ms() };
    ulid_next(&en->ids, r->at_ms, r->id);
    if (!d->event.id)
        d->event.id = r->id;
    d->began_ns = d->last_ns = clock_mono_ns();
    d->deadline_ns = d->began_ns + event_timeout_ns(ev, reg);
}

static void settle(struct dispatch *d, const struct event_settle *last)
{
    uint64_t began, ns;

    if (!last)
        return;
    began = clock_mono_ns();
    last->run(last->context, d->arena, d->receipt);
    ns = clock_mono_ns() - began;
    d->began_ns += ns; /* whoever took a minute to answer has not slowed the event */
    d->last_ns += ns;
    d->deadline_ns += ns;
}

static void run(struct dispatch *d)
{
    dispatch_chain(d);
    settle(d, d->receipt->event->settle);
    observe_outcome(d);
}

static void end(struct dispatch *d)
{
    const struct chain *chain = d->chain;

    d->receipt->ns = (chain->count > chain->observers ? clock_mono_ns() : d->last_ns) - d->began_ns;
}

int engine_emit(struct engine *en, const struct event *ev, struct arena *a, struct receipt *r,
                struct err *e)
{
    struct dispatch d = { .engine = en, .arena = a, .event = *ev, .receipt = r };
    struct chain_key key;
    int bad = check_event(ev, e);

    if (bad < 0)
        return bad;
    begin(&d, ev, current(en));
    key = chain_key_of(a, ev);
    d.chain = registry_chain(d.registry, &key, a);
    run(&d);
    forget(&d);
    end(&d);
    write_receipt(en, r);
    if (en->capture && capture_is_due(en->capture, d.began_ns))
        capture_event(en->capture, d.began_ns, r, d.event.id);
    log_debug(en->options.log, "%s of session '%s': %s, %zu hooks ran, %zu held back",
              point_info(ev->point)->name, ev->session.id, receipt_outcome(r), r->run_count,
              r->held_count);
    return 0;
}

int engine_try(struct engine *en, struct engine_trial *trial, const struct event *ev,
               struct arena *a, struct receipt *r, struct err *e)
{
    struct dispatch d = { .engine = en, .arena = a, .event = *ev, .receipt = r };
    struct hook *alone = arena_new(a, struct hook);
    const struct hook **hooks = arena_array(a, const struct hook *, 1);
    int bad = check_event(ev, e);

    if (bad < 0)
        return bad;
    *alone = *trial->hook;
    alone->off_because = NULL;
    hooks[0] = alone;
    d.chain = &(struct chain){ hooks, 1, alone->traits.observe ? 0 : 1 };
    d.report = &trial->report;
    d.ungated = true;
    begin(&d, ev, registry_ref(trial->registry));
    run(&d);
    end(&d);
    return 0;
}
