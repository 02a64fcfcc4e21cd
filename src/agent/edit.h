/*
 * edit.h - changing files for the model: what it did not read it may not overwrite, and what
 * somebody else changed meanwhile it must read again. Mode and line ends stay as they were, and a
 * reader sees the old bytes or the new, never a part.
 */
#pragma once

#include "agent/tool.h"

#include <sys/types.h>

#define EDIT_FILE_MAX ((size_t)16 << 20)

/* The text of a file that may be changed; -ENOENT when there is none. */
MUST_CHECK int edit_read(const struct tool_call *c, const char *path, struct str *text,
                         struct err *e);

/* Put a text in its place and remember it as read. `mode` 0: as it is, or 0644 for a new file. */
MUST_CHECK int edit_write(const struct tool_call *c, const char *path, struct str text, mode_t mode,
                          struct err *e);

/* How the file's lines end: "\r\n" or "\n". */
const char *edit_line_end(struct str text);

/* `text` with those line ends; what is there already stays. */
struct str edit_with_line_end(struct arena *a, struct str text, const char *end);

/* `text` in the form of the file it replaces: with its line ends, and its byte order mark. */
struct str edit_in_form_of(struct arena *a, struct str before, struct str text);

#define EDIT_BYTE_ORDER_MARK STR("\xef\xbb\xbf")

/* {"added":…,"removed":…} lines, for `metadata`. */
const struct json *edit_count(struct arena *a, struct str before, struct str after);
