/*
 * env.h - the environment of a child, and where its program may be found.
 *
 * Results are allocated in the arena or borrowed from what is passed.
 */
#pragma once

#include "base/arena.h"

/* `base` with the changes of struct proc's `env` made: `base` itself when there are none. */
char *const *env_change(struct arena *a, char *const *base, const char *const *changes);

/* The value of a variable, NULL if it is not there. */
const char *env_get(char *const *env, const char *name);

/*
 * The files to try for a program, in order, ending with NULL: the name itself when it has a slash,
 * else one for each folder in PATH. A relative one is meant from the child's folder.
 */
char *const *env_candidates(struct arena *a, char *const *env, const char *program);
