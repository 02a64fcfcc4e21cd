#include "store/store.h"

#include "base/clock.h"
#include "base/path.h"
#include "base/vars.h"
#include "store/db.h"
#include "store/ops.h"
#include "store/receipt_file.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

void store_setup(struct store *s, const struct store_ops *ops)
{
    pthread_mutex_init(&s->lock, NULL);
    clock_cond_init(&s->freed);
    s->ops = ops;
}

void store_teardown(struct store *s)
{
    pthread_cond_destroy(&s->freed);
    pthread_mutex_destroy(&s->lock);
}

void store_free(struct store *s)
{
    if (s)
        s->ops->free(s);
}

char *store_default_path(struct arena *a)
{
    const char *moved = vars_get("HOOKE_STORE");

    if (moved && moved[0])
        return arena_strdup(a, moved);
    return path_join(a, path_xdg(a, PATH_DATA), "hooke.db");
}

/* ":memory:" is what people know from SQLite; as a file's name it would surprise everybody. */
struct store *store_at(const char *path)
{
    bool memory = strcmp(path, "memory") == 0 || strcmp(path, ":memory:") == 0;

    return memory ? store_memory() : store_sqlite(path);
}

int store_lock(struct store *s, struct err *e)
{
    struct db *db = s->ops->db(s);
    uint64_t asked_ns = clock_mono_ns();
    uint64_t until_ns = asked_ns + (uint64_t)STORE_PATIENCE_MS * 1000000u;
    int r = 0;

    pthread_mutex_lock(&s->lock);
    /* A callback that calls the store must get an answer, not hang. */
    if (s->held && pthread_equal(s->holder, pthread_self()))
        r = err_set(e, -EDEADLK, "the store was used from inside store_update()");
    while (r == 0 && s->held)
        if (clock_mono_ns() < until_ns)
            clock_cond_wait(&s->freed, &s->lock, until_ns);
        else
            r = err_set(e, -EBUSY, "store '%s' is in use for more than %d s: try again", db->path,
                        STORE_PATIENCE_MS / 1000);
    if (r == 0) {
        s->held = true;
        s->holder = pthread_self();
        db->asked_ns = asked_ns; /* who has waited here waits less for other processes */
    }
    pthread_mutex_unlock(&s->lock);
    return r;
}

int store_unlock(struct store *s, int result)
{
    pthread_mutex_lock(&s->lock);
    s->held = false;
    pthread_cond_signal(&s->freed);
    pthread_mutex_unlock(&s->lock);
    return result;
}

/* State ---------------------------------------------------------------------------------------- */

int store_get(struct store *s, const struct store_key *k, struct arena *a, struct str *value,
              struct err *e)
{
    int r = store_lock(s, e);

    assert(k->session && k->hook && k->key);
    return r < 0 ? r : store_unlock(s, s->ops->get(s, k, a, value, e));
}

int store_set(struct store *s, const struct store_key *k, struct str value, struct err *e)
{
    int r = store_lock(s, e);

    assert(k->session && k->hook && k->key);
    return r < 0 ? r : store_unlock(s, s->ops->set(s, k, value, e));
}

int store_update(struct store *s, const struct store_key *k, store_decide_fn *decide, void *context,
                 struct err *e)
{
    int r = store_lock(s, e);

    assert(k->session && k->hook && k->key);
    return r < 0 ? r : store_unlock(s, s->ops->update(s, k, decide, context, e));
}

struct addition {
    const struct store_key *key;
    int64_t by, sum;
};

/* Only an optional minus and digits: what strtoll() lets pass besides is somebody else's text. */
static bool parse_integer(struct str text, int64_t *n)
{
    bool negative = text.len > 0 && text.ptr[0] == '-';
    int64_t value = 0;

    if (text.len == (negative ? 1 : 0))
        return false;
    for (size_t i = negative ? 1 : 0; i < text.len; i++) {
        int digit = text.ptr[i] - '0';

        if (digit < 0 || digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, digit, &value)) /* downwards: INT64_MIN has no positive */
            return false;
    }
    if (!negative && value == INT64_MIN)
        return false;
    *n = negative ? value : -value;
    return true;
}

static int add(void *context, struct arena *a, struct str before, struct str *after, struct err *e)
{
    struct addition *addition = context;
    const struct store_key *k = addition->key;
    int64_t n = 0;

    if (str_is_set(before) && !parse_integer(before, &n))
        return err_set(e, -EINVAL, "state '%s' of hook '%s' is not an integer: '%.40s'", k->key,
                       k->hook, arena_cstr(a, before));
    if (__builtin_add_overflow(n, addition->by, &addition->sum))
        return err_set(e, -EINVAL, "state '%s' of hook '%s' cannot count beyond %" PRId64, k->key,
                       k->hook, n);
    *after = str_of(arena_printf(a, "%" PRId64, addition->sum));
    return 0;
}

int store_incr(struct store *s, const struct store_key *k, int64_t by, int64_t *now, struct err *e)
{
    struct addition addition = { .key = k, .by = by };
    int r = store_update(s, k, add, &addition, e);

    if (r < 0)
        return r;
    *now = addition.sum;
    return 0;
}

int store_list(struct store *s, const struct store_key *prefix, struct arena *a,
               struct store_entry **entries, size_t *count, struct err *e)
{
    int r = store_lock(s, e);

    assert(prefix->session && prefix->hook && prefix->key);
    return r < 0 ? r : store_unlock(s, s->ops->list(s, prefix, a, entries, count, e));
}

int store_erase(struct store *s, const struct store_key *prefix, struct err *e)
{
    int r = store_lock(s, e);

    assert(prefix->session);
    return r < 0 ? r : store_unlock(s, s->ops->erase(s, prefix, e));
}

/* Receipts ------------------------------------------------------------------------------------- */

static int mark(struct store *s, const char *file, struct receipt_mark *m, struct err *e)
{
    int r = store_lock(s, e);

    return r < 0 ? r : store_unlock(s, s->ops->mark(s, file, m, e));
}

static int take(struct store *s, const struct receipt_batch *b, size_t *taken, struct err *e)
{
    int r = store_lock(s, e);

    return r < 0 ? r : store_unlock(s, s->ops->take(s, b, taken, e));
}

static bool same_mark(const struct receipt_mark *x, const struct receipt_mark *y)
{
    return x->offset == y->offset && x->passed_over == y->passed_over;
}

/*
 * Reading and parsing happen outside of any transaction, so nobody waits for them. Whoever comes
 * first with a run of lines takes it in; the others find the mark moved and go on from there.
 */
static int ingest_file(struct store *s, const char *file, size_t *taken, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct receipt_batch batch = { .file = file };
    int r = mark(s, file, &batch.before, e);

    while (r == 0) {
        size_t added = 0;

        arena_reset(&a);
        r = receipt_file_read(&a, &batch, e);
        if (r < 0 || same_mark(&batch.before, &batch.after))
            break;
        r = take(s, &batch, &added, e);
        *taken += added;
        batch.before = batch.after;
        if (r == -EAGAIN)
            r = mark(s, file, &batch.before, e);
    }
    return r;
}

int store_ingest(struct store *s, const char *dir, size_t *taken, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    size_t count, total = 0;
    char **files;
    int r = receipt_file_list(&a, dir, &files, &count, e);

    for (size_t i = 0; r == 0 && i < count; i++)
        r = ingest_file(s, files[i], &total, e);
    if (r == 0)
        *taken = total;
    return r;
}

int store_passed_over(struct store *s, uint64_t *lines, struct err *e)
{
    int r = store_lock(s, e);

    return r < 0 ? r : store_unlock(s, s->ops->passed_over(s, lines, e));
}

static int span(struct store *s, const struct store_query *q, struct receipt_span *range,
                struct err *e)
{
    int r = store_lock(s, e);

    return r < 0 ? r : store_unlock(s, s->ops->span(s, q, range, e));
}

static int page(struct store *s, const struct store_query *q, struct receipt_span *range,
                struct arena *a, struct receipt_page *rows, struct err *e)
{
    int r = store_lock(s, e);

    return r < 0 ? r : store_unlock(s, s->ops->page(s, q, range, a, rows, e));
}

/* Page by page: a slow `each` holds neither the lock nor a snapshot that stops checkpoints. */
int store_receipts(struct store *s, const struct store_query *q, store_receipt_fn *each,
                   void *context, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct receipt_span range;
    int r = span(s, q, &range, e);

    while (r == 0 && range.after < range.last) {
        struct receipt_page next = { 0 };

        arena_reset(&a);
        r = page(s, q, &range, &a, &next, e);
        if (r < 0 || next.count == 0)
            break;
        for (size_t i = 0; r == 0 && i < next.count; i++)
            r = each(context, &next.rows[i]);
    }
    return r;
}
