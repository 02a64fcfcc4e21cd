/*
 * dispatch.h - one event on its way through its chain. Private to the engine.
 *
 * dispatch.c walks the chain, merge.c adds a hook's verdict to what the chain has decided so far,
 * observe.c shows the outcome to the observers.
 */
#pragma once

#include "hook/engine.h"
#include "hook/gate.h"
#include "hook/registry.h"

struct dispatch {
    struct engine *engine;
    struct registry *registry;
    const struct chain *chain;
    struct arena *arena;
    struct event event; /* its data changes along the chain */
    struct receipt *receipt;
    struct hook_call call;      /* what all calls of this event share */
    const struct json *changed; /* object whose keys are the fields that changed */
    size_t warning_room, run_room;
    uint64_t began_ns, last_ns, deadline_ns;
    unsigned depth;
    int abort_fd;
    struct hook_report *report; /* NULL, but where a hook is tried */
    bool ungated;               /* a try: no cadence is asked or counted */
    bool args_changed;          /* since the guards saw them */
    bool over;                  /* a block or a stop ended the chain */
    bool aborted;               /* by whoever emitted the event */
};

void dispatch_chain(struct dispatch *d);

/* Call a hook and measure it from `began_ns` on. `v` is what it said; a failure is in the run. */
void dispatch_call(const struct dispatch *d, struct hook_call *c, uint64_t began_ns,
                   struct verdict *v, struct hook_run *run);

/* When a hook that starts now must be done: its own timeout, or the event's, if that is earlier. */
void dispatch_set_deadlines(const struct dispatch *d, struct hook_call *c, uint64_t now_ns);

/* Whether the run was none because nothing is trusted and nothing depends on it: then it is held.
 */
bool dispatch_hold_untrusted(struct dispatch *d, const struct hook_run *run);

/* Put what the runner found odd in the answer into the receipt. */
void dispatch_warn_of(struct dispatch *d, const struct hook_run *run);

/* Whether the hook may run at all; says why not in the receipt. */
bool dispatch_admit(struct dispatch *d, const struct hook *h, struct gate *g);

/* Room for one more run in the receipt, not filled in; good until the next one is asked for. */
struct hook_run *dispatch_next_run(struct dispatch *d);

void dispatch_warn(struct dispatch *d, const char *fmt, ...) PRINTF_LIKE(2, 3);
void dispatch_hold(struct dispatch *d, const struct hook_held *held);

/*
 * Of a run that no event waited for: what it injects or says waits in the collector for the next
 * request of the session, all else is ignored.
 */
void merge_late(struct dispatch *d, const struct hook *h, struct verdict *v, struct hook_run *run);

/* Take what the hook may say into the chain's verdict; fills in the run's effects. */
void merge_verdict(struct dispatch *d, const struct hook *h, struct verdict *v,
                   struct hook_run *run);

/* The merged verdict's `replace`: every field that changed, as the chain left it. */
void merge_finish(struct dispatch *d);

void observe_outcome(struct dispatch *d);
