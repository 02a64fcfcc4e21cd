/*
 * services.h - what the agent around an engine does for hooks: `llm.complete`, `recipe.run`,
 * `session.status`, `session.messages`, `session.abort`, `session.prompt`.
 *
 * The engine knows none of it. An agent offers a function; resident programs and scripts reach it
 * by the method's name. Where no agent is around, methods are refused with words that say so.
 * Calls come from any thread, several at once, also for one session.
 *
 *     engine_offer(en, &(struct services){ .context = agent, .call = agent_serve });
 */
#pragma once

#include "hook/event.h"

/* What models took on behalf of a hook. All-zero: nothing. */
struct llm_use {
    uint32_t calls;
    int64_t tokens;
    double cost; /* in dollars; 0: the price is not known */
};

static inline void llm_use_add(struct llm_use *to, const struct llm_use *use)
{
    to->calls += use->calls;
    to->tokens += use->tokens;
    to->cost += use->cost;
}

struct service_call {
    struct arena *arena;           /* the result is put here */
    const char *hook;              /* who asks */
    const char *method;            /* "llm.complete" … */
    const struct json *params;     /* an object, or NULL */
    const struct session *session; /* of the event in hand */
    const char *receipt_id;        /* of that event */
    uint64_t deadline_ns;          /* of the hook's run, on the monotonic clock */
    int abort_fd;                  /* readable or hung up: give up; 0: none */
    const char *callback;          /* the callback that asks; NULL: a hook's run does */
    struct llm_use *used;          /* out, filled in even on failure; never NULL */
};

struct services {
    void *context;
    /* -ENOSYS: no such method; -EINVAL: bad params; others: it failed. `e` says so in words. */
    int (*call)(void *context, const struct service_call *c, const struct json **result,
                struct err *e);
};
