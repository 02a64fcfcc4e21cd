/*
 * handler.h - one program of a command hook: its words, its environment, which events it is for.
 *
 * Made once, when the configuration is loaded; immutable from then on and shared by all threads.
 */
#pragma once

#include "dialect/dialect.h"
#include "hook/hook.h"

struct handler {
    const struct hook_handler *said;
    unsigned number;                             /* from 1, in configured order */
    const char *label;                           /* for messages: "'./check.sh' (hooks.yaml:7)" */
    const struct setting *env_common, *unpinned; /* the hook's; NULL: none */
    const char **env; /* changes that are the same for every run, ended by NULL */
    size_t env_count;
    struct dialect_filter *filter; /* NULL: every event */
    uint32_t timeout_ms;
    const char *broken; /* every run of it fails with this; NULL: it can run */
};

/* What all handlers of a hook have in common. */
struct handler_common {
    const struct setting *root; /* the configuration; NULL: none */
    const struct dialect *dialect;
    const struct setting *env, *unpinned; /* the hook's; NULL: none */
    const char *as; /* the foreign name of the event it is for; NULL: several, or none */
    uint32_t timeout_ms;
    struct problems *problems;
};

/* What is wrong with it is a problem of the configuration and makes it `broken`. */
void handler_load(struct arena *a, const struct handler_common *common,
                  const struct hook_handler *said, struct handler *h);
void handler_unload(const struct handler *h, const struct dialect *d);

/* Whether it wants the event. */
bool handler_wants(const struct handler *h, const struct dialect *d, struct arena *a,
                   const struct dialect_event *ev);

/*
 * How to start it for the event, without input and deadline: everything of the workspace in it is
 * checked and replaced by its copy. In the arena of the call.
 */
MUST_CHECK int handler_proc(const struct handler *h, const struct hook_call *c,
                            const struct dialect *d, const struct dialect_event *ev,
                            struct proc *out, struct err *e);
