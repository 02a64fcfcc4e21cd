/*
 * opencode_db.h - which tools OpenCode has called, from the database it keeps of its sessions.
 *
 *     opencode_db_read(a, opencode_db_path(a), since_ms, &sessions, &count);
 *
 * Only looked at: not a byte of it, or beside it, is written. What is not understood is passed
 * over, as in transcript.h: the tables are OpenCode's and change.
 */
#pragma once

#include "find/transcript.h"

#include <stdint.h>

/* NULL: it is told to keep none on disk. */
char *opencode_db_path(struct arena *a);

/* The sessions that were worked on last, with the calls since then that have ended. */
void opencode_db_read(struct arena *a, const char *path, int64_t since_ms, struct transcript **out,
                      size_t *count);
