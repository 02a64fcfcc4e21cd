/*
 * program.h - the programs that entries name: their environment, the files they are.
 */
#pragma once

#include "hook/hook.h"

/*
 * The changes to the environment that are the same for every run, ended by NULL: what `env` (NULL:
 * nothing) sets, and without the keys of model providers unless it names them. Room is left for
 * `more` entries behind them.
 */
const char **program_env(struct arena *a, const struct setting *env, size_t more, size_t *count);

/* "HOOKE_DEPTH=1", one more than here: hooks do not start hooks. */
const char *program_depth(struct arena *a);

/* Whether this process is itself inside a hook. */
bool program_is_inside_hook(void);

/*
 * Everything that tells one version of a program from the next: its words, its environment changes
 * and folder, and for each of its files (the program, and every word that names one) what stat()
 * says. Two equal texts: nothing has changed. `young`: a file is so new that it may change again
 * within the resolution of its times.
 */
const char *program_identity(struct arena *a, const char *const *argv, const char *const *env,
                             const char *cwd, bool *young);
