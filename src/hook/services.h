/*
 * services.h - what the agent around an engine does for hooks: `llm.complete`, `recipe.run`,
 * `session.status`, `session.messages`, `session.abort`, `session.prompt`.
 *
 * The engine knows none of it. An agent offers a function; resident programs and scripts reach it
 * by the method's name. Where no agent is around, methods are refused with words that say so.
 *
 *     engine_offer(en, &(struct services){ .context = agent, .call = agent_serve });
 */
#pragma once

#include "hook/event.h"

struct service_call {
    struct arena *arena;           /* the result is put here */
    const char *hook;              /* who asks */
    const char *method;            /* "llm.complete" … */
    const struct json *params;     /* an object, or NULL */
    const struct session *session; /* of the event in hand */
    const char *receipt_id;        /* of that event */
    uint64_t deadline_ns;          /* of the hook's run, on the monotonic clock */
    int abort_fd;                  /* readable or hung up: give up; 0: none */
};

struct services {
    void *context;
    /* -ENOSYS: no such method; -EINVAL: bad params; others: it failed. `e` says so in words. */
    int (*call)(void *context, const struct service_call *c, const struct json **result,
                struct err *e);
};
