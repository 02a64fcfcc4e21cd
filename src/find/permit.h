/*
 * permit.h - whether a file may be used at all: of a workspace only with the bytes somebody
 * trusted.
 */
#pragma once

#include "hook/config.h"
#include "hook/trust.h"

struct permit {
    enum trust trust;
    struct str bytes;    /* of the file, when it may be used; all that were asked for */
    const char *program; /* what to start in its place, to ask it */
    bool kept; /* it has changed: bytes and program are what was trusted, to be read only */
};

/* How a file begins; false when it cannot be read. */
bool permit_head(struct arena *a, const char *path, size_t max, struct str *out);

/*
 * Looks at the file, keeps it among the configuration's files and says nothing. False: it may not
 * be used, and `trust` says why. Of a file of the user at most `max` bytes are read, of one of a
 * workspace all: they are what was trusted. What was trusted of a file that has changed tells which
 * hooks must not go missing: those whose absence counts as a failure.
 */
bool permit_file(struct config_finding *f, const char *path, enum source source, size_t max,
                 struct permit *out);

/* How many files were left out because nobody trusts them. */
struct permit_count {
    const char *path; /* of the first */
    size_t unknown, changed;
};

void permit_count(struct permit_count *c, const char *path, enum trust trust);

/* One warning, for one file or for all in a folder. */
void permit_warn(struct config_finding *f, const char *folder, const struct permit_count *c);
