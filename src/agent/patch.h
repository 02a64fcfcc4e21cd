/*
 * patch.h - patches as models write them: read, and applied to a text. Neither touches a file.
 *
 *     r = patch_parse(a, text, &p, e);
 *     for (const struct patch_file *f = p.first; f; f = f->next)
 *         r = patch_apply(a, f, before, &after, e);
 *
 * Two forms are known. The first says no line numbers:
 *
 *     *** Begin Patch
 *     *** Update File: src/a.c            or Add File, Delete File
 *     *** Move to: src/b.c                only after Update File
 *     @@ int main(void)                   a line somewhere before the change; may be left out
 *      kept
 *     -removed
 *     +added
 *     *** End of File                     the change is at the end; may be left out
 *     *** End Patch
 *
 * The second is the unified diff, with or without what git writes around it. Its line numbers
 * decide where a change fits in several places, and are otherwise not believed: models cannot
 * count.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

#define PATCH_MAX ((size_t)4 << 20)

struct patch_line {
    char kind; /* ' ', '-' or '+' */
    struct str text;
    bool open; /* a unified diff says that no line break follows */
};

struct patch_hunk {
    struct patch_hunk *next;
    unsigned number;     /* in its file, from 1 */
    unsigned place;      /* its line in the patch, from 1 */
    struct str *anchors; /* texts after @@, outermost first */
    size_t anchor_count;
    unsigned old_line; /* where a unified diff says it is; 0: unsaid */
    bool at_end;
    struct patch_line *lines;
    size_t count;
};

enum patch_kind { PATCH_UPDATE, PATCH_ADD, PATCH_DELETE };

struct patch_file {
    struct patch_file *next;
    enum patch_kind kind;
    const char *path;
    const char *move_to; /* NULL: it stays */
    bool unified;
    struct patch_hunk *hunks; /* of an added file: one, all of it added */
};

struct patch {
    struct patch_file *first;
    size_t count;
};

/* All is in the arena, and points into `text`. The error names the line of the patch. */
MUST_CHECK int patch_parse(struct arena *a, struct str text, struct patch *out, struct err *e);

/*
 * The text with the file's hunks applied. Lines that stay keep their bytes, line ends included;
 * those that come get the line ends of the file. Kept and removed lines must be there as they are
 * said, but for white space at their ends. The error names the hunk, what it expects and what is
 * there.
 */
MUST_CHECK int patch_apply(struct arena *a, const struct patch_file *f, struct str before,
                           struct str *after, struct err *e);
