/*
 * acai.h - what has to be known of a file before it can be an acai hook: which program runs it, and
 * what it says of itself when it is asked.
 *
 *     const char **argv = acai_interpreter(a, file, head, st.st_mode);
 *     if (argv)
 *         … run it with HOOK_ACTION=describe and nothing on its stdin …
 *     r = acai_metadata_parse(a, its_stdout, &m, e);
 *     for (size_t i = 0; i < m.hook_count; i++)
 *         … m.hooks[i].event, m.hooks[i].after …
 *
 * Everything is allocated in the arena.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "hook/point.h"

#define ACAI_HEAD  256 /* bytes at the beginning of a file in which a first line counts */
#define ACAI_HOOKS 100 /* most events one file may name */

/*
 * The words that run `path`, ended by NULL: by its first line (of `head`, its first ACAI_HEAD
 * bytes), else by its extension, else itself when it has no extension and may be executed. NULL:
 * nothing knows how, skip the file.
 */
const char **acai_interpreter(struct arena *a, const char *path, struct str head, unsigned mode);

/* Whether its extension alone says which program runs it. */
bool acai_knows_extension(const char *path);

/* One event a hook wants. */
struct acai_hook {
    const char *event; /* its name, which is a foreign name of `on` */
    struct subscription on;
    bool after; /* timing: it observes what came of the event */
};

struct acai_metadata {
    const char *name, *description;
    struct acai_hook *hooks;
    size_t hook_count;
};

/*
 * What a hook that was asked to describe itself wrote. Fails, with one line that says what is
 * wrong, when it is no such description or names an event or timing that does not exist.
 */
MUST_CHECK int acai_metadata_parse(struct arena *a, struct str text, struct acai_metadata *out,
                                   struct err *e);
