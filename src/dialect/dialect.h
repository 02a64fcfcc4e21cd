/*
 * dialect.h - how hooks written for some system are spoken to: our event becomes their JSON, and
 * the whole outcome of a run (exit code, signal, stdout, stderr) becomes our verdict. Some systems
 * are also answered, when they run hooke as a hook of theirs: dialect/agent.h.
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
    const char *as; /* the foreign name by which the hook asked for it; NULL: by its point */
};

/* What an answer becomes. */
struct dialect_answer {
    struct verdict *v;
    struct strbuf *warnings; /* parts of it that make no sense, a line each */
};

/* Which events a handler wants, in the words of its system. */
struct dialect_wants {
    const char *match;     /* its matcher; NULL: all */
    const char *condition; /* its `if`; NULL: none */
    const char *as;        /* the foreign name of the event it is registered for; NULL: not known */
};

struct dialect_filter;
struct dialect_agent;

struct dialect {
    const char *name;
    uint32_t timeout_ms; /* of its hooks, unless an entry says otherwise */
    const char *shell;   /* runs an `exec` that is a text, as `shell -c`; NULL: /bin/sh */
    bool reads_killed;   /* decode() is also asked when a signal ended the child */

    /* The same at one point; NULL: everywhere the one above. */
    uint32_t (*timeout_at)(enum point point);

    /* Whether its hooks know an event for the point; NULL: for every point. */
    bool (*speaks)(enum point point);

    /* What goes to stdin; only asked at points it speaks at. */
    const struct json *(*encode)(struct arena *a, const struct dialect_event *ev);

    /*
     * What its hooks expect in their environment, ended by NULL; a name without "=" is taken out.
     * NULL: nothing.
     */
    const char *const *(*variables)(struct arena *a, const struct dialect_event *ev);

    /*
     * The verdict of a child that was run. A negative return is a failed run; `e` then holds words
     * that follow the hook's name ("exited with code 3: no such table").
     */
    int (*decode)(struct arena *a, const struct dialect_event *ev, const struct proc_result *run,
                  const struct dialect_answer *answer, struct err *e);

    /*
     * Handlers that run side by side: which of them an event is for, and what their answers, in
     * configured order, add up to. NULL: its handlers have no filters; dialect_merge() adds up.
     * The ids of injections are told apart before that; what is injected may be taken over as it
     * is.
     */
    int (*filter_new)(struct arena *a, const struct dialect_wants *wants,
                      struct dialect_filter **out, struct err *e);
    bool (*filter_test)(const struct dialect_filter *f, struct arena *a,
                        const struct dialect_event *ev);
    void (*filter_free)(struct dialect_filter *f);
    void (*merge)(struct arena *a, const struct dialect_event *ev, const struct verdict *answers,
                  size_t count, const struct dialect_answer *out);

    /* The other way round: answering the agent itself (dialect/agent.h); NULL: it can't be. */
    const struct dialect_agent *agent;
};

/* NULL: this build has no such dialect. */
const struct dialect *dialect_find(struct str name);

/* The default timeout of a hook with these subscriptions: the longest of its points'. */
uint32_t dialect_timeout(const struct dialect *d, const struct subscription *on, size_t count);

/*
 * What the answers of handlers add up to where the dialect has no rules of its own: the strictest
 * decision with the first reason for it, all injections, of two changes of a field the later one.
 */
void dialect_merge(struct arena *a, const struct dialect_event *ev, const struct verdict *answers,
                   size_t count, const struct dialect_answer *out);

/*
 * What a child wrote, without white space at its ends, kept in the arena: the result goes before
 * the verdict does. Fails when its exit code is not 0 ("exited with code 3: <first line of
 * stderr>") or not all of it was kept. For decoders.
 */
MUST_CHECK int dialect_output(struct arena *a, const struct proc_result *run, struct str *out,
                              struct err *e);
