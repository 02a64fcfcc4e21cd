/*
 * record.h - what is remembered of a session of another agent, which tells no turn and counts no
 * continuations.
 *
 *     record_count(&rec, &ev, a);               the turn this event belongs to
 *     …
 *     if (record_continue(&rec, reason, text, a, &why)) …
 *
 * A turn is one request to the model and its tools. Where the agent tells of its requests (Gemini)
 * they are counted; elsewhere a tool that starts, or the end, after a tool has finished is taken
 * for a new turn, which is right but for several tools of one turn that run one after the other.
 *
 * The store is opened only where it must be: turns are counted when something in force looks at
 * them, else only what ends loops is, and that only when something may keep the agent going.
 */
#pragma once

#include "hook/engine.h"
#include "hook/loop.h"

struct record {
    struct engine *engine;
    const char *session;
    bool kept;           /* whether any of it is kept */
    const char *unknown; /* why the store could not be read; NULL: it could, or need not */
    bool tells_turns;    /* the agent tells of every request */
    bool going_on;       /* the agent says that a hook has kept it going */
    unsigned turn;       /* of the event; 0: nobody looks at it */
    bool tool_ended;     /* or the agent was kept going, since the turn began */
    bool internal; /* the message of the event is what a hook told the agent, or nobody typed */
    uint64_t told; /* the hash of that; 0: nothing */
    bool heard;    /* the agent tells what users say */
    uint32_t limit;
    struct loop loop;
};

/* Count the event. Of `rec`, engine and tells_turns are set; a failing store is logged, no more. */
void record_count(struct record *rec, const struct event *ev, struct arena *a);

/*
 * Whether hooks may keep the agent going once more by telling it `text`, for `reason` (NULL: the
 * text is one); it is counted when they may. Else `why` says in one line why not. Without a store
 * only the first time of a message may.
 */
bool record_continue(struct record *rec, const char *reason, const char *text, struct arena *a,
                     const char **why);

/* Keep a stop of which the agent takes no notice where it was decided. False: it can't be kept. */
bool record_stop(struct engine *en, const char *session, const char *reason);

struct record_stopped {
    const char *why;     /* told once; NULL: it is not to stop */
    const char *unknown; /* why the store could not be read; NULL: it could, or need not */
};

/*
 * Whether the session is to stop. The store is asked only where a hook in force may have stopped
 * it: at its start, or with `tools` after one of its tools, too.
 */
struct record_stopped record_stopped(struct engine *en, const char *session, bool tools,
                                     struct arena *a);

/* Whether nobody was told before that the hook fails in this session; without a store nobody was.
 */
bool record_first_failure(struct engine *en, const char *session, const char *hook,
                          struct arena *a);
