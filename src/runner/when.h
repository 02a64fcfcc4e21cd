/*
 * when.h - the condition of a hook: a Lua expression over the event.
 *
 * Compiled by the first run that needs it, in a box (lua_box.h); idle boxes wait for the next run,
 * so that any number of threads may evaluate at once.
 */
#pragma once

#include "hook/hook.h"

struct when;

/*
 * The condition of an entry, which must outlive it; NULL: it has none. A condition that uses names
 * which no event of its points, no session and not the library has is refused, and so is one that
 * cannot be compiled, unless the configuration was checked before: then its first run says so.
 */
MUST_CHECK int when_load(const struct hook_entry *entry, const struct problems *problems,
                         struct when **out, struct err *e);
void when_free(struct when *w);

/* A NULL condition holds. */
MUST_CHECK int when_test(struct when *w, const struct hook_call *c, bool *truth, struct err *e);
