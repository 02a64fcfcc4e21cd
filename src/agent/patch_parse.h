/*
 * patch_parse.h - what the readers of the two forms of patches share. Private to patch*.c.
 *
 * A reader looks at `line`, says what it found with patch_add_file(), patch_begin_hunk() and
 * patch_take_line(), and goes on with patch_advance().
 */
#pragma once

#include "agent/patch.h"

/* A line of the hunk that is read. */
struct patch_taken {
    struct patch_taken *next;
    struct patch_line it;
};

struct patch_anchor {
    struct patch_anchor *next;
    struct str text;
};

struct patch_parsing {
    struct arena *arena;
    struct str rest; /* unset at the end */
    struct str line; /* the one looked at, without its end; unset at the end */
    unsigned place;  /* its number */
    struct patch *patch;
    struct patch_file *file, **file_end;
    struct patch_hunk *hunk, **hunk_end;
    struct patch_taken *lines, *last_line;
    struct patch_anchor *anchors, **anchor_end;
    size_t line_count, anchor_count;
    const char *rename_from, *rename_to; /* what git says before "---" */
    struct err *e;
};

/* The readers; the line looked at is the first. */
MUST_CHECK int patch_read_plain(struct patch_parsing *p);
MUST_CHECK int patch_read_unified(struct patch_parsing *p);

void patch_advance(struct patch_parsing *p);
bool patch_at_end(const struct patch_parsing *p);
bool patch_is_blank(struct str line);

/* Whether the line begins so; `after`, if wanted, is what follows, without white space around it.
 */
bool patch_begins(const struct patch_parsing *p, struct str with, struct str *after);

/* An error that names the line. */
MUST_CHECK int patch_refuse(struct patch_parsing *p, const char *what);

void patch_add_file(struct patch_parsing *p, enum patch_kind kind, struct str path);
void patch_begin_hunk(struct patch_parsing *p);
void patch_add_anchor(struct patch_parsing *p, struct str text);

/* Take the line into the hunk, if it is one of a hunk, and advance. */
bool patch_take_line(struct patch_parsing *p);
bool patch_begins_line(const struct patch_parsing *p);
char patch_line_kind(struct str line);

/*
 * `trim`: leave empty lines at its end out. They are more likely the writer's than the file's, and
 * without them less is checked, but nothing else changes.
 */
void patch_end_hunk(struct patch_parsing *p, bool trim);

/* Whether it changes anything. */
MUST_CHECK int patch_check_hunk(struct patch_parsing *p);

/* "-a,b +c,d @@"; a count that is left out is 1. */
bool patch_read_numbers(struct str text, unsigned *old_line, long *old_count, long *new_count);
