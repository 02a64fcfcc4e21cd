#include "runner/prewarm.h"

#include "base/mem.h"
#include "base/vars.h"
#include "runner/program.h"

#include <pthread.h>

struct prewarm {
    pthread_mutex_t lock;
    struct proc_ahead *waiting;
    char *fits; /* the identity it was started with */
};

struct prewarm *prewarm_new(const struct setting *key)
{
    struct prewarm *w;

    if (!setting_is_true(key))
        return NULL;
    w = xcalloc(1, sizeof(*w));
    pthread_mutex_init(&w->lock, NULL);
    return w;
}

void prewarm_free(struct prewarm *w)
{
    if (!w)
        return;
    proc_ahead_drop(w->waiting);
    free(w->fits);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

/* The process's own environment counts too: an embedding program may change it. */
static const char *identify(struct arena *a, const struct proc *p, bool *young)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };

    strbuf_addstr(&text, program_identity(a, p->argv, p->env, p->cwd, young));
    for (char *const *variable = vars_all(); variable && *variable; variable++)
        strbuf_printf(&text, "%s\n", *variable);
    strbuf_printf(&text, "%d\n", vars_mask());
    return arena_cstr(a, strbuf_str(&text));
}

/* What waits, when it fits; otherwise it stays for an event that it does fit, or is replaced. */
static struct proc_ahead *take(struct prewarm *w, const char *identity)
{
    struct proc_ahead *taken = NULL;

    pthread_mutex_lock(&w->lock);
    if (w->waiting && strcmp(w->fits, identity) == 0)
        taken = take_ptr(w->waiting);
    pthread_mutex_unlock(&w->lock);
    return taken;
}

/* Starting happens outside the lock: another thread's event must not wait for it. */
static void put(struct prewarm *w, struct proc_ahead *next, const char *identity)
{
    struct proc_ahead *before;

    pthread_mutex_lock(&w->lock);
    before = w->waiting;
    w->waiting = next;
    free(w->fits);
    w->fits = xstrdup(identity);
    pthread_mutex_unlock(&w->lock);
    proc_ahead_drop(before);
}

void prewarm_run(struct prewarm *w, const struct proc *p, struct proc_result *r)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct proc run = *p;
    const char *identity;
    bool young;

    if (!w) {
        proc_run(p, r);
        return;
    }
    identity = identify(&a, p, &young);
    run.ahead = take(w, identity);
    proc_run(&run, r);
    identity = identify(&a, p, &young); /* it may have changed while it ran */
    if (!young && r->end == PROC_EXITED)
        put(w, proc_start_ahead(p), identity);
}
