/*
 * slots.h - how many processes the hooks of one session may have at once: `limits.processes`.
 *
 *     r = slots_take(c, 1, c->deadline_ns, &got, e);
 *     if (r == 0) {
 *         … start, wait for, reap …
 *         slots_give(c, got);
 *     }
 *
 * Whatever starts a process for a hook takes a slot before and gives it back when the process is
 * gone. Counted by session within one engine. Resident programs serve all sessions and take none.
 * Who starts no process pays nothing.
 */
#pragma once

#include "hook/hook.h"

#include <pthread.h>

#define SLOTS_DEFAULT 16u /* where no configuration says */

struct session_slots;

/* Of an engine. */
struct slots {
    pthread_mutex_t lock;
    pthread_cond_t given;
    struct session_slots *first; /* sessions that use some or wait for some */
};

void slots_init(struct slots *s);
void slots_release(struct slots *s);

/*
 * Take at least one slot of the event's session and at most `want`; waits for the first until
 * `until_ns`. -ETIMEDOUT names the limit; -ECANCELED: the call was aborted.
 */
MUST_CHECK int slots_take(const struct hook_call *c, size_t want, uint64_t until_ns, size_t *got,
                          struct err *e);
void slots_give(const struct hook_call *c, size_t count);
