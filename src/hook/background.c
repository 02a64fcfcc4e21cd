#include "hook/background.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/vars.h"
#include "hook/dispatch.h"

#include <errno.h>
#include <sched.h>
#include <sys/stat.h>

void background_init(struct background *b)
{
    *b = (struct background){ 0 };
    b->end = &b->waiting;
    pthread_mutex_init(&b->lock, NULL);
}

static void free_run(struct background_run *run)
{
    registry_unref(run->call.registry);
    arena_release(&run->arena);
    free(run);
}

/* Preparing ------------------------------------------------------------------------------------ */

static struct event copy_event(struct arena *a, const struct event *ev)
{
    const struct session *s = &ev->session;

    return (struct event){
        .point = ev->point,
        .id = arena_strdup(a, ev->id),
        .turn = ev->turn,
        .session = { .id = arena_strdup(a, s->id),
                     .parent = arena_strdup(a, s->parent),
                     .agent = arena_strdup(a, s->agent),
                     .invoked_by = arena_strdup(a, s->invoked_by),
                     .recipe = arena_strdup(a, s->recipe),
                     .cwd = arena_strdup(a, s->cwd),
                     .depth = s->depth,
                     .usage = s->usage ? json_copy(a, s->usage) : NULL },
        .data = ev->data ? json_copy(a, ev->data) : NULL,
    };
}

struct background_run *background_prepare(const struct hook_call *c)
{
    struct background_run *run = xcalloc(1, sizeof(*run));

    run->event = copy_event(&run->arena, c->event);
    run->call = *c;
    run->call.arena = &run->arena;
    run->call.event = &run->event;
    run->call.final = NULL;
    run->call.io = NULL;     /* its own */
    run->call.report = NULL; /* of somebody who does not wait for this run */
    run->call.registry = registry_ref(c->registry);
    run->call.event_deadline_ns = run->call.guest_deadline_ns = UINT64_MAX;
    run->call.abort_fd = engine_abort_fd(c->engine); /* the event's may be closed by then */
    run->vars = vars_copy(&run->arena, vars_mine());
    run->mask = vars_mask();
    run->after = arena_strdup(&run->arena, c->receipt_id);
    return run;
}

/* Running -------------------------------------------------------------------------------------- */

static bool is_forgotten(struct background *b, const struct background_run *run)
{
    bool forgotten;

    pthread_mutex_lock(&b->lock);
    forgotten = run->forgotten;
    pthread_mutex_unlock(&b->lock);
    return forgotten;
}

/* It answers as if it were the hook: the same name, traits and budget, another function. */
static void call(struct dispatch *d, struct background_run *run, struct verdict *v)
{
    struct hook *h = arena_new(&run->arena, struct hook);
    uint64_t now = clock_mono_ns();

    *h = *run->call.hook;
    h->run = run->start;
    run->call.hook = h;
    run->call.context = run->context;
    run->call.deadline_ns = now + (uint64_t)run->timeout_ms * 1000000u;
    d->began_ns = now;
    dispatch_call(d, &run->call, now, v, dispatch_next_run(d));
}

/* Without this a thread has that of the one that started it, who may be at work for others. */
static void take_mask(int mask)
{
    if (mask < 0 || unshare(CLONE_FS) < 0)
        return;
    umask((mode_t)mask);
    vars_use_mask(mask);
}

static void perform(struct background *b, struct background_run *run)
{
    struct receipt receipt = { .event = &run->event,
                               .registry = run->call.registry,
                               .at_ms = clock_wall_ms(),
                               .after = run->after };
    const struct chain alone = { .count = 1 };
    struct dispatch d = { .engine = run->call.engine,
                          .registry = run->call.registry,
                          .chain = &alone,
                          .arena = &run->arena,
                          .event = run->event,
                          .receipt = &receipt };
    struct verdict v = { 0 };
    char *const *before = vars_use(run->vars);
    int mask = vars_mask();

    take_mask(run->mask);
    call(&d, run, &v);
    dispatch_warn_of(&d, &receipt.runs[0]);
    if (!is_forgotten(b, run))
        merge_late(&d, run->call.hook, &v, &receipt.runs[0]);
    receipt.ns = receipt.runs[0].ns;
    engine_record(run->call.engine, &receipt);
    take_mask(mask);
    vars_use(before);
}

/* Threads -------------------------------------------------------------------------------------- */

/* Called with the lock held, as is the next one. */
static struct background_run *take_first(struct background *b)
{
    struct background_run *run = b->waiting;

    if (!run)
        return NULL;
    b->waiting = run->next;
    if (!b->waiting)
        b->end = &b->waiting;
    b->waiting_count--;
    run->next = b->running;
    b->running = run;
    return run;
}

static void take_out(struct background *b, struct background_run *run)
{
    struct background_run **at = &b->running;

    while (*at != run)
        at = &(*at)->next;
    *at = run->next;
}

/* Called with the lock held, and gives it up while it runs something. */
static void work_until_empty(struct background *b)
{
    struct background_run *run;

    while ((run = take_first(b))) {
        pthread_mutex_unlock(&b->lock);
        perform(b, run);
        pthread_mutex_lock(&b->lock);
        take_out(b, run);
        pthread_mutex_unlock(&b->lock);
        free_run(run);
        pthread_mutex_lock(&b->lock);
    }
}

static void *work(void *context)
{
    struct background_thread *t = context;

    pthread_mutex_lock(&t->of->lock);
    work_until_empty(t->of);
    t->state = THREAD_DONE;
    pthread_mutex_unlock(&t->of->lock);
    return NULL;
}

/* Whether somebody will take what waits. Called with the lock held. */
static bool have_thread(struct background *b)
{
    bool works = false;

    for (size_t i = 0; i < BACKGROUND_THREADS; i++) {
        struct background_thread *t = &b->threads[i];

        if (t->state == THREAD_WORKS) {
            works = true;
            continue;
        }
        if (t->state == THREAD_DONE) /* it has let go of the lock, or is about to end */
            pthread_join(t->id, NULL);
        t->of = b;
        t->state = pthread_create(&t->id, NULL, work, t) == 0 ? THREAD_WORKS : THREAD_NONE;
        return works || t->state == THREAD_WORKS;
    }
    return works;
}

static int refuse(const struct hook_call *c UNUSED, struct verdict *v UNUSED, struct err *e)
{
    return err_set(e, -EAGAIN, "was not started: %d runs wait in the background already",
                   BACKGROUND_WAITING);
}

void background_start(struct background_run *run)
{
    struct background *b = engine_background(run->call.engine);

    pthread_mutex_lock(&b->lock);
    if (b->waiting_count >= BACKGROUND_WAITING) {
        pthread_mutex_unlock(&b->lock);
        run->start = refuse;
        perform(b, run);
        free_run(run);
        return;
    }
    run->next = NULL;
    *b->end = run;
    b->end = &run->next;
    b->waiting_count++;
    if (!have_thread(b)) /* a machine that gives us no thread is only slower */
        work_until_empty(b);
    pthread_mutex_unlock(&b->lock);
}

static void forget(struct background_run *list, const char *session)
{
    for (; list; list = list->next)
        if (strcmp(list->event.session.id, session) == 0)
            list->forgotten = true;
}

void background_forget(struct background *b, const char *session)
{
    pthread_mutex_lock(&b->lock);
    forget(b->waiting, session);
    forget(b->running, session);
    pthread_mutex_unlock(&b->lock);
}

void background_release(struct background *b)
{
    for (size_t i = 0; i < BACKGROUND_THREADS; i++) {
        bool started;

        pthread_mutex_lock(&b->lock);
        started = b->threads[i].state != THREAD_NONE;
        pthread_mutex_unlock(&b->lock);
        if (started)
            pthread_join(b->threads[i].id, NULL);
    }
    pthread_mutex_destroy(&b->lock);
}
