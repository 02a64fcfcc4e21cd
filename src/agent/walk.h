/*
 * walk.h - the files of the workspace a person would call theirs: without .git, and without what
 * .gitignore leaves out.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

#define WALK_MAX 200000u /* files looked at */

/* `path` is relative to where the walk began. Non-zero ends the walk and is handed on. */
typedef int walk_fn(void *context, const char *path);

/*
 * Every file below `root`, folder by folder, in the order of names. The .gitignore files between
 * `top`, which is `root` or above it, and `root` count too. -EOVERFLOW: there are more than
 * WALK_MAX.
 */
struct walk {
    const char *top, *root; /* absolute, normalized */
    int abort_fd;           /* as in proc.h; -ECANCELED */
    walk_fn *each;
    void *context;
};

MUST_CHECK int walk_files(const struct walk *w, struct err *e);
