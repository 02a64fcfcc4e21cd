/*
 * cadence.h - how often a hook fires: every Nth time, counted per session, hook and point.
 *
 * Time 1 always fires, then 1+n, 1+2n, … A cadence may be named for a point and for a hook; where
 * both are, both must open. Counters live in the store, so any number of processes share them.
 *
 *     hook_cadence:
 *       experimental.chat.system.transform: 3
 *       phase-reminder: { every: 3, agents: { orchestrator: 1 } }
 *       system-prompt: { every: 5, when_context_over: 0.6, then: 2 }
 */
#pragma once

#include "hook/setting.h"

struct cadence_agent {
    const char *agent;
    uint32_t every;
};

/* One value of hook_cadence. All-zero means 1. */
struct cadence {
    uint32_t every;                     /* 0 is 1 */
    const struct cadence_agent *agents; /* ended by a NULL name */
    double when_context_over;           /* share of the context window; 0: not dynamic */
    uint64_t when_tokens_over;          /* tokens in the context; 0: not dynamic */
    uint32_t then;                      /* in force once over */
    struct origin origin;
};

/*
 * Read one value of hook_cadence. `name` is its key. Anything that is no cadence counts as 1 with
 * one warning; for a safety-critical hook or an ungated point (`always`) so does anything above 1.
 */
struct cadence cadence_parse(struct arena *a, const char *name, const struct setting *s,
                             bool always, struct problems *problems);

/*
 * What cadence_parse() does for `always`, for those who learn only later that the hook is
 * safety-critical: a cadence that gates becomes 1 with one warning.
 */
void cadence_settle_always(struct cadence *c, const char *name, struct problems *problems);

/* That a text which stays in the system prompt would come and go with this cadence. */
void cadence_warn_of_cache(const struct cadence *c, const char *hook, struct problems *problems);

/* Whether it can ever hold a hook back. */
bool cadence_gates(const struct cadence *c);
