/*
 * seen.h - which versions of which files a session knows, so that it does not write over what
 * somebody else has changed meanwhile.
 *
 *     seen_note(seen, path, &st);                            after reading or writing it
 *     r = seen_check(seen, path, e);                         before writing it
 *
 * Several threads may use one; read-only tools run side by side.
 */
#pragma once

#include "base/err.h"

#include <sys/stat.h>

struct seen_files;

struct seen_files *seen_new(void);
void seen_free(struct seen_files *s);

/* Nothing is known any more: the conversation has forgotten what it read. */
void seen_forget(struct seen_files *s);

/*
 * A version of the file is known: what stat() said of it before it was read, so that a change while
 * it was read counts as one; NULL: the file as it is now.
 */
void seen_note(struct seen_files *s, const char *path, const struct stat *st);

/* 0: known and unchanged, or not there. -ESTALE: changed since. -ENOENT: never read. */
MUST_CHECK int seen_check(struct seen_files *s, const char *path, struct err *e);
