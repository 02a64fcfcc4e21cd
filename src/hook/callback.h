/*
 * callback.h - functions that hooks offer under a name, for whoever answers `callback: NAME`.
 *
 * A built-in lists its own in its hook_def, a resident program names its own when it is greeted;
 * the registry finds them. Recipes are callbacks too, and the agent's: it looks here first.
 *
 *     const struct hook *h;
 *     const struct hook_callback *cb = registry_callback(reg, "summarize", &h);
 *     if (cb)
 *         r = cb->run(&(struct callback_call){ .hook = h, … }, &text, e);
 */
#pragma once

#include "hook/event.h"

struct engine;
struct registry;
struct hook;
struct hook_io;

struct callback_call {
    struct engine *engine;
    struct registry *registry;
    const struct hook *hook; /* that offers it */
    const char *name;
    const struct session *session;
    const struct json *args;     /* an object: `callback_args` */
    const struct json *messages; /* the history as it is */
    struct arena *arena;         /* `text` is put here */
    struct hook_io *io;          /* for the runner to fill in; goes into the receipt */
    uint64_t deadline_ns;        /* on the monotonic clock */
    int abort_fd;                /* readable or hung up: give up; 0: none */
};

/* `text` becomes the one user message of a new generation; NULL or "": nothing changes. */
typedef int callback_fn(const struct callback_call *c, char **text, struct err *e);

struct hook_callback {
    const char *name; /* NULL ends a list */
    callback_fn *run;
};
