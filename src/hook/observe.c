/*
 * observe.c - observers get the final event and verdict, blocked or not, side by side, and have no
 * power. Each works in memory of its own, so that they cannot meet.
 */
#include "base/clock.h"
#include "base/vars.h"
#include "hook/dispatch.h"
#include "hook/gate.h"

#include <pthread.h>
#include <stdatomic.h>

/* They mostly wait: enough that a usual configuration's all run at once, and no crowd. */
#define THREADS_MAX 31

struct observer {
    const struct hook *hook;
    struct gate gate;
    struct hook_run run;
    struct arena arena;
    bool powerless; /* it tried to say something */
};

struct observing {
    const struct dispatch *d;
    char *const *vars; /* of the thread that emits, as is the next */
    int mask;
    struct observer *observers;
    size_t count;
    atomic_size_t next;
};

static void observe_one(const struct dispatch *d, struct observer *o)
{
    struct hook_call c = d->call;
    struct verdict v = { 0 };
    uint64_t now = clock_mono_ns();

    c.hook = o->hook;
    c.arena = &o->arena;
    c.options = o->hook->options;
    c.context = o->hook->context;
    c.again = false;
    c.final = &d->receipt->verdict;
    dispatch_set_deadlines(d, &c, now);
    dispatch_call(d, &c, now, &v, &o->run);
    o->run.every = o->gate.every;
    o->run.time = o->gate.time;
    o->powerless = o->run.end == RUN_DONE && !verdict_is_empty(&v);
}

static void *observe_until_done(void *context)
{
    struct observing *all = context;

    vars_use(all->vars);
    vars_use_mask(all->mask);
    for (;;) {
        size_t i = atomic_fetch_add(&all->next, 1);

        if (i >= all->count)
            return NULL;
        observe_one(all->d, &all->observers[i]);
    }
}

/* This thread takes its share, so a machine that gives us no thread is only slower. */
static void observe_all(struct observing *all)
{
    pthread_t threads[THREADS_MAX];
    size_t started = 0;

    while (started < THREADS_MAX && started + 1 < all->count &&
           pthread_create(&threads[started], NULL, observe_until_done, all) == 0)
        started++;
    observe_until_done(all);
    while (started > 0)
        pthread_join(threads[--started], NULL);
}

/* What the run points to lives in the observer's own arena, which goes. */
static void keep_texts(struct arena *a, struct hook_run *run)
{
    run->detail = arena_strdup(a, run->detail);
    if (run->io) {
        struct hook_io *io = arena_new(a, struct hook_io);

        *io = *run->io;
        io->stderr_head = arena_strdup(a, io->stderr_head);
        io->warnings = arena_strdup(a, io->warnings);
        io->failure = NULL; /* `detail` says it */
        run->io = io;
    }
}

static void keep_report(struct arena *a, struct hook_report *report)
{
    report->output = arena_strdup(a, report->output);
    report->errors = arena_strdup(a, report->errors);
}

void observe_outcome(struct dispatch *d)
{
    size_t most = d->chain->count - d->chain->observers;
    struct observing all = { .d = d, .vars = vars_mine(), .mask = vars_mask() };

    if (!most || d->aborted)
        return;
    all.observers = arena_array(d->arena, struct observer, most);
    for (size_t i = 0; i < most; i++) {
        struct observer *o = &all.observers[all.count];

        o->hook = d->chain->hooks[d->chain->observers + i];
        all.count += dispatch_admit(d, o->hook, &o->gate);
    }
    observe_all(&all);
    for (size_t i = 0; i < all.count; i++) {
        struct observer *o = &all.observers[i];

        keep_texts(d->arena, &o->run);
        if (d->report)
            keep_report(d->arena, d->report);
        if (dispatch_hold_untrusted(d, &o->run)) {
            arena_release(&o->arena);
            continue;
        }
        dispatch_warn_of(d, &o->run);
        if (o->powerless)
            dispatch_warn(d, "hook '%s': an observer decides nothing, its verdict was ignored",
                          o->hook->name);
        *dispatch_next_run(d) = o->run;
        arena_release(&o->arena);
    }
}
