/*
 * program.h - whether a program that an entry names is still the one it was.
 */
#pragma once

#include "base/arena.h"

/*
 * Everything that tells one version of a program from the next: its words, its environment changes
 * and folder, and for each of its files (the program, and every word that names one) what stat()
 * says. Two equal texts: nothing has changed. `young`: a file is so new that it may change again
 * within the resolution of its times.
 */
const char *program_identity(struct arena *a, const char *const *argv, const char *const *env,
                             const char *cwd, bool *young);
