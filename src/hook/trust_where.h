/*
 * trust_where.h - where a file lies: in the workspace, in the folders of the system, elsewhere.
 * Internal to hook/trust_*.c.
 */
#pragma once

#include "hook/trust_words.h"

struct trust_where {
    const char *root, *real_root; /* of the workspace */
    const char *cwd;              /* of what will run */
};

struct trust_where trust_where(struct arena *a, const struct trust_request *rq);

/* By its name or by where it really lies. */
bool trust_is_inside(const struct trust_where *w, const char *path);
bool trust_needs_pin(const struct trust_where *w, const char *path);

/* A program by its bare name: the first in PATH, when that needs a pin in the workspace; or NULL.
 */
char *trust_find_in_path(struct arena *a, const struct trust_where *w, const char *name);

/*
 * A script is run by what its first line names, which no copy can stand for: that must not be the
 * workspace's. TRUST_REFUSED if it is.
 */
MUST_CHECK int trust_check_interpreter(const struct trust_where *w, struct str text, struct err *e);
