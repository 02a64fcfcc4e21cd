/*
 * site.h - the file a tool call was about, and texts of its workspace that are there for a model.
 *
 *     struct site s;
 *     if (site_find(c, &s) && site_read(c->arena, &s, path, &text))
 *         …
 *
 * The workspace is that of the session's folder. Everything is compared after symbolic links, by
 * component: neither the file nor a text may be outside, whatever a link says.
 */
#pragma once

#include "hook/hook.h"

#define SITE_FILE_MAX ((size_t)1 << 20) /* a larger text is none that anybody wrote for a model */

struct site {
    const char *root; /* of the workspace; real, as are all paths here */
    const char *file; /* that the call was about */
    struct str rest;  /* of a patch: what is behind the line that names it */
};

/* False: the call names no file, none that is there, or one outside the workspace. */
bool site_find(const struct hook_call *c, struct site *out);

/* The next file of a patch. False: there is none. */
bool site_next(const struct hook_call *c, struct site *s);

/* The workspace alone, for events that are about no file. */
bool site_root(const struct hook_call *c, struct site *out);

/* The path of something inside a folder, seen from there. */
const char *site_below(const char *folder, const char *path);

struct site_text {
    const char *path; /* real */
    const char *name; /* as seen from the workspace */
    struct str text;  /* trimmed, terminated, never empty */
};

/* False: it is not there, cannot be read, is empty or outside. */
bool site_read(struct arena *a, const struct site *s, const char *path, struct site_text *out);

/* At most `max` bytes of it, whole lines, with a line that says where the rest is. */
struct str site_cut(struct arena *a, const struct site_text *t, size_t max);

/*
 * Bytes the hook may inject at this event; after a compaction no more than a tenth of the window,
 * or the conversation would soon have to be compacted again.
 */
size_t site_budget(const struct hook_call *c);

/*
 * Bytes of one text that has `around` more about it: at most `max`, and never more than a call of
 * its own has room for, since what fits into none would never be told.
 */
size_t site_room(const struct hook_call *c, size_t around, size_t max);

/*
 * What was said stays said until the session is compacted, then it may be said again. Of several
 * events at once only one is told that it was first.
 */
MUST_CHECK int site_was_said(const struct hook_call *c, const char *key, bool *said, struct err *e);
MUST_CHECK int site_say(const struct hook_call *c, const char *key, bool *first, struct err *e);

/*
 * What was said is also kept, with a word on why, beyond a compaction: `session.created` with the
 * source compact is the time to put back what the summary has lost.
 */
struct site_kept {
    const char *path, *why;
};

MUST_CHECK int site_keep(const struct hook_call *c, const char *path, const char *why,
                         struct err *e);

/* All that was kept, by path; none where the event is not about a compaction. */
MUST_CHECK int site_kept(const struct hook_call *c, struct site_kept **list, size_t *count,
                         struct err *e);

/* Whether the summary has the text. */
bool site_survived(const struct hook_call *c, struct str text);
