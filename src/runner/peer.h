/*
 * peer.h - one resident process and what is said to it: started on first use, spoken to by any
 * number of threads at once, started again when it dies, given up when it keeps dying.
 *
 *     struct peer *p = peer_new(&setup);
 *     r = peer_call(p, &call, e);       // any thread; call.line is its answer
 *     peer_free(p);                     // nobody calls any more
 *
 * Requests have numbers, and answers come in any order. One of the threads that wait reads for all;
 * the others sleep, each until its own deadline. So an event that gets no answer costs its own time
 * and nobody else's. When its time is up the process is told (`cancel`), and an answer that comes
 * later is dropped.
 *
 * What the program asks for meanwhile is answered by the thread that reads, or, where that may take
 * long, by a thread of its own (peer_serve.c): up to PEER_SERVING_MAX at once. Such a request ends
 * with the event it belongs to.
 *
 * What counts as a failure of the process: it cannot be started, does not answer `initialize`, dies
 * before it has answered an event or while one waits, closes its stdout, leaves two events in a row
 * without an answer, or writes PEER_JUNK_MAX lines that are no messages. It is started again after
 * a pause that doubles; after PEER_FAILURES_MAX failures with no answer in between it is not.
 */
#pragma once

#include "hook/hook.h"

#define PEER_FAILURES_MAX 3
#define PEER_JUNK_MAX     1000
#define PEER_LINE_MAX     ((size_t)1 << 20)
#define PEER_SERVING_MAX  8

struct peer;

/* Borrowed, for as long as the peer lives. */
struct peer_setup {
    const char *hook; /* name */
    const char *const *argv, *const *env;
    const char *cwd;         /* where it works: the workspace */
    uint64_t start_limit_ns; /* for `initialize`; 0: ten seconds */
};

/* One event, or a callback, on its way. The texts that come out of it are in the arena. */
struct peer_call {
    struct engine *engine;
    struct arena *arena;
    const char *method; /* "event" or "callback" */
    const struct session *session;
    const char *receipt_id;    /* of the event; NULL: none */
    const char *callback;      /* its name; NULL: it is an event */
    const struct json *params; /* of the request */
    uint64_t deadline_ns;
    int abort_fd;               /* of the event; 0: none */
    struct hook_io *io;         /* bytes, stderr and warnings */
    struct hook_report *report; /* all of stderr; NULL: nobody wants it */
    struct str line;            /* out: the answer */
};

struct peer *peer_new(const struct peer_setup *setup);

/* Asks it to shut down, and ends its group. */
void peer_free(struct peer *p);

/*
 * -ETIMEDOUT, -ECANCELED when the event was aborted, or another failure in words that follow the
 * hook's name. An answer may still be an error of the program's own.
 */
MUST_CHECK int peer_call(struct peer *p, struct peer_call *c, struct err *e);

/* Start it, unless it runs, and wait for what it says of itself: the result of `initialize`. */
MUST_CHECK int peer_greet(struct peer *p, struct arena *a, uint64_t deadline_ns, struct str *result,
                          struct err *e);
