/*
 * ops.h - what an implementation of store.h provides. Private to src/store.
 *
 * store.c holds the store around every call but free(), so an implementation is never entered twice
 * at once. It embeds `struct store` as its first member and sets it up with store_setup(); free()
 * ends with store_teardown().
 */
#pragma once

#include "store/store.h"

#include <pthread.h>

struct db;
struct store_ops;

struct store {
    const struct store_ops *ops;
    pthread_mutex_t lock; /* of what follows; never held for long */
    pthread_cond_t freed;
    bool held;
    pthread_t holder;
};

/* How far a receipt file was taken in. All-zero for a file nobody has looked at. */
struct receipt_mark {
    uint64_t offset;
    uint64_t passed_over; /* lines that are no receipts */
};

/* A run of lines from one file, with the mark it was read at and the mark to leave. */
struct receipt_batch {
    const char *file;
    struct receipt_mark before, after;
    struct store_receipt *rows;
    size_t count;
};

/* Receipts are numbered as they are taken in; a span is what is still to be handed over. */
struct receipt_span {
    int64_t after, last; /* the first is not part of it, the last is */
};

struct receipt_page {
    struct store_receipt *rows;
    size_t count;
};

struct store_ops {
    int (*get)(struct store *s, const struct store_key *k, struct arena *a, struct str *value,
               struct err *e);
    int (*set)(struct store *s, const struct store_key *k, struct str value, struct err *e);
    int (*update)(struct store *s, const struct store_key *k, store_decide_fn *decide,
                  void *context, struct err *e);
    int (*list)(struct store *s, const struct store_key *prefix, struct arena *a,
                struct store_entry **entries, size_t *count, struct err *e);
    int (*erase)(struct store *s, const struct store_key *prefix, struct err *e);

    int (*mark)(struct store *s, const char *file, struct receipt_mark *mark, struct err *e);

    /* All of the batch or nothing. -EAGAIN, without a message: the mark is not `before` any more */
    int (*take)(struct store *s, const struct receipt_batch *batch, size_t *taken, struct err *e);
    int (*passed_over)(struct store *s, uint64_t *lines, struct err *e);

    int (*span)(struct store *s, const struct store_query *q, struct receipt_span *span,
                struct err *e);
    /* The next few receipts of the span, which moves on; a count of 0 ends it. */
    int (*page)(struct store *s, const struct store_query *q, struct receipt_span *span,
                struct arena *a, struct receipt_page *page, struct err *e);

    /* The database of conversations; db_ready() it first. */
    struct db *(*db)(struct store *s);

    void (*free)(struct store *s);
};

/*
 * Around every use of an implementation. -EDEADLK: from inside store_update(). -EBUSY: other
 * threads have had it for STORE_PATIENCE_MS, as when they wait for another process.
 */
MUST_CHECK int store_lock(struct store *s, struct err *e);
int store_unlock(struct store *s, int result); /* returns the result */

void store_setup(struct store *s, const struct store_ops *ops);
void store_teardown(struct store *s);
