/*
 * conversation.h - conversations in the store: messages that are only ever added, in generations.
 *
 *     r = conversation_create(store, &(struct conversation){ .id = id, .cwd = cwd, … }, e);
 *     r = conversation_append(store, id, expected, &rows, &totals, e);      one commit
 *     r = conversation_load(store, id, 0, a, &rows, e);
 *
 * A message is a line of JSON the store does not look into. Adding the 10,000th costs what the
 * first did. A compaction or mutation starts a generation with messages of its own; the rows of the
 * one before stay and can be brought back. Everything that has returned 0 survives a kill at any
 * moment.
 */
#pragma once

#include "store/store.h"

struct conversation {
    const char *id;                                       /* sortable by time */
    const char *workspace, *cwd, *agent, *model, *recipe; /* "" or NULL: none */
    const char *title;  /* one line; the first user message unless somebody said another */
    const char *parent; /* the session that started it; "" or NULL: a person did */
    const char *origin; /* the conversation it was forked from; "" or NULL: none */
    int64_t created_ms, updated_ms;
    uint32_t generation; /* from 1 */
    uint64_t messages;   /* of the generation */
    const char *usage;   /* totals, a JSON object; "" or NULL: none */
    double cost;         /* in dollars; 0: not known */
};

struct conversation_message {
    struct str line;  /* the message, one JSON object */
    struct str usage; /* of the request that brought it, a JSON object; unset: none */
    double cost;
    int64_t at_ms;
};

struct conversation_rows {
    struct conversation_message *list;
    size_t count;
};

/* What changes with an append besides the messages; agent and model go together. */
struct conversation_totals {
    const char *usage; /* NULL: as it was */
    double cost;
    const char *agent, *model; /* NULL: as they were */
};

struct conversation_query {
    const char *workspace; /* NULL: any */
    const char *search;    /* a text in title or messages; NULL: any */
    bool subagents;        /* those that a session started, too */
    size_t limit;          /* the newest N; 0: all */
};

MUST_CHECK int conversation_create(struct store *s, const struct conversation *c, struct err *e);

/* -ENOENT names it. An id may be cut short where that is unambiguous; -ENOTUNIQ. */
MUST_CHECK int conversation_get(struct store *s, const char *id, struct arena *a,
                                struct conversation *out, struct err *e);

/*
 * Add to the newest generation. `expected` is how many messages the caller knows of it: -ESTALE
 * when another process has added some.
 */
MUST_CHECK int conversation_append(struct store *s, const char *id, uint64_t expected,
                                   const struct conversation_rows *rows,
                                   const struct conversation_totals *totals, struct err *e);

/* The messages of a generation (0: the newest), in order, in the arena. */
MUST_CHECK int conversation_load(struct store *s, const char *id, uint32_t generation,
                                 struct arena *a, struct conversation_rows *rows, struct err *e);

struct conversation_generation {
    uint32_t generation;
    const char *trigger;
    uint64_t messages;
    int64_t at_ms;
};
MUST_CHECK int conversation_generations(struct store *s, const char *id, struct arena *a,
                                        struct conversation_generation **out, size_t *count,
                                        struct err *e);

MUST_CHECK int conversation_rename(struct store *s, const char *id, const char *title,
                                   struct err *e);

/* A generation: what started it (compaction, callback, hook, restore, fork), and its messages. */
struct conversation_part {
    const char *trigger;
    int64_t at_ms;  /* 0: now */
    uint64_t known; /* messages of the generation it ends, to the caller's knowledge; 0: any */
    struct conversation_rows rows;
};

/*
 * Start a generation, in one commit. `totals` NULL: as they were. -ESTALE when the one it ends has
 * messages the caller does not know of.
 */
MUST_CHECK int conversation_replace(struct store *s, const char *id,
                                    const struct conversation_part *part,
                                    const struct conversation_totals *totals, uint32_t *generation,
                                    struct err *e);

/*
 * A whole conversation at once, as it was elsewhere: `about` with its times and totals, every
 * generation with its messages. -EEXIST when there is one of that id, unless it is to be replaced.
 */
MUST_CHECK int conversation_put(struct store *s, const struct conversation *about,
                                const struct conversation_part *parts, size_t count, bool replace,
                                struct err *e);

/* All of it goes, every generation and its claim. -ENOENT. */
MUST_CHECK int conversation_delete(struct store *s, const char *id, struct err *e);

/* Newest first. */
MUST_CHECK int conversation_list(struct store *s, const struct conversation_query *q,
                                 struct arena *a, struct conversation **out, size_t *count,
                                 struct err *e);

/*
 * Held while a process works on a conversation; the kernel gives it up with the process. -EBUSY:
 * the other process is named. Release it by closing the descriptor. The memory store has none: -1
 * is put in `fd`.
 */
MUST_CHECK int conversation_claim(struct store *s, const char *id, int *fd, struct err *e);
