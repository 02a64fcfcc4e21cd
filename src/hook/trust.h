/*
 * trust.h - which workspace files may be used: those whose bytes somebody has pinned.
 *
 *     r = trust_copy(a, config->trust, "/repo/.hooke/lint.sh", &path, e);
 *     … run `path`, which has the pinned bytes and lies outside the workspace …
 *
 * The trust file has one line per pin, "<BLAKE2b-256 in hex>  <absolute path>", and lies outside
 * the workspace: $XDG_CONFIG_HOME/hooke/trusted, or what HOOKE_TRUST or `--trust` names. A pin
 * belongs to a name in a real folder: links to folders are followed, a link to a file is a name of
 * its own, so that turning it to another file is a change.
 *
 * Pinned bytes are kept in $XDG_DATA_HOME/hooke/trusted/<hash>/<name>. While a file has its pinned
 * bytes its copy is what runs; while it has others neither runs. A copy that is missing or has
 * other bytes is made anew: a machine that only got a trust file needs nothing else.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

#include <errno.h>

#define TRUST_FILE_MAX ((size_t)16 << 20) /* bytes of a file that can be pinned */
#define TRUST_HEX_LEN  ((size_t)64)

/* What is returned for something that is not trusted, so that it can be told from a failure. */
#define TRUST_REFUSED (-EKEYREJECTED)

enum trust {
    TRUST_UNKNOWN, /* nobody has pinned the path */
    TRUST_PINNED,
    TRUST_CHANGED, /* pinned, but with other bytes */
};

/* What HOOKE_TRUST says, else "trusted" in the folder of the user's configuration. */
char *trust_file(struct arena *a, const char *user_dir);

/* A trust file that is missing, cannot be read or fails trust_owner_check() pins nothing. */
enum trust trust_check(const char *trust_file, const char *path, struct str bytes);

/* Whether it is pinned, whatever it holds now. */
bool trust_is_pinned(const char *trust_file, const char *path);

/* How a pinned file that is not as it was trusted is spoken of, with the way out. */
char *trust_change(struct arena *a, const char *path);

/* Pin these bytes of `path`, in place of those pinned before, and keep a copy of them. */
MUST_CHECK int trust_pin(const char *trust_file, const char *path, struct str bytes, struct err *e);

/* Take pins away. `*count`: how many there were. */
MUST_CHECK int trust_revoke(const char *trust_file, const char *const *paths, size_t *count,
                            struct err *e);

/* All pins in the order of the file: hash and path of each, ended by one without a path. */
struct trust_pinned {
    char hash[TRUST_HEX_LEN + 1];
    const char *path;
};
MUST_CHECK int trust_pins(struct arena *a, const char *trust_file, struct trust_pinned **pins,
                          struct err *e);

/* The name that a pin of `path` has. */
char *trust_name(struct arena *a, const char *path);

void trust_hash(struct str bytes, char hex[TRUST_HEX_LEN + 1]);

/* Copies (trust_copy.c) ------------------------------------------------------------------------ */

/* The bytes of `path` when they are the pinned ones, else TRUST_REFUSED. */
MUST_CHECK int trust_text(struct arena *a, const char *trust_file, const char *path,
                          struct str *text, struct err *e);

/* The same, as the path of a copy that nobody but the user can write. */
MUST_CHECK int trust_copy(struct arena *a, const char *trust_file, const char *path,
                          const char **copy, struct err *e);

/* Keep these bytes under the last name of `path`. */
MUST_CHECK int trust_keep(struct arena *a, const char *path, struct str bytes, const char **copy,
                          struct err *e);

/* The copy that was kept of pinned bytes, checked; NULL when there is none. */
char *trust_kept(struct arena *a, const struct trust_pinned *pin);

/* The same of what is pinned of `path`, whatever it holds now: to be read, never to be run. */
char *trust_kept_of(struct arena *a, const char *trust_file, const char *path);

/* Owners (trust_owner.c) ----------------------------------------------------------------------- */

/*
 * Fails when somebody other than the user and root may decide what the file holds: it, the folder
 * it is named in or the folder it really lies in belongs to another, or may be written by everybody
 * or by a group that is not the user's own. In a sticky folder such as /tmp only the owner of a
 * file can replace it, so there the owner counts alone.
 */
MUST_CHECK int trust_owner_check(const char *path, struct err *e);
