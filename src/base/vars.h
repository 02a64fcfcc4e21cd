/*
 * vars.h - the environment variables in force: the process's, unless this thread works for somebody
 * who has others.
 *
 *     const char *home = vars_get("HOME");
 *
 *     char *const *mine = vars_use(theirs);
 *     … everything down to the children that are started sees theirs …
 *     vars_use(mine);
 *
 * A daemon answers for many processes, each with an environment of its own, and what is read from
 * it (folders, settings, what children inherit) must be what the asking process would have read. A
 * thread begins with the process's: whoever starts one for work in hand hands vars_mine() on.
 */
#pragma once

#include "base/arena.h"

/* The value of a variable; NULL: it is not set. Borrowed from the environment in force. */
const char *vars_get(const char *name);

/* All of them, as `environ`. */
char *const *vars_all(void);

/*
 * From now on this thread's variables are `vars` (borrowed, ended by NULL); NULL: the process's.
 * Returns those before, to be used again.
 */
char *const *vars_use(char *const *vars);

/* What was handed to vars_use(); NULL: the process's. */
char *const *vars_mine(void);

/*
 * The umask of programs that run for whoever this thread works for, where it is known; -1: it is
 * not, theirs is the process's. It can't be asked for without being changed for a moment, and
 * threads that only start programs later would have another by then.
 */
int vars_mask(void);
void vars_use_mask(int mask);

/* A copy that lives as long as the arena; NULL for NULL. */
char *const *vars_copy(struct arena *a, char *const *vars);
