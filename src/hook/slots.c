#include "hook/slots.h"

#include "base/clock.h"
#include "base/mem.h"
#include "hook/engine.h"

#include <errno.h>

/* How often one who waits for a slot looks whether it was aborted. */
#define LOOK_NS UINT64_C(20000000)

struct session_slots {
    struct session_slots *next;
    size_t used, waiting;
    char session[];
};

void slots_init(struct slots *s)
{
    clock_cond_init(&s->given);
    pthread_mutex_init(&s->lock, NULL);
    s->first = NULL;
}

void slots_release(struct slots *s)
{
    while (s->first) {
        struct session_slots *next = s->first->next;

        free(s->first);
        s->first = next;
    }
    pthread_cond_destroy(&s->given);
    pthread_mutex_destroy(&s->lock);
}

static size_t limit_of(const struct hook_call *c)
{
    return c->config && c->config->max_processes ? c->config->max_processes : SLOTS_DEFAULT;
}

static struct session_slots **find(struct slots *s, const char *session)
{
    struct session_slots **at = &s->first;

    while (*at && strcmp((*at)->session, session) != 0)
        at = &(*at)->next;
    return at;
}

static struct session_slots *find_or_add(struct slots *s, const char *session)
{
    struct session_slots **at = find(s, session);
    size_t len = strlen(session);

    if (!*at) {
        *at = xcalloc(1, sizeof(**at) + len + 1);
        memcpy((*at)->session, session, len + 1);
    }
    return *at;
}

static void drop_if_idle(struct slots *s, const char *session)
{
    struct session_slots **at = find(s, session), *idle = *at;

    if (!idle || idle->used || idle->waiting)
        return;
    *at = idle->next;
    free(idle);
}

static void wait_for_slot(struct slots *s, const struct hook_call *c, uint64_t until_ns)
{
    uint64_t look = clock_mono_ns() + LOOK_NS;

    clock_cond_wait(&s->given, &s->lock, c->abort_fd > 0 && look < until_ns ? look : until_ns);
}

int slots_take(const struct hook_call *c, size_t want, uint64_t until_ns, size_t *got,
               struct err *e)
{
    struct slots *s = engine_slots(c->engine);
    size_t limit = limit_of(c);
    struct session_slots *own;
    int r = 0;

    pthread_mutex_lock(&s->lock);
    own = find_or_add(s, c->event->session.id);
    own->waiting++;
    for (;;) {
        if (event_is_aborted(c->abort_fd))
            r = err_set(e, -ECANCELED, "was not started: the event was aborted");
        else if (own->used < limit)
            break;
        else if (clock_mono_ns() >= until_ns)
            r = err_set(e, -ETIMEDOUT,
                        "was not started in time: the hooks of this session have %zu processes, "
                        "and 'limits.processes' allows no more",
                        own->used);
        if (r < 0)
            break;
        wait_for_slot(s, c, until_ns);
    }
    own->waiting--;
    if (r == 0) {
        *got = want < limit - own->used ? want : limit - own->used;
        own->used += *got;
    }
    drop_if_idle(s, c->event->session.id);
    pthread_mutex_unlock(&s->lock);
    return r;
}

void slots_give(const struct hook_call *c, size_t count)
{
    struct slots *s = engine_slots(c->engine);
    struct session_slots *own;

    pthread_mutex_lock(&s->lock);
    own = *find(s, c->event->session.id);
    if (own)
        own->used -= count;
    drop_if_idle(s, c->event->session.id);
    pthread_cond_broadcast(&s->given);
    pthread_mutex_unlock(&s->lock);
}
