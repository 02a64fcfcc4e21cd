/*
 * engine.h - one engine: a registry of hooks, a store, a place for receipts.
 *
 *     struct engine *en = engine_new(&(struct engine_options){ .store = store, … });
 *     engine_configure(en, config_load(&where));
 *     r = engine_emit(en, &event, &arena, &receipt, e);
 *     … receipt.verdict, receipt.data …
 *     receipt_release(&receipt);
 *
 * Blocking and re-entrant: any number of threads may emit at once. Each emit works on the registry
 * as it was when it began; configuring swaps in a new one.
 */
#pragma once

#include "base/log.h"
#include "hook/hook.h"
#include "hook/receipt.h"
#include "hook/services.h"
#include "store/store.h"

struct background;
struct registry;
struct slots;

struct engine_options {
    struct log *log;                        /* borrowed; NULL: silent */
    struct store *store;                    /* borrowed */
    const char *receipts;                   /* folder; NULL: none are written */
    const char *captures;                   /* folder of requests to save events; NULL: none */
    const char *capture;                    /* folder that all events are saved to; NULL: none */
    const struct hook_def *const *builtins; /* known ones, ended by NULL */
    const struct runner *const *runners;    /* ended by NULL */
    bool no_hooks;                          /* as in struct registry_sources */
    bool use_builtins;                      /* all that are not off; else those that are used */
    unsigned depth; /* > 0: inside a hook; only what runs in process may run */
    int abort_fd;   /* readable or hung up: end the processes of hooks; never read; 0: none */
};

struct engine *engine_new(const struct engine_options *o);

/* Waits for what runs in the background, each until its own deadline. */
void engine_free(struct engine *en);

/*
 * Take over `config` (NULL: none) and put it in force, whole. Its problems grow by those that need
 * the registry to be found. In two steps for who wants to see them first: a registry that was built
 * is installed or unreferenced. Hooks that were used or registered in between join it.
 */
void engine_configure(struct engine *en, struct config *config);
struct registry *engine_build(struct engine *en, struct config *config);
void engine_install(struct engine *en, struct registry *reg);

/* Use a built-in that is known but not in use. -ENOENT names the nearest one. */
MUST_CHECK int engine_use(struct engine *en, const char *builtin, struct err *e);

/* A hook made of a C function. Names are unique: -EEXIST. Strings are copied. */
struct engine_callback {
    const char *name;
    struct subscription on;
    enum layer layer;
    int priority;
    bool safety_critical;
    hook_fn *run;
    void *context;
};
MUST_CHECK int engine_register(struct engine *en, const struct engine_callback *cb, struct err *e);

/*
 * Run one event through its chain. Fails only for an event that is none (its data is no object, it
 * has no session); hooks that fail are in the receipt. Release the receipt when it succeeded.
 */
MUST_CHECK int engine_emit(struct engine *en, const struct event *ev, struct arena *a,
                           struct receipt *r, struct err *e);

/* Write the receipt of what was not emitted, such as a trial that counts; it gets an id. */
void engine_record(struct engine *en, struct receipt *r);

/* Record what became of a verdict after its event: a receipt of its own that names the event's. */
void engine_note(struct engine *en, const struct receipt *of, const char *text);

/*
 * Try one hook alone: even if the event does not match it, it is off, or its cadence is closed.
 * Nothing is counted, no receipt is written and no state goes with the session; the receipt and
 * `report` say what happened. It must be a hook of the event's point, of the registry in force.
 */
struct engine_trial {
    struct registry *registry;
    const struct hook *hook;
    struct hook_report report;
};
MUST_CHECK int engine_try(struct engine *en, struct engine_trial *trial, const struct event *ev,
                          struct arena *a, struct receipt *r, struct err *e);

/*
 * What the agent around it does for hooks, from now on; NULL: nothing any more. Returns when what
 * was offered before serves nobody any more, so not to be called by a service itself.
 */
void engine_offer(struct engine *en, const struct services *services);

/* -ENOSYS: there is no agent, or it has no such method. */
MUST_CHECK int engine_serve(struct engine *en, const struct service_call *c,
                            const struct json **result, struct err *e);

struct log *engine_log(const struct engine *en);
struct store *engine_store(const struct engine *en);
struct slots *engine_slots(struct engine *en);
struct background *engine_background(struct engine *en);
int engine_abort_fd(const struct engine *en); /* as in its options */

/* The registry in force, with a reference for the caller: registry_unref() it. */
struct registry *engine_look(struct engine *en);
