/*
 * store.h - what outlives a process: session state of hooks, and receipts taken in for looking.
 *
 *     CLEANUP(store) struct store *s = store_sqlite(path);
 *     r = store_incr(s, &(struct store_key){ session, "loop-guard", "calls" }, 1, &n, e);
 *
 * Two implementations, one suite of tests: SQLite (one file, shared by any number of processes)
 * and memory (embedding, tests). The file is opened by the first call that needs it, so a store
 * nobody uses costs nothing. Every function is safe from several threads and processes, and no
 * transaction is kept open between calls. A store that others keep locked for STORE_PATIENCE_MS is
 * -EBUSY.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

#include <stdint.h>

#define STORE_PATIENCE_MS 10000

struct store;

/* Addresses one value. None of the three may be NULL; `key` may hold any text. */
struct store_key {
    const char *session, *hook, *key;
};

struct store_entry {
    const char *key;
    struct str value;
};

/* `path` is the database file; its folder is made on first use. Neither can fail: opening does. */
struct store *store_sqlite(const char *path);
struct store *store_memory(void);
/* What a setting names: the file `path`, or "memory" (":memory:" is the same). */
struct store *store_at(const char *path);
void store_free(struct store *s);

/* Which tables this build reads and writes. A file that could be opened has them. */
int store_schema_version(void);

/* $HOOKE_STORE, else hooke.db under the XDG data folder. */
char *store_default_path(struct arena *a);

/* State ---------------------------------------------------------------------------------------- */

/* The value, copied into the arena; unset when there is none. */
MUST_CHECK int store_get(struct store *s, const struct store_key *k, struct arena *a,
                         struct str *value, struct err *e);

/* An unset value removes the key. */
MUST_CHECK int store_set(struct store *s, const struct store_key *k, struct str value,
                         struct err *e);

/* Add to a decimal number (absent: 0). A value that is no integer, or overflow: -EINVAL. */
MUST_CHECK int store_incr(struct store *s, const struct store_key *k, int64_t by, int64_t *now,
                          struct err *e);

/*
 * Read, decide, write, with nobody in between. `decide` gets the value (unset when absent) and puts
 * the new one in `*after` (unset removes), which starts as `before`: leaving it so writes nothing.
 * It allocates in `a`, must not call the store (-EDEADLK) and may be called again. A negative
 * return leaves the value alone and is handed on.
 */
typedef int store_decide_fn(void *context, struct arena *a, struct str before, struct str *after,
                            struct err *e);
MUST_CHECK int store_update(struct store *s, const struct store_key *k, store_decide_fn *decide,
                            void *context, struct err *e);

/* All entries of a session and hook whose key starts with `prefix`, by key, in the arena. */
MUST_CHECK int store_list(struct store *s, const struct store_key *prefix, struct arena *a,
                          struct store_entry **entries, size_t *count, struct err *e);

/*
 * Remove state of a session: with `hook` and `key` NULL everything; else only the entries of that
 * hook (NULL: of any) whose key starts with `key`. Receipts stay.
 */
MUST_CHECK int store_erase(struct store *s, const struct store_key *prefix, struct err *e);

/* Receipts ------------------------------------------------------------------------------------- */

struct store_receipt {
    const char *id, *session, *point; /* session: "" when the receipt names none */
    const char *line;                 /* the whole receipt, one JSON object */
};

struct store_query {
    const char *session; /* NULL: any */
    const char *point;   /* NULL: any */
    size_t limit;        /* the newest N, handed over oldest first; 0: all */
};

/*
 * Take in the lines that were added to the receipt files (*.jsonl) of `dir` since the last time,
 * file by file in the order of their names. A last line without its newline waits; a line that is
 * no receipt is counted and passed over; an id that is known is not taken again. No such folder:
 * nothing to take. What was taken before a failure stays taken.
 */
MUST_CHECK int store_ingest(struct store *s, const char *dir, size_t *taken, struct err *e);

/* How many lines of the receipt files were passed over, all files together. */
MUST_CHECK int store_passed_over(struct store *s, uint64_t *lines, struct err *e);

/*
 * Calls `each` until it returns non-zero, which is then returned. The receipt lives as long as the
 * call; `each` may use the store. Receipts taken in meanwhile are left out.
 */
typedef int store_receipt_fn(void *context, const struct store_receipt *r);
MUST_CHECK int store_receipts(struct store *s, const struct store_query *q, store_receipt_fn *each,
                              void *context, struct err *e);

static inline void store_cleanup(struct store **s)
{
    store_free(*s);
}
