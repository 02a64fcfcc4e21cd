/*
 * file.h - whole files: read with a limit, written so that a reader sees the old or the new bytes
 * and never a part; which file is which, and whether it is still the same.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

#include <dirent.h>
#include <stdint.h>
#include <sys/stat.h>

/* The bytes of a regular file, terminated, in the arena. Longer than `max`: -EFBIG. */
MUST_CHECK int file_read(struct arena *a, const char *path, size_t max, struct str *text,
                         struct err *e);

/* Write a temporary file beside `path` and rename it; folders that are missing are made. */
MUST_CHECK int file_write(const char *path, struct str text, mode_t mode, struct err *e);

/* Make `dir` and the folders above it (0700). It is fine if it exists. */
MUST_CHECK int file_mkdirs(const char *dir, struct err *e);

/*
 * Lock "<path>.lock", which is made if need be; closing the descriptor that is returned unlocks.
 * `wait`: until whoever has it lets go, else -EWOULDBLOCK at once.
 */
MUST_CHECK int file_lock(const char *path, bool wait, struct err *e);

static inline void dir_cleanup(DIR **dir)
{
    if (*dir)
        closedir(*dir);
}

/* Identity ------------------------------------------------------------------------------------- */

/* Enough to tell that a file is the one that was read. */
struct file_identity {
    bool exists;
    int64_t mtime_ns, ctime_ns;
    uint64_t size, inode, device;
    uint32_t mode;
};

struct file_identity file_identity(const struct stat *st);

/* Whether `count` more descriptors could be had, up to 16. */
bool file_spare(size_t count);

/*
 * The same for a path. One that cannot be looked at is there, with nothing else known of it:
 * reading it will say why it is of no use.
 */
struct file_identity file_identify(const char *path);

/* So new that it may change again without a new time. */
bool file_is_young(const struct file_identity *id);

/* Whether two names lead to one file or folder that is there. */
bool file_is_same(const char *x, const char *y);
