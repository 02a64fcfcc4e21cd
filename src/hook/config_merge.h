/*
 * config_merge.h - several trees of settings become one. Internal to hook/config*.c.
 *
 *     struct config_merge m = { .arena = …, .problems = … };
 *     config_merge_init(&m);
 *     config_merge(&m, tree);        weakest first
 *
 * Later wins, maps merge, `hooks` and `disabled_hooks` add up. Every value is checked before it
 * replaces another, so that a mistake never displaces what was good. The trees are taken apart.
 */
#pragma once

#include "base/suggest.h"
#include "hook/config.h"

/* The scalars of the top level, as checked. */
struct config_values {
    const char *model;
    bool strict, compact_auto, fetch_private;
    double compact_ratio, cost;
    int64_t max_hooks, turns, continuations, tokens, processes, event_timeout;
};

struct config_merge {
    struct arena *arena;
    struct problems *problems;
    struct setting *root;
    struct config_values values;
    const struct setting *locked;     /* list of dotted paths, or NULL */
    const struct setting *permission; /* before a workspace file said anything; NULL: as it is */
};

void config_merge_init(struct config_merge *m);

/* All of `tree` has the source of its own origin. */
void config_merge(struct config_merge *m, const struct setting *tree);

/* Checks ------------------------------------------------------------------------------------- */

/* Whether the value may stand at `path`: known key, right kind, in range; else a problem. */
bool config_check_value(struct config_merge *m, const char *path, const struct setting *s);

/* What is in force where nothing is said. */
void config_store_defaults(struct config_merge *m);

/* Keep a value that passed in m->values, if it is one of those. */
void config_store_value(struct config_merge *m, const char *path, const struct setting *s);

/*
 * Whether a workspace file may say this: it may add and tighten, but not disable, replace or slow
 * a hook of the user or the managed configuration; else a problem. `now` is what is set, or NULL.
 */
bool config_workspace_may(struct config_merge *m, const char *path, const struct setting *s,
                          const struct setting *now);

/* The entry of `hooks` with that name from a source stronger than the workspace, or NULL. */
const struct setting *config_protected_hook(const struct config_merge *m, const char *name);

/* Parts of config_load() ----------------------------------------------------------------------- */

/* HOOKE_* variables and flags. */
void config_environment(struct config_merge *m);
void config_flags(struct config_merge *m, const struct config_flag *flags);

/* Find what entries of the workspace run, and whether it is trusted (config_trust.c). */
void config_read_programs(struct config *c);

/* Whether the trust file can be relied on; else a problem (config_trust.c). */
void config_check_trust(struct config *c);

/* Fill `c` from c->root. */
void config_read_hooks(struct config *c, const char *const *builtins);
void config_read_cadences(struct config *c, const char *const *builtins);
void config_read_disabled(struct config *c, const char *const *builtins);

/* Whether `builtins` (ended by NULL; may be NULL) has the name. */
bool config_is_builtin(const char *const *builtins, const char *name);

static inline const char *config_did_you_mean(struct arena *a, const char *nearest)
{
    return suggest(a, nearest, "");
}
