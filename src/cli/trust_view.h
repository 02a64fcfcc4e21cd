/*
 * trust_view.h - what somebody sees before they trust a file: its text, or how it has changed, with
 * everything in it that could deceive the eye or drive the terminal made visible.
 */
#pragma once

#include "cli/cli.h"

/* One line of a file, of any bytes: control characters, what is no UTF-8, and characters that are
 * invisible or turn the direction of text are written as escapes. */
char *trust_view_line(struct arena *a, struct str line);

/* The text, the first lines of it unless `full`. */
void trust_view_text(struct cli *cli, struct str text, bool full);

/* What `diff` says of a file and a text, under these names; false: it cannot say. */
bool trust_view_diff(struct cli *cli, const char *file, struct str text,
                     const char *const names[2]);

/* The same of the kept copy and the text; without it, both. */
void trust_view_change(struct cli *cli, const char *copy, struct str text, bool full);
