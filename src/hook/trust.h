/*
 * trust.h - which workspace files may be used: those whose bytes somebody has pinned.
 *
 *     if (trust_check(file, path, bytes) == TRUST_PINNED) …
 *
 * The trust file has one line per pin, "<BLAKE2b-256 in hex>  <absolute path>", and lies outside
 * the workspace: $XDG_CONFIG_HOME/hooke/trusted, or what HOOKE_TRUST names.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

enum trust {
    TRUST_UNKNOWN, /* nobody has pinned the path */
    TRUST_PINNED,
    TRUST_CHANGED, /* pinned, but with other bytes */
};

/* What HOOKE_TRUST says, else "trusted" in the folder of the user's configuration. */
char *trust_file(struct arena *a, const char *user_dir);

/* A trust file that is missing or cannot be read pins nothing. */
enum trust trust_check(const char *trust_file, const char *path, struct str bytes);

/* Pin these bytes of `path`, in place of those pinned before. */
MUST_CHECK int trust_pin(const char *trust_file, const char *path, struct str bytes, struct err *e);

/*
 * Whether only the user and root can have written `path`, a file or a folder: owned by one of them
 * and not writable for everybody. Else -EPERM.
 */
MUST_CHECK int trust_owner_check(const char *path, struct err *e);
