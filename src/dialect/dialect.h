/*
 * dialect.h - how hooks written for some system are spoken to: our event becomes their JSON, and
 * the whole outcome of a run (exit code, signal, stdout, stderr) becomes our verdict.
 *
 * No two systems agree on what an exit code means, so that is decided here and never in the runner.
 */
#pragma once

#include "hook/verdict.h"
#include "proc/proc.h"

/* What a dialect is told of the event: at observers also what the chain decided. */
struct dialect_event {
    const struct event *event;
    const struct verdict *final; /* NULL: not an observer */
};

struct dialect {
    const char *name;
    uint32_t timeout_ms; /* of its hooks, unless an entry says otherwise */

    /* Whether its hooks know an event for the point; NULL: for every point. */
    bool (*speaks)(enum point point);

    /* What goes to stdin; only asked at points it speaks at. */
    const struct json *(*encode)(struct arena *a, const struct dialect_event *ev);

    /*
     * The verdict of a child that was run. A negative return is a failed run; `e` then holds words
     * that follow the hook's name ("exited with code 3: no such table"). Parts of an answer that
     * make no sense go to `warnings`, a line each.
     */
    int (*decode)(struct arena *a, const struct event *ev, const struct proc_result *run,
                  struct verdict *v, struct strbuf *warnings, struct err *e);
};

/* NULL: this build has no such dialect. */
const struct dialect *dialect_find(struct str name);

/*
 * What a child wrote, without white space at its ends, kept in the arena: the result goes before
 * the verdict does. Fails when its exit code is not 0 ("exited with code 3: <first line of
 * stderr>") or not all of it was kept. For decoders.
 */
MUST_CHECK int dialect_output(struct arena *a, const struct proc_result *run, struct str *out,
                              struct err *e);
