/*
 * editor.h - lines a person types, with editing and a history that outlives the process.
 *
 *     r = editor_open(&ed, abort_fd, history_file, e);
 *     switch (editor_read(ed, &arena, &text)) …
 *
 * libedit does the work; it is loaded here, so that no other verb pays for it.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

struct editor;

enum editor_result {
    EDITOR_TEXT,
    EDITOR_DROPPED, /* Ctrl-C: what was typed is not meant */
    EDITOR_END,     /* Ctrl-D, or nobody is there any more */
};

/* `history` NULL: none is kept. -ENOENT: there is no libedit. */
MUST_CHECK int editor_open(struct editor **out, int abort_fd, const char *history, struct err *e);
void editor_close(struct editor *ed);

/* A text, in the arena; several lines where each but the last ends in a backslash. */
enum editor_result editor_read(struct editor *ed, struct arena *a, char **text);
