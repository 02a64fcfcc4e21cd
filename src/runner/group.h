/*
 * group.h - run handlers side by side, all of them to their end, and make one verdict of it.
 *
 * Each has its own timeout, never past the event's. Where `limits.processes` does not allow all of
 * them at once they run in waves. Their answers are merged in configured order, whichever came
 * first. A handler that fails leaves the answers of the others in force; the run then counts as
 * failed in part (hook_io.failure), or as failed when nobody answered.
 */
#pragma once

#include "runner/handler.h"

struct prewarm;

struct group {
    const struct hook_call *call;
    const struct dialect *dialect;
    struct dialect_event event;
    struct str input;                      /* for every handler's stdin */
    const struct handler *const *handlers; /* in configured order */
    size_t count;
    struct prewarm *prewarm; /* of a hook with one handler; NULL: none */
    bool alone;              /* the hook has only one: messages need not tell which */
};

MUST_CHECK int group_run(const struct group *g, struct verdict *v, struct err *e);
