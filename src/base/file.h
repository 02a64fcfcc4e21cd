/*
 * file.h - whole files: read with a limit, written so that a reader sees the old or the new bytes
 * and never a part.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

#include <sys/types.h>

/* The bytes of a regular file, terminated, in the arena. Longer than `max`: -EFBIG. */
MUST_CHECK int file_read(struct arena *a, const char *path, size_t max, struct str *text,
                         struct err *e);

/* Write a temporary file beside `path` and rename it; folders that are missing are made. */
MUST_CHECK int file_write(const char *path, struct str text, mode_t mode, struct err *e);

/* Make `dir` and the folders above it (0700). It is fine if it exists. */
MUST_CHECK int file_mkdirs(const char *dir, struct err *e);
