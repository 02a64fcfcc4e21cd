/*
 * tenant.h - the runtimes of a daemon: one for each workspace and environment it has answered for.
 *
 *     struct tenant *t;
 *     r = tenants_take(&all, &(struct tenant_key){ cwd, "claude", vars }, &t, e);
 *     … engine_emit(tenant_runtime(t)->engine, …) …
 *     tenants_give(&all, t);
 *
 * What makes a runtime is the workspace, the agent that is answered and the variables that say
 * where things are and what is set: HOME, PATH, XDG_* and HOOKE_*. Each keeps copies of its own.
 * Taking one looks whether a file of its configuration has changed and then loads it anew, whole;
 * while one thread does, others go on with what is in force. TENANTS_MAX are kept, the one that has
 * not been used for longest goes first; those in use stay as long as they are. Closing one waits
 * for what it does in the background, so a thread of its own does it and nobody else has to wait.
 */
#pragma once

#include "embed/runtime.h"

#include <pthread.h>

#define TENANTS_MAX 32

struct tenant;

struct tenants {
    struct log *log;
    int abort_fd; /* of the runtimes */
    pthread_mutex_t lock;
    struct tenant *first; /* the last used comes first */
    size_t count;
    size_t leaving; /* that are being closed */
    pthread_cond_t left;
};

struct tenant_key {
    const char *cwd;
    const char *answering; /* NULL: no agent that runs hooks itself */
    char *const *vars;     /* of the caller; NULL: the process's */
};

void tenants_init(struct tenants *all, struct log *log, int abort_fd);

/* Waits for what runs in the background. None may be in use. */
void tenants_release(struct tenants *all);

/* Fails as runtime_open() does. Leaves this thread's variables as they were. */
MUST_CHECK int tenants_take(struct tenants *all, const struct tenant_key *key, struct tenant **out,
                            struct err *e);
void tenants_give(struct tenants *all, struct tenant *t);

struct runtime *tenant_runtime(struct tenant *t);

/* Why the configuration as it is written now is not in force, in the arena; NULL: it is. */
const char *tenant_refusal(struct tenant *t, struct arena *a);
