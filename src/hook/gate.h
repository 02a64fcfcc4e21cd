/*
 * gate.h - whether a hook's cadence lets it fire this time.
 */
#pragma once

#include "hook/engine.h"

struct gate {
    bool open;
    uint32_t every; /* by the cadences in force; 0: nothing gates it */
    uint64_t time;  /* the how-many-th time this is; 0: this one does not count */
};

/* Whether a cadence can hold this hook back at this point at all, and so its text goes to the tail.
 */
bool gate_applies(const struct registry *reg, const struct hook *h, enum point point);

/* What a cadence says for this event: its agent, the size of its context. */
uint32_t gate_every(const struct cadence *c, const struct event *ev);

/* The cadence configured for a hook at a point, whatever the event: where both keys open. */
uint32_t gate_configured(const struct registry *reg, const struct hook *h, enum point point);

/*
 * Count this time and decide. Every process that asks for the same session, hook and point shares
 * one counter. At messages.transform one user message is one time, however often it is rendered. A
 * store that fails opens the gate: saying something once too often is the lesser harm.
 */
struct gate gate_ask(struct engine *en, const struct registry *reg, const struct hook *h,
                     const struct event *ev);

/* Forget all counters of a session. */
MUST_CHECK int gate_reset(struct engine *en, const char *session, struct err *e);
