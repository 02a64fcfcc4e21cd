/*
 * verify.h - whether hooks keep what was sent: a made-up conversation grows, request by request,
 * and apart from the volatile part each request must begin with the bytes of the one before it.
 * Else the provider's prompt cache is lost from the first difference on.
 *
 *     struct verify v = { .engine = engine, .session = "try", .turns = 4 };
 *     struct verify_break broken;
 *
 *     r = verify_run(&v, &arena, &broken, e);     1: `broken` says where, 0: all is well
 *
 * All points that a request goes through are emitted as an agent would: hooks run, and what they do
 * besides answering is done. Nothing is stored but what hooks remember in the engine's store.
 */
#pragma once

#include "hook/engine.h"

struct verify {
    struct engine *engine;
    const char *session; /* a new one for each run */
    const char *agent;   /* NULL: none */
    const char *cwd;     /* NULL: unknown */
    unsigned turns;      /* messages of a person; two requests each */
    uint64_t seed;       /* chooses texts, tools and which messages are internal */
    int abort_fd;        /* 0: none */
    void *context;
    void (*shift)(void *context);                            /* before each request; may be NULL */
    void (*seen)(void *context, const struct receipt *r);    /* of every event; may be NULL */
    void (*sent)(void *context, const struct json *request); /* {system, messages}; may be NULL */
};

struct verify_break {
    unsigned request;   /* the one that differs from what was sent before it, from 2 */
    const char *where;  /* "the system prompt", "message 3" */
    const char *before; /* a few bytes around the first difference */
    const char *after;
};

/*
 * 1: broken, and `out` says where first; 0: not; or a negative errno. The conversation goes on to
 * its end in any case. `out` lives in the arena.
 */
MUST_CHECK int verify_run(const struct verify *v, struct arena *a, struct verify_break *out,
                          struct err *e);
