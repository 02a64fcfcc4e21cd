/*
 * The store in one SQLite file, shared by any number of processes.
 *
 * Texts are compared byte by byte (SQLite's default collation), so a prefix is a range: from the
 * prefix itself up to the first text that follows all that start with it.
 */
#include "base/macros.h"
#include "base/mem.h"
#include "store/db.h"
#include "store/ops.h"

#include <errno.h>
#include <stdlib.h>

#define PAGE_ROWS 64u

struct sqlite {
    struct store store;
    struct db db;
};

enum statement {
    GET,
    SET,
    UNSET,
    LIST,
    ERASE,
    MARK,
    SET_MARK,
    PASSED_OVER,
    ADD_RECEIPT,
    LAST_NUMBER,
    NTH_NEWEST,
    NTH_NEWEST_OF_SESSION,
    PAGE,
    PAGE_OF_SESSION,
    STATEMENTS,
};

_Static_assert(STATEMENTS <= 16, "db.h gives the rest to conversation.c");

static const char *const sql[] = {
    [GET] = "SELECT value FROM state WHERE session = ?1 AND hook = ?2 AND key = ?3",
    [SET] = "INSERT INTO state(session, hook, key, value) VALUES(?1, ?2, ?3, ?4)"
            " ON CONFLICT(session, hook, key) DO UPDATE SET value = excluded.value",
    [UNSET] = "DELETE FROM state WHERE session = ?1 AND hook = ?2 AND key = ?3",
    [LIST] = "SELECT key, value FROM state"
             " WHERE session = ?1 AND hook = ?2 AND key >= ?3 AND key < ?4 ORDER BY key",
    [ERASE] = "DELETE FROM state"
              " WHERE session = ?1 AND (?2 IS NULL OR hook = ?2) AND key >= ?3 AND key < ?4",
    [MARK] = "SELECT offset, passed_over FROM receipt_files WHERE name = ?1",
    [SET_MARK] = "INSERT INTO receipt_files(name, offset, passed_over) VALUES(?1, ?2, ?3)"
                 " ON CONFLICT(name) DO UPDATE SET offset = ?2, passed_over = ?3",
    [PASSED_OVER] = "SELECT coalesce(sum(passed_over), 0) FROM receipt_files",
    [ADD_RECEIPT] = "INSERT INTO receipts(id, session, point, line) VALUES(?1, ?2, ?3, ?4)"
                    " ON CONFLICT(id) DO NOTHING",
    [LAST_NUMBER] = "SELECT coalesce(max(number), 0) FROM receipts",
    [NTH_NEWEST] = "SELECT number FROM receipts WHERE number <= ?3 AND (?2 IS NULL OR point = ?2)"
                   " ORDER BY number DESC LIMIT 1 OFFSET ?4",
    [NTH_NEWEST_OF_SESSION] = "SELECT number FROM receipts"
                              " WHERE session = ?1 AND number <= ?3 AND (?2 IS NULL OR point = ?2)"
                              " ORDER BY number DESC LIMIT 1 OFFSET ?4",
    [PAGE] = "SELECT number, id, session, point, line FROM receipts"
             " WHERE number > ?4 AND number <= ?3 AND (?2 IS NULL OR point = ?2)"
             " ORDER BY number LIMIT ?5",
    [PAGE_OF_SESSION] =
        "SELECT number, id, session, point, line FROM receipts"
        " WHERE session = ?1 AND number > ?4 AND number <= ?3 AND (?2 IS NULL OR point = ?2)"
        " ORDER BY number LIMIT ?5",
};

static struct db *of(struct store *s)
{
    return &((struct sqlite *)s)->db;
}

static int prepare(struct db *db, enum statement which, sqlite3_stmt **st, struct err *e)
{
    return db_statement(db, which, sql[which], st, e);
}

/* The first statement of a call. */
static int start(struct db *db, enum statement which, sqlite3_stmt **st, struct err *e)
{
    int r = db_ready(db, e);

    return r < 0 ? r : prepare(db, which, st, e);
}

/* The text of a column, in the arena; never unset. */
static struct str column(struct arena *a, sqlite3_stmt *st, int index)
{
    const char *bytes = (const char *)sqlite3_column_text(st, index);
    struct str text = { bytes ? bytes : "", (size_t)sqlite3_column_bytes(st, index) };

    return (struct str){ arena_cstr(a, text), text.len };
}

/* State ---------------------------------------------------------------------------------------- */

static void bind_key(sqlite3_stmt *st, const struct store_key *k)
{
    db_bind(st, 1, str_of(k->session));
    db_bind(st, 2, str_of(k->hook));
    db_bind(st, 3, str_of(k->key));
}

/* Parameters 3 and 4 are the range of keys that start with the prefix. */
static void bind_prefix(struct arena *a, sqlite3_stmt *st, const struct store_key *prefix)
{
    struct str low = str_of(prefix->key ? prefix->key : "");
    char *high = arena_cstr(a, low);
    size_t len = low.len;

    while (len > 0 && (unsigned char)high[len - 1] == 0xff)
        len--;
    db_bind(st, 1, str_of(prefix->session));
    db_bind(st, 2, str_of(prefix->hook));
    db_bind(st, 3, low);
    if (len == 0) {
        sqlite3_bind_blob(st, 4, "", 0, SQLITE_STATIC); /* a blob follows every text */
        return;
    }
    high[len - 1] = (char)((unsigned char)high[len - 1] + 1);
    db_bind(st, 4, (struct str){ high, len });
}

static int read_value(struct db *db, const struct store_key *k, struct arena *a, struct str *value,
                      struct err *e)
{
    struct str found = { 0 };
    sqlite3_stmt *st;
    int r = prepare(db, GET, &st, e);

    if (r < 0)
        return r;
    bind_key(st, k);
    r = db_step(db, st, e);
    if (r < 0)
        return r;
    if (r > 0) {
        found = column(a, st, 0);
        sqlite3_reset(st);
    }
    *value = found;
    return 0;
}

static int write_value(struct db *db, const struct store_key *k, struct str value, struct err *e)
{
    sqlite3_stmt *st;
    int r = prepare(db, str_is_set(value) ? SET : UNSET, &st, e);

    if (r < 0)
        return r;
    bind_key(st, k);
    if (str_is_set(value))
        db_bind(st, 4, value);
    return db_run(db, st, e);
}

static int sqlite_get(struct store *s, const struct store_key *k, struct arena *a,
                      struct str *value, struct err *e)
{
    int r = db_ready(of(s), e);

    return r < 0 ? r : read_value(of(s), k, a, value, e);
}

static int sqlite_set(struct store *s, const struct store_key *k, struct str value, struct err *e)
{
    struct db *db = of(s);
    int r = db_ready(db, e);

    if (r == 0)
        r = write_value(db, k, value, e);
    if (r == 0)
        db_written(db);
    return r;
}

static bool is_unchanged(struct str before, struct str after)
{
    return str_is_set(before) == str_is_set(after) && str_eq(before, after);
}

static int decide_and_write(struct db *db, const struct store_key *k, store_decide_fn *decide,
                            void *context, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct str before, after;
    int r = read_value(db, k, &a, &before, e);

    if (r < 0)
        return r;
    after = before;
    r = decide(context, &a, before, &after, e);
    if (r < 0)
        return r;
    return is_unchanged(before, after) ? 0 : write_value(db, k, after, e);
}

static int sqlite_update(struct store *s, const struct store_key *k, store_decide_fn *decide,
                         void *context, struct err *e)
{
    struct db *db = of(s);
    int r = db_ready(db, e);

    if (r == 0)
        r = db_begin(db, e);
    if (r < 0)
        return r;
    return db_end(db, decide_and_write(db, k, decide, context, e), e);
}

struct listing {
    struct store_entry *entries;
    size_t count, room;
};

static void list_add(struct listing *l, struct arena *a, sqlite3_stmt *st)
{
    if (l->count == l->room) {
        struct store_entry *before = l->entries;

        l->room = l->room ? l->room * 2 : 16;
        l->entries = arena_array(a, struct store_entry, l->room);
        if (l->count)
            memcpy(l->entries, before, l->count * sizeof(*before));
    }
    l->entries[l->count++] = (struct store_entry){
        .key = column(a, st, 0).ptr,
        .value = column(a, st, 1),
    };
}

static int sqlite_list(struct store *s, const struct store_key *prefix, struct arena *a,
                       struct store_entry **entries, size_t *count, struct err *e)
{
    CLEANUP(arena) struct arena scratch = { 0 };
    struct db *db = of(s);
    struct listing list = { 0 };
    sqlite3_stmt *st;
    int r = start(db, LIST, &st, e);

    if (r < 0)
        return r;
    bind_prefix(&scratch, st, prefix);
    while ((r = db_step(db, st, e)) > 0)
        list_add(&list, a, st);
    if (r < 0)
        return r;
    *entries = list.entries;
    *count = list.count;
    return 0;
}

static int sqlite_erase(struct store *s, const struct store_key *prefix, struct err *e)
{
    CLEANUP(arena) struct arena scratch = { 0 };
    struct db *db = of(s);
    sqlite3_stmt *st;
    int r = start(db, ERASE, &st, e);

    if (r < 0)
        return r;
    bind_prefix(&scratch, st, prefix);
    r = db_run(db, st, e);
    if (r == 0)
        db_written(db);
    return r;
}

/* Receipts ------------------------------------------------------------------------------------- */

static int read_mark(struct db *db, const char *file, struct receipt_mark *mark, struct err *e)
{
    struct receipt_mark found = { 0 };
    sqlite3_stmt *st;
    int r = prepare(db, MARK, &st, e);

    if (r < 0)
        return r;
    db_bind(st, 1, str_of(file));
    r = db_step(db, st, e);
    if (r < 0)
        return r;
    if (r > 0) {
        found.offset = (uint64_t)sqlite3_column_int64(st, 0);
        found.passed_over = (uint64_t)sqlite3_column_int64(st, 1);
        sqlite3_reset(st);
    }
    *mark = found;
    return 0;
}

static int write_mark(struct db *db, const char *file, const struct receipt_mark *mark,
                      struct err *e)
{
    sqlite3_stmt *st;
    int r = prepare(db, SET_MARK, &st, e);

    if (r < 0)
        return r;
    db_bind(st, 1, str_of(file));
    sqlite3_bind_int64(st, 2, (sqlite3_int64)mark->offset);
    sqlite3_bind_int64(st, 3, (sqlite3_int64)mark->passed_over);
    return db_run(db, st, e);
}

static int add_receipt(struct db *db, const struct store_receipt *row, size_t *taken, struct err *e)
{
    sqlite3_stmt *st;
    int r = prepare(db, ADD_RECEIPT, &st, e);

    if (r < 0)
        return r;
    db_bind(st, 1, str_of(row->id));
    db_bind(st, 2, str_of(row->session));
    db_bind(st, 3, str_of(row->point));
    db_bind(st, 4, str_of(row->line));
    r = db_run(db, st, e);
    if (r == 0)
        *taken += (size_t)sqlite3_changes(db->handle);
    return r;
}

static int sqlite_mark(struct store *s, const char *file, struct receipt_mark *mark, struct err *e)
{
    int r = db_ready(of(s), e);

    return r < 0 ? r : read_mark(of(s), file, mark, e);
}

static int take_batch(struct db *db, const struct receipt_batch *batch, size_t *taken,
                      struct err *e)
{
    struct receipt_mark now;
    int r = read_mark(db, batch->file, &now, e);

    if (r == 0 && now.offset != batch->before.offset)
        return -EAGAIN;
    for (size_t i = 0; r == 0 && i < batch->count; i++)
        r = add_receipt(db, &batch->rows[i], taken, e);
    return r < 0 ? r : write_mark(db, batch->file, &batch->after, e);
}

static int sqlite_take(struct store *s, const struct receipt_batch *batch, size_t *taken,
                       struct err *e)
{
    struct db *db = of(s);
    size_t added = 0;
    int r = db_ready(db, e);

    if (r == 0)
        r = db_begin(db, e);
    if (r < 0)
        return r;
    r = db_end(db, take_batch(db, batch, &added, e), e);
    if (r == 0)
        *taken = added;
    return r;
}

static int read_number(struct db *db, sqlite3_stmt *st, int64_t otherwise, int64_t *n,
                       struct err *e)
{
    int r = db_step(db, st, e);

    if (r < 0)
        return r;
    *n = r > 0 ? sqlite3_column_int64(st, 0) : otherwise;
    sqlite3_reset(st);
    return 0;
}

static int sqlite_passed_over(struct store *s, uint64_t *lines, struct err *e)
{
    struct db *db = of(s);
    sqlite3_stmt *st;
    int64_t n;
    int r = start(db, PASSED_OVER, &st, e);

    if (r < 0)
        return r;
    r = read_number(db, st, 0, &n, e);
    if (r < 0)
        return r;
    *lines = (uint64_t)n;
    return 0;
}

/* The number of the Nth newest receipt up to `last`; 1 when there are not that many. */
static int find_first(struct db *db, const struct store_query *q, int64_t last, int64_t *first,
                      struct err *e)
{
    sqlite3_stmt *st;
    int r = prepare(db, q->session ? NTH_NEWEST_OF_SESSION : NTH_NEWEST, &st, e);

    if (r < 0)
        return r;
    db_bind(st, 1, str_of(q->session));
    db_bind(st, 2, str_of(q->point));
    sqlite3_bind_int64(st, 3, last);
    sqlite3_bind_int64(st, 4, (sqlite3_int64)((q->limit - 1) & INT64_MAX));
    return read_number(db, st, 1, first, e);
}

static int sqlite_span(struct store *s, const struct store_query *q, struct receipt_span *span,
                       struct err *e)
{
    struct db *db = of(s);
    int64_t first = 1, last;
    sqlite3_stmt *st;
    int r = start(db, LAST_NUMBER, &st, e);

    if (r < 0)
        return r;
    r = read_number(db, st, 0, &last, e);
    if (r < 0)
        return r;
    if (q->limit > 0)
        r = find_first(db, q, last, &first, e);
    if (r < 0)
        return r;
    *span = (struct receipt_span){ .after = first - 1, .last = last };
    return 0;
}

static struct store_receipt receipt_of(struct arena *a, sqlite3_stmt *st)
{
    return (struct store_receipt){
        .id = column(a, st, 1).ptr,
        .session = column(a, st, 2).ptr,
        .point = column(a, st, 3).ptr,
        .line = column(a, st, 4).ptr,
    };
}

static int sqlite_page(struct store *s, const struct store_query *q, struct receipt_span *span,
                       struct arena *a, struct receipt_page *page, struct err *e)
{
    struct receipt_page next = { .rows = arena_array(a, struct store_receipt, PAGE_ROWS) };
    struct db *db = of(s);
    int64_t reached = span->last;
    sqlite3_stmt *st;
    int r = start(db, q->session ? PAGE_OF_SESSION : PAGE, &st, e);

    if (r < 0)
        return r;
    db_bind(st, 1, str_of(q->session));
    db_bind(st, 2, str_of(q->point));
    sqlite3_bind_int64(st, 3, span->last);
    sqlite3_bind_int64(st, 4, span->after);
    sqlite3_bind_int(st, 5, PAGE_ROWS);
    while ((r = db_step(db, st, e)) > 0) {
        reached = sqlite3_column_int64(st, 0);
        next.rows[next.count++] = receipt_of(a, st);
    }
    if (r < 0)
        return r;
    span->after = reached;
    *page = next;
    return 0;
}

static void sqlite_free(struct store *s)
{
    struct sqlite *q = (struct sqlite *)s;

    db_close(&q->db);
    free(q->db.path);
    store_teardown(s);
    free(q);
}

static struct db *sqlite_db(struct store *s)
{
    return of(s);
}

static const struct store_ops ops = {
    .db = sqlite_db,
    .get = sqlite_get,
    .set = sqlite_set,
    .update = sqlite_update,
    .list = sqlite_list,
    .erase = sqlite_erase,
    .mark = sqlite_mark,
    .take = sqlite_take,
    .passed_over = sqlite_passed_over,
    .span = sqlite_span,
    .page = sqlite_page,
    .free = sqlite_free,
};

struct store *store_sqlite(const char *path)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct sqlite *q = xcalloc(1, sizeof(*q));

    store_setup(&q->store, &ops);
    /* SQLite gives ":memory:", "file:…" and "" a meaning of their own; to us they are names. */
    q->db.path = xstrdup(path[0] == '/' ? path : arena_printf(&a, "./%s", path));
    return &q->store;
}
