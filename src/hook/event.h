/*
 * event.h - one occurrence at a point.
 *
 * An event is a value: whoever emits it fills it in, the engine and the hooks only read it. All
 * strings and JSON values are borrowed and must live until the emit returns.
 */
#pragma once

#include "base/err.h"
#include "hook/point.h"
#include "json/json.h"

struct session {
    const char *id;         /* never NULL once emitted */
    const char *parent;     /* NULL: a main session */
    const char *agent;      /* NULL: none */
    const char *invoked_by; /* "main", "subagent"; NULL: by `parent` */
    const char *recipe;     /* NULL: none */
    const char *cwd;        /* NULL: unknown */
    unsigned depth;
    const struct json *usage; /* NULL: not known yet */
};

struct receipt;

/*
 * The last word of whoever emits, after the chain has decided and before observers and the receipt
 * see the outcome: it may ask a person, say the verdict in words of another system, change it, and
 * warn in the receipt. `a` is the event's arena. Its time is not the hooks'. An event that was
 * aborted is settled too; its verdict is a stop.
 */
struct event_settle {
    void (*run)(void *context, struct arena *a, struct receipt *r);
    void *context;
};

struct event {
    enum point point;
    const char *id; /* NULL: the engine makes one */
    unsigned turn;
    struct session session;
    const struct json *data; /* an object; NULL: {} */
    int abort_fd; /* readable or hung up: whoever emitted it gives it up; never read; 0: none */
    uint32_t timeout_ms;               /* of the whole chain; 0: as configured */
    const struct event_settle *settle; /* NULL: the chain has the last word */
    const char
        *via;       /* the agent that is answered, for the receipt; NULL: it is hooke's own event */
    const char *as; /* what that agent calls it; NULL: as the point */
};

/* The event in our own JSON (the native dialect). */
const struct json *event_to_json(struct arena *a, const struct event *ev);

/*
 * The way back. Only `point` and `session.id` must be there; members of another type than they have
 * are refused, unknown ones passed over. Everything in `ev` lives in the arena or is borrowed from
 * `j`.
 */
MUST_CHECK int event_from_json(struct arena *a, const struct json *j, struct event *ev,
                               struct err *e);

/* A member of the event's data. */
static inline const struct json *event_data(const struct event *ev, struct str name)
{
    return json_get(ev->data, name);
}

/*
 * A foreign event name stands for a point and a match: make the event one of that point that
 * matches. A subagent's event without a parent gets `parent` as one. False: it is a main session's
 * by name and has a parent.
 */
bool event_fit(struct arena *a, struct event *ev, const struct subscription *on,
               const char *parent);

/* The tool the event is about; unset when it is about none. */
struct str event_tool(struct arena *a, const struct event *ev);

bool event_ask_abort(int abort_fd);

/* Whether whoever holds the other end of an `abort_fd` (0: nobody) has given the event up. */
static inline bool event_is_aborted(int abort_fd)
{
    return abort_fd > 0 && event_ask_abort(abort_fd);
}

static inline bool event_is_sub(const struct event *ev)
{
    return ev->session.parent != NULL;
}
