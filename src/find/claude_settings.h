/*
 * claude_settings.h - the `hooks` of Claude's settings files: of each event one entry with all its
 * handlers, in the order user, project, local.
 *
 *     struct claude_settings c = { .arena = a, .problems = p, .project = "/repo" };
 *     claude_settings_read(&c, &origin, text);      once for each file, the user's first
 *     for (struct setting *entry = c.first; entry; entry = entry->next) …
 *
 * A handler that is wrong, of a kind that is not run, or of an event that has no point is a problem
 * and left out; the others stay. Handlers that run hooke are left out in silence: they are how an
 * agent calls it.
 */
#pragma once

#include "find/found.h"

struct claude_settings {
    struct arena *arena;
    struct problems *problems;
    const char *project; /* what ${CLAUDE_PROJECT_DIR} stands for */
    bool user_off;       /* the user's settings have `disableAllHooks` */
    bool changed;        /* what is read is what was trusted of a file that has changed */
    struct setting *first, *last;
};

/* One file; `file` says whose it is. Takes over what it says. */
void claude_settings_read(struct claude_settings *c, const struct origin *file, struct str text);

/* The usual files. */
void claude_settings_find(struct found *found);
