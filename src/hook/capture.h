/*
 * capture.h - events saved to files, with secrets removed, while somebody asks for them.
 *
 * Who wants events puts a request into a folder that all engines of the user look at, and keeps it
 * locked: a lock goes with its process, so what a dead one left behind is known for what it is and
 * removed by whoever meets it.
 *
 *     CLEANUP(capture_ticket) struct capture_ticket t = { .fd = -1 };
 *     r = capture_ask(folder, &(struct capture_request){ .dir = dir }, &t, e);
 *
 * An engine looks at most once a second, by a clock it has read anyway, and pays one comparison
 * otherwise. It writes one file per event, whole or not at all: `<receipt id>.json`, 0600. Failing
 * to is a warning and nothing more.
 */
#pragma once

#include "base/log.h"
#include "hook/receipt.h"

#include <stdatomic.h>

/* Requests ------------------------------------------------------------------------------------- */

struct capture_request {
    const char *dir;     /* absolute: where the files go */
    const char *session; /* NULL: any */
    const char *point;   /* NULL: any */
};

struct capture_ticket {
    char *path;
    int fd; /* holds the lock */
};

/* The folder of requests: $XDG_STATE_HOME/hooke/capture */
char *capture_default_folder(struct arena *a);

/* -EBUSY: somebody else has events saved to the same folder. */
MUST_CHECK int capture_ask(const char *folder, const struct capture_request *q,
                           struct capture_ticket *t, struct err *e);
void capture_withdraw(struct capture_ticket *t);

static inline void capture_ticket_cleanup(struct capture_ticket *t)
{
    capture_withdraw(t);
}

/* All requests that somebody stands behind; the others are removed. At most CAPTURE_MAX. */
#define CAPTURE_MAX 8
size_t capture_requests(struct arena *a, const char *folder,
                        struct capture_request requests[CAPTURE_MAX]);

/* An engine's side ----------------------------------------------------------------------------- */

struct capture {
    _Atomic uint64_t due_ns; /* when to think about it; 0: at every event */
    struct capture_state *state;
};

/* `own`: a folder for all events whatever is asked for, or NULL. Any thread may use it. */
struct capture *capture_new(const char *folder, const char *own, struct log *log);
void capture_free(struct capture *c);

static inline bool capture_is_due(struct capture *c, uint64_t now_ns)
{
    return now_ns >= atomic_load_explicit(&c->due_ns, memory_order_relaxed);
}

/* Save the event of a receipt where somebody asks for it. `id` is the event's. */
void capture_event(struct capture *c, uint64_t now_ns, const struct receipt *r, const char *id);

/* Files ---------------------------------------------------------------------------------------- */

/* What a file says. */
struct captured {
    struct event event;
    struct verdict verdict;
    const char *outcome;
    const struct json *hooks; /* [{hook, did | end | held}] */
    bool removed;             /* secrets were taken out of it */
};

/* The event and what came of it, without secrets. */
const struct json *capture_to_json(struct arena *a, const struct receipt *r, const char *id);

/* Everything in `c` lives in the arena and borrows `text`. */
MUST_CHECK int capture_read(struct arena *a, struct str text, struct captured *c, struct err *e);
