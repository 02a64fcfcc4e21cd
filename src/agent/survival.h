/*
 * survival.h - what of a generation the next one still names: its files and its open todos.
 *
 *     struct survival v = survival_of(a, before, after);
 *     … v.files.kept of v.files.count …
 *
 * A summary cannot be proved right, but one that has lost the path of a file that was being edited
 * can be seen.
 */
#pragma once

#include "agent/message.h"

struct survival_names {
    const struct json *kept, *lost; /* lists of texts */
};

struct survival {
    struct survival_names files; /* that tools were called with */
    struct survival_names todos; /* that were open at the end */
};

/* `before` and `after` are lists of messages; everything is in the arena. */
struct survival survival_of(struct arena *a, const struct json *before, const struct json *after);

/* Whether a text names something, in whatever case. */
bool survival_names(const char *text, struct str what);

/* Whether a todo is still to be done. */
bool survival_is_open(const struct json *todo);

/* The list of the last todo call, or of what a compaction put back; NULL: none. */
const struct json *survival_todos(const struct json *messages);
