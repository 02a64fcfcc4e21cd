/*
 * spill.h - output too long for a model to read: all of it goes to a file, which the session may
 * read although it is outside the workspace. Only the newest SPILL_FILES are kept.
 */
#pragma once

#include "base/arena.h"

#define SPILL_FILES 200

/* The file it went to, in the arena; NULL: it could not be written. */
char *spill_write(struct arena *a, const char *session, struct str text);

/* Whether `path`, without symbolic links, is such a file of that session. */
bool spill_is(struct arena *a, const char *session, const char *path);
