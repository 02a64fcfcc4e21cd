/*
 * The store in memory: state in one array sorted by session, hook and key, receipts in the order
 * they came. For embedding and tests, where both stay small.
 */
#include "base/map.h"
#include "base/mem.h"
#include "store/db.h"
#include "store/ops.h"

#include <errno.h>
#include <stdlib.h>

#define PAGE_ROWS 64u

struct entry {
    char *session, *hook, *key;
    char *value;
    size_t len;
};

struct mark {
    char *file;
    struct receipt_mark at;
};

struct memory {
    struct store store;
    struct entry *entries;
    size_t entry_count, entry_room;
    struct mark *marks;
    size_t mark_count;
    struct store_receipt **receipts;
    size_t receipt_count, receipt_room;
    struct map receipt_ids;
    struct arena receipt_text; /* receipts are never removed */
    struct db db;              /* of conversations, which need no second form */
};

static struct memory *of(struct store *s)
{
    return (struct memory *)s;
}

/* State ---------------------------------------------------------------------------------------- */

static int compare(const struct entry *entry, const struct store_key *k)
{
    int order = strcmp(entry->session, k->session);

    if (order == 0)
        order = strcmp(entry->hook, k->hook);
    return order ? order : strcmp(entry->key, k->key);
}

/* The first entry that is not before `k`. */
static size_t lower_bound(const struct memory *m, const struct store_key *k)
{
    size_t low = 0, high = m->entry_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare(&m->entries[middle], k) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct entry *find(const struct memory *m, const struct store_key *k)
{
    size_t i = lower_bound(m, k);

    return i < m->entry_count && compare(&m->entries[i], k) == 0 ? &m->entries[i] : NULL;
}

static struct str value_of(const struct entry *entry)
{
    return entry ? (struct str){ entry->value, entry->len } : (struct str){ 0 };
}

static struct str copy(struct arena *a, struct str s)
{
    return (struct str){ arena_cstr(a, s), s.len };
}

static void entry_release(struct entry *entry)
{
    free(entry->session);
    free(entry->hook);
    free(entry->key);
    free(entry->value);
}

static void remove_at(struct memory *m, size_t i)
{
    entry_release(&m->entries[i]);
    m->entry_count--;
    memmove(&m->entries[i], &m->entries[i + 1], (m->entry_count - i) * sizeof(m->entries[0]));
}

static struct entry *insert(struct memory *m, const struct store_key *k)
{
    size_t i = lower_bound(m, k);

    if (m->entry_count == m->entry_room) {
        m->entry_room = m->entry_room ? m->entry_room * 2 : 16;
        m->entries = xrealloc(m->entries, m->entry_room * sizeof(m->entries[0]));
    }
    memmove(&m->entries[i + 1], &m->entries[i], (m->entry_count - i) * sizeof(m->entries[0]));
    m->entry_count++;
    m->entries[i] = (struct entry){ .session = xstrdup(k->session),
                                    .hook = xstrdup(k->hook),
                                    .key = xstrdup(k->key) };
    return &m->entries[i];
}

static void assign(struct memory *m, const struct store_key *k, struct str value)
{
    struct entry *entry = find(m, k);
    char *text;

    if (!str_is_set(value)) {
        if (entry)
            remove_at(m, (size_t)(entry - m->entries));
        return;
    }
    text = xmalloc(value.len + 1);
    memcpy(text, value.ptr, value.len);
    text[value.len] = '\0';
    if (!entry)
        entry = insert(m, k);
    free(entry->value);
    entry->value = text;
    entry->len = value.len;
}

static int memory_get(struct store *s, const struct store_key *k, struct arena *a,
                      struct str *value, struct err *e UNUSED)
{
    *value = copy(a, value_of(find(of(s), k)));
    return 0;
}

static int memory_set(struct store *s, const struct store_key *k, struct str value,
                      struct err *e UNUSED)
{
    assign(of(s), k, value);
    return 0;
}

static int memory_update(struct store *s, const struct store_key *k, store_decide_fn *decide,
                         void *context, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct str before = copy(&a, value_of(find(of(s), k)));
    struct str after = before;
    int r = decide(context, &a, before, &after, e);

    if (r < 0)
        return r;
    assign(of(s), k, after);
    return 0;
}

static int memory_list(struct store *s, const struct store_key *prefix, struct arena *a,
                       struct store_entry **entries, size_t *count, struct err *e UNUSED)
{
    struct memory *m = of(s);
    size_t first = lower_bound(m, prefix), end = first;

    while (end < m->entry_count && strcmp(m->entries[end].session, prefix->session) == 0 &&
           strcmp(m->entries[end].hook, prefix->hook) == 0 &&
           str_starts(str_of(m->entries[end].key), str_of(prefix->key)))
        end++;
    *count = end - first;
    *entries = arena_array(a, struct store_entry, *count);
    for (size_t i = first; i < end; i++)
        (*entries)[i - first] = (struct store_entry){
            .key = arena_strdup(a, m->entries[i].key),
            .value = copy(a, value_of(&m->entries[i])),
        };
    return 0;
}

static bool is_below(const struct entry *entry, const struct store_key *prefix)
{
    return strcmp(entry->session, prefix->session) == 0 &&
           (!prefix->hook || strcmp(entry->hook, prefix->hook) == 0) &&
           str_starts(str_of(entry->key), str_of(prefix->key));
}

static int memory_erase(struct store *s, const struct store_key *prefix, struct err *e UNUSED)
{
    struct memory *m = of(s);
    size_t kept = 0;

    for (size_t i = 0; i < m->entry_count; i++) {
        if (is_below(&m->entries[i], prefix))
            entry_release(&m->entries[i]);
        else
            m->entries[kept++] = m->entries[i];
    }
    m->entry_count = kept;
    return 0;
}

/* Receipts ------------------------------------------------------------------------------------- */

static struct mark *find_mark(const struct memory *m, const char *file)
{
    for (size_t i = 0; i < m->mark_count; i++)
        if (strcmp(m->marks[i].file, file) == 0)
            return &m->marks[i];
    return NULL;
}

static int memory_mark(struct store *s, const char *file, struct receipt_mark *mark,
                       struct err *e UNUSED)
{
    const struct mark *known = find_mark(of(s), file);

    *mark = known ? known->at : (struct receipt_mark){ 0 };
    return 0;
}

static struct mark *need_mark(struct memory *m, const char *file)
{
    struct mark *mark = find_mark(m, file);

    if (mark)
        return mark;
    m->marks = xrealloc(m->marks, (m->mark_count + 1) * sizeof(m->marks[0]));
    mark = &m->marks[m->mark_count++];
    *mark = (struct mark){ .file = xstrdup(file) };
    return mark;
}

static bool add_receipt(struct memory *m, const struct store_receipt *r)
{
    struct arena *a = &m->receipt_text;
    struct store_receipt *kept;

    if (map_get(&m->receipt_ids, str_of(r->id)))
        return false;
    kept = arena_new(a, struct store_receipt);
    *kept = (struct store_receipt){
        .id = arena_strdup(a, r->id),
        .session = arena_strdup(a, r->session),
        .point = arena_strdup(a, r->point),
        .line = arena_strdup(a, r->line),
    };
    if (m->receipt_count == m->receipt_room) {
        m->receipt_room = m->receipt_room ? m->receipt_room * 2 : 64;
        m->receipts = xrealloc(m->receipts, m->receipt_room * sizeof(struct store_receipt *));
    }
    m->receipts[m->receipt_count++] = kept;
    map_put(&m->receipt_ids, str_of(kept->id), kept);
    return true;
}

static int memory_take(struct store *s, const struct receipt_batch *batch, size_t *taken,
                       struct err *e UNUSED)
{
    struct memory *m = of(s);
    struct mark *mark = need_mark(m, batch->file);

    if (mark->at.offset != batch->before.offset)
        return -EAGAIN;
    mark->at = batch->after;
    *taken = 0;
    for (size_t i = 0; i < batch->count; i++)
        *taken += add_receipt(m, &batch->rows[i]);
    return 0;
}

static int memory_passed_over(struct store *s, uint64_t *lines, struct err *e UNUSED)
{
    struct memory *m = of(s);

    *lines = 0;
    for (size_t i = 0; i < m->mark_count; i++)
        *lines += m->marks[i].at.passed_over;
    return 0;
}

static bool matches(const struct store_receipt *r, const struct store_query *q)
{
    return (!q->session || strcmp(r->session, q->session) == 0) &&
           (!q->point || strcmp(r->point, q->point) == 0);
}

/* The number of a receipt is its place in the array, counted from 1. */
static int memory_span(struct store *s, const struct store_query *q, struct receipt_span *span,
                       struct err *e UNUSED)
{
    struct memory *m = of(s);
    size_t after = m->receipt_count, found = 0;

    while (after > 0 && (q->limit == 0 || found < q->limit)) {
        after--;
        found += matches(m->receipts[after], q);
    }
    *span = (struct receipt_span){ .after = (int64_t)after, .last = (int64_t)m->receipt_count };
    return 0;
}

static int memory_page(struct store *s, const struct store_query *q, struct receipt_span *span,
                       struct arena *a, struct receipt_page *page, struct err *e UNUSED)
{
    struct memory *m = of(s);

    page->rows = arena_array(a, struct store_receipt, PAGE_ROWS);
    page->count = 0;
    while (span->after < span->last && page->count < PAGE_ROWS) {
        const struct store_receipt *r = m->receipts[span->after++];

        if (matches(r, q))
            page->rows[page->count++] = *r; /* its text lives as long as the store */
    }
    return 0;
}

static void memory_free(struct store *s)
{
    struct memory *m = of(s);

    for (size_t i = 0; i < m->entry_count; i++)
        entry_release(&m->entries[i]);
    for (size_t i = 0; i < m->mark_count; i++)
        free(m->marks[i].file);
    free(m->entries);
    free(m->marks);
    free(m->receipts);
    map_release(&m->receipt_ids);
    db_close(&m->db);
    free(m->db.path);
    arena_release(&m->receipt_text);
    store_teardown(s);
    free(m);
}

static struct db *memory_db(struct store *s)
{
    return &of(s)->db;
}

static const struct store_ops ops = {
    .db = memory_db,
    .get = memory_get,
    .set = memory_set,
    .update = memory_update,
    .list = memory_list,
    .erase = memory_erase,
    .mark = memory_mark,
    .take = memory_take,
    .passed_over = memory_passed_over,
    .span = memory_span,
    .page = memory_page,
    .free = memory_free,
};

struct store *store_memory(void)
{
    struct memory *m = xcalloc(1, sizeof(*m));

    m->db.path = xstrdup(":memory:");
    store_setup(&m->store, &ops);
    return &m->store;
}
