/*
 * tmpdir.h - a folder of its own for one test, gone when the variable leaves scope.
 *
 *     CLEANUP(tmpdir) struct tmpdir dir = { 0 };
 *     tmpdir_make(&dir);
 *     use(dir.path);
 */
#pragma once

#include "test.h"

#include <ftw.h>
#include <stdlib.h>

struct tmpdir {
    char path[64];
};

static inline void tmpdir_make(struct tmpdir *dir)
{
    snprintf(dir->path, sizeof(dir->path), "/tmp/hooke-test-XXXXXX");
    assert_non_null(mkdtemp(dir->path));
}

static inline int tmpdir_remove_entry(const char *path, const struct stat *st UNUSED,
                                      int type UNUSED, struct FTW *at UNUSED)
{
    return remove(path);
}

static inline void tmpdir_cleanup(struct tmpdir *dir)
{
    nftw(dir->path, tmpdir_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
