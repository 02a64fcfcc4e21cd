/*
 * script_traits.h - from what a script registers to the hooks it is: one per distinct set of
 * traits.
 */
#pragma once

#include "runner/script_box.h"

/* Matchers that were made for the parts; all-zero is none. */
struct script_traits {
    struct match *owned[2 * POINT_COUNT];
    size_t count;
};

struct script_parts {
    struct arena *arena;
    const struct hook_entry *entry; /* what it says wins */
    struct script_traits *traits;
    struct problems *problems; /* for warnings */
};

/*
 * Give `h` the traits of what was learned, and add its further parts. `file` is the script's name.
 * With nothing learned, an entry that must not be missing stands at every gate. On failure, too,
 * the hook has traits: it fails where it belongs.
 */
MUST_CHECK int script_traits_apply(const struct script_parts *p, const char *file,
                                   const struct script_learned *learned, struct hook *h,
                                   struct err *e);

/* A broken hook is never unloaded: it must not keep matchers that are released. */
void script_traits_forget(const struct script_traits *t, struct hook *h);
void script_traits_release(struct script_traits *t);
