/*
 * child.h - what every program that hooke starts has in its environment: no keys of model
 * providers unless somebody has named them for it, and how deep inside hooks it is.
 *
 *     env = child_env(a, &(struct child_needs){ config->root, common, own }, 2, &count);
 *     env[count++] = child_depth(a);
 *
 * Entries are those of struct proc: "K=V" sets a variable, "K" takes one out.
 */
#pragma once

#include "hook/setting.h"

/*
 * The variables that hold keys of model providers: those people have anyway, and every
 * `key_variable` under `providers` of the configuration `root`; NULL: none. Ended by NULL.
 */
const char *const *child_keys(struct arena *a, const struct setting *root);

/*
 * What a program is started for. `common` and `own` are lists of names or maps of values, as the
 * key `env` of entries has them; NULL: none.
 */
struct child_needs {
    const struct setting *root; /* the configuration; NULL: none */
    const struct setting *common, *own;
};

/* Ended by NULL, with room for `more` entries behind the `*count` there are. */
const char **child_env(struct arena *a, const struct child_needs *needs, size_t more,
                       size_t *count);

/* "HOOKE_DEPTH=1", one more than here: hooks do not start hooks. */
const char *child_depth(struct arena *a);

/* How many hooks this process is inside of; 0: none. */
unsigned child_depth_here(void);
