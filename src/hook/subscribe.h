/*
 * subscribe.h - what a program says it is for, where its entry does not.
 *
 *     [{"point":"tool.execute.before","tool":"bash","layer":"guard"}, {"point":["Stop"]}]
 *
 * Keys are those of an entry, with the same meanings: `point` (for `on`), `tool`, `agent`,
 * `session`, `layer`, `priority`, `timeout`, `mode`. What the entry itself says wins.
 */
#pragma once

#include "hook/hook.h"

struct subscribed {
    struct hook_traits *traits; /* one for each subscription that makes sense */
    size_t count;
};

/*
 * What makes no sense, or would call the hook twice for one event, is a problem and left out.
 * Release it when no hook has the traits any more: matchers may hold regular expressions.
 */
struct subscribed subscribe_read(struct arena *a, const struct hook_entry *entry,
                                 const struct json *list, struct problems *problems);
void subscribe_release(const struct hook_entry *entry, const struct subscribed *s);

/* Give the hook its traits: the first to itself, a part for each of the others. */
void subscribe_hook(struct arena *a, struct hook *h, const struct subscribed *s);
