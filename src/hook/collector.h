/*
 * collector.h - the per-session place where hooks leave context to be injected later.
 *
 * Entries are keyed by source and id: the same key overwrites. They come out by priority (critical,
 * high, normal, low), then in the order their keys were first left. Nothing is gone until whoever
 * placed it says so with collector_consume(). An entry with `once` can't come back after that.
 */
#pragma once

#include "hook/inject.h"
#include "store/store.h"

#define COLLECTOR_SEPARATOR "\n\n---\n\n"

#define COLLECTOR_OWNER "@collector" /* stands where a hook's name stands in the store */

/* The tags of the parts that collector_place() makes. */
#define COLLECTOR_TAG      "context"
#define COLLECTOR_TAIL_TAG "volatile"

struct collector {
    struct store *store;
    const char *session;
};

/* Leave an entry; its source, class and place must be set. 1: taken, 0: it was there once already.
 */
MUST_CHECK int collector_add(const struct collector *c, const struct injection *i, struct err *e);

/* What is pending, as a list in order, in the arena. NULL: nothing. */
MUST_CHECK int collector_peek(const struct collector *c, struct arena *a, struct injection **list,
                              struct err *e);

/* Texts of a list, joined by the separator; "" for none. */
char *collector_merge(struct arena *a, const struct injection *list);

/* These were placed. An entry that was overwritten since it was peeked at stays. */
MUST_CHECK int collector_consume(const struct collector *c, const struct injection *list,
                                 struct err *e);

MUST_CHECK int collector_clear(const struct collector *c, struct err *e);

/*
 * Put into `messages` all there is to put, and consume what was placed:
 *   - what was anchored to messages by earlier calls, with the very bytes it had;
 *   - pending deterministic entries as one tagged part of the newest message, before its first text
 *     when it is a user message no earlier call has seen, else at its end; anchored from then on;
 *   - pending entries that are to be apart, each as a part of its own at the end of that message,
 *     tagged with its source and anchored likewise;
 *   - volatile entries as one tagged part at the very end.
 * What was said since the user last spoke, with the same text, is consumed and not said again.
 * With no message to hold them, or when the newest is the model's own, they stay pending. Nothing
 * to put: `placed` is `messages` itself.
 */
MUST_CHECK int collector_place(const struct collector *c, struct arena *a,
                               const struct json *messages, const struct json **placed,
                               struct err *e);

/*
 * Whether `messages` say it already: the same text of the same source and id was anchored to one of
 * them since the user last spoke.
 */
MUST_CHECK int collector_says(const struct collector *c, const struct json *messages,
                              const struct injection *i, bool *says, struct err *e);

/*
 * The same between two renders, for what is to be apart: it is pending, or the last render had it
 * since the user last spoke.
 */
MUST_CHECK int collector_said(const struct collector *c, const struct injection *i, bool *said,
                              struct err *e);

/* Forget the anchors: the messages they belong to are gone. */
MUST_CHECK int collector_forget_anchors(const struct collector *c, struct err *e);

/* The key, under its source, that marks an entry as said once and for all. */
char *collector_once_key(struct arena *a, const char *id);
