/*
 * background.h - runs of hooks that no event waits for.
 *
 *     struct background_run *run = background_prepare(c);
 *
 *     run->start = my_function;
 *     run->context = …;               in run->arena, or in the registry
 *     run->timeout_ms = 30000;
 *     background_start(run);          is gone from here on
 *
 * A prepared run owns copies of all it needs, the event included, and a reference to the registry,
 * so that it outlives the event and a change of configuration. At most BACKGROUND_THREADS of an
 * engine's run at once; the others wait in line, and their time begins when they do. What a run
 * injects or says waits in the collector of its session; anything else it answers has no power and
 * is ignored. Each writes a receipt of its own that names the event's. background_release() waits
 * for all of them; `abort_fd` of the engine ends them, that of the event does not.
 */
#pragma once

#include "hook/hook.h"

#include <pthread.h>

#define BACKGROUND_THREADS 8
#define BACKGROUND_WAITING 256 /* one more is refused */

struct background_run {
    struct arena arena;
    struct hook_call call; /* of `start`; its deadline and io are set when it runs */
    struct event event;
    hook_fn *start;
    void *context;
    uint32_t timeout_ms;
    char *const *vars; /* of whoever emitted, base/vars.h; NULL: the process's */
    int mask;          /* as vars_mask() */
    const char *after; /* id of the event's receipt */
    bool forgotten;    /* its session is gone; guarded by the lock */
    struct background_run *next;
};

/* Of an engine. */
struct background {
    pthread_mutex_t lock;
    struct background_run *waiting, **end; /* in order */
    struct background_run *running;
    size_t waiting_count;
    struct background_thread {
        pthread_t id;
        struct background *of;
        enum { THREAD_NONE, THREAD_WORKS, THREAD_DONE } state;
    } threads[BACKGROUND_THREADS];
};

void background_init(struct background *b);
void background_release(struct background *b);

/* From a hook's call, while it lasts. */
struct background_run *background_prepare(const struct hook_call *c);
void background_start(struct background_run *run);

/* The session was deleted: what its runs still leave is dropped. */
void background_forget(struct background *b, const char *session);
