/*
 * Receipts: one suite for every implementation of store.h.
 */
#include "base/strbuf.h"
#include "fixture.h"

#include <errno.h>
#include <pthread.h>

static void receipt_file(struct fixture *f, const char *name, int how, struct str text)
{
    mkdir(f->receipts, 0700);
    file_put(path_join(&f->a, f->receipts, name), how, text);
}

static size_t ingest(struct fixture *f)
{
    size_t taken = 4711;

    assert_int_equal(store_ingest(f->s, f->receipts, &taken, &f->e), 0);
    return taken;
}

static uint64_t passed_over(struct fixture *f)
{
    uint64_t lines = 4711;

    assert_int_equal(store_passed_over(f->s, &lines, &f->e), 0);
    return lines;
}

static int join_ids(void *context, const struct store_receipt *r)
{
    struct strbuf *ids = context;

    strbuf_printf(ids, "%s%s", ids->len ? " " : "", r->id);
    return 0;
}

static void assert_receipts(struct fixture *f, struct store_query q, const char *expected)
{
    CLEANUP(strbuf) struct strbuf ids = { 0 };

    assert_int_equal(store_receipts(f->s, &q, join_ids, &ids, &f->e), 0);
    assert_string_equal(strbuf_cstr(&ids), expected);
}

#define LINE(id, session, point) \
    "{\"id\":\"" id "\",\"session\":\"" session "\",\"point\":\"" point "\"}\n"

static void no_folder_holds_no_receipts(void **state)
{
    assert_int_equal(ingest(*state), 0);
    assert_receipts(*state, (struct store_query){ 0 }, "");
    assert_receipts(*state, (struct store_query){ .limit = 5, .session = "s" }, "");
}

static void takes_lines_in_once(void **state)
{
    struct fixture *f = *state;

    receipt_file(f, "2026-01-02.jsonl", 0, STR(LINE("3", "s", "p")));
    receipt_file(f, "2026-01-01.jsonl", 0, STR(LINE("1", "s", "p") LINE("2", "s", "p")));
    receipt_file(f, "notes.txt", 0, STR(LINE("9", "s", "p")));
    receipt_file(f, ".jsonl", 0, STR(LINE("8", "s", "p")));
    assert_int_equal(ingest(f), 3);
    assert_int_equal(ingest(f), 0);
    receipt_file(f, "2026-01-02.jsonl", O_APPEND, STR(LINE("4", "s", "p")));
    assert_int_equal(ingest(f), 1);
    assert_receipts(f, (struct store_query){ 0 }, "1 2 3 4");
    assert_int_equal(passed_over(f), 0);
}

static void a_line_waits_for_its_end(void **state)
{
    struct fixture *f = *state;

    receipt_file(f, "a.jsonl", 0, STR(LINE("1", "s", "p") "{\"id\":\"2\",\"poi"));
    assert_int_equal(ingest(f), 1);
    assert_int_equal(ingest(f), 0);
    receipt_file(f, "a.jsonl", O_APPEND, STR("nt\":\"p\"}\n"));
    assert_int_equal(ingest(f), 1);
    assert_receipts(f, (struct store_query){ 0 }, "1 2");
    assert_int_equal(passed_over(f), 0);
}

static void passes_over_what_is_no_receipt(void **state)
{
    struct fixture *f = *state;

    receipt_file(
        f, "a.jsonl", 0,
        STR("no json\n" LINE(
            "1", "s", "p") "{\"id\":\"2\"}\n{\"point\":\"p\"}\n[]\n\n"
                           "{\"id\":7,\"point\":\"p\"}\n{\"id\":\"\",\"point\":\"p\"}\n" LINE(
                               "3", "s", "p")));
    receipt_file(f, "b.jsonl", 0, STR("{\"id\":\"4\",\"point\":\n"));
    assert_int_equal(ingest(f), 2);
    assert_receipts(f, (struct store_query){ 0 }, "1 3");
    assert_int_equal(passed_over(f), 8);
    assert_int_equal(ingest(f), 0);
    assert_int_equal(passed_over(f), 8);
}

static void a_file_that_shrank_is_read_again(void **state)
{
    struct fixture *f = *state;

    receipt_file(f, "a.jsonl", 0, STR(LINE("1", "s", "p") LINE("2", "s", "p")));
    assert_int_equal(ingest(f), 2);
    receipt_file(f, "a.jsonl", O_TRUNC, STR(LINE("2", "s", "p")));
    assert_int_equal(ingest(f), 0);
    receipt_file(f, "a.jsonl", O_TRUNC,
                 STR(LINE("a longer id than before", "s", "p") LINE("2", "s", "p")));
    assert_int_equal(ingest(f), 1);
    assert_receipts(f, (struct store_query){ 0 }, "1 2 a longer id than before");
    receipt_file(f, "a.jsonl", O_TRUNC, STR(""));
    assert_int_equal(ingest(f), 0);
    receipt_file(f, "a.jsonl", O_APPEND, STR(LINE("4", "s", "p")));
    assert_int_equal(ingest(f), 1);
}

struct kept {
    struct arena a;
    struct store_receipt r;
};

static int keep_copy(void *context, const struct store_receipt *r)
{
    struct kept *k = context;

    k->r = (struct store_receipt){
        .id = arena_strdup(&k->a, r->id),
        .session = arena_strdup(&k->a, r->session),
        .point = arena_strdup(&k->a, r->point),
        .line = arena_strdup(&k->a, r->line),
    };
    return 0;
}

static void hands_over_the_fields_and_the_line(void **state)
{
    struct fixture *f = *state;
    struct store_query q = { 0 };
    struct kept k = { 0 };

    receipt_file(f, "a.jsonl", 0,
                 STR("{ \"point\": \"chat.message\", \"id\": \"\\u0041\", \"n\": 1.50 }\r\n"));
    assert_int_equal(ingest(f), 1);
    assert_int_equal(store_receipts(f->s, &q, keep_copy, &k, &f->e), 0);
    assert_string_equal(k.r.id, "A");
    assert_string_equal(k.r.session, "");
    assert_string_equal(k.r.point, "chat.message");
    assert_string_equal(k.r.line,
                        "{ \"point\": \"chat.message\", \"id\": \"\\u0041\", \"n\": 1.50 }");
    arena_release(&k.a);
}

static void filters_and_limits(void **state)
{
    struct fixture *f = *state;

    receipt_file(f, "a.jsonl", 0,
                 STR(LINE("1", "s", "p") LINE("2", "t", "p") LINE("3", "s", "q") LINE("4", "s", "p")
                         LINE("5", "t", "q")));
    assert_int_equal(ingest(f), 5);
    assert_receipts(f, (struct store_query){ .session = "s" }, "1 3 4");
    assert_receipts(f, (struct store_query){ .point = "p" }, "1 2 4");
    assert_receipts(f, (struct store_query){ .session = "s", .point = "p" }, "1 4");
    assert_receipts(f, (struct store_query){ .limit = 2 }, "4 5");
    assert_receipts(f, (struct store_query){ .limit = 5 }, "1 2 3 4 5");
    assert_receipts(f, (struct store_query){ .limit = 99 }, "1 2 3 4 5");
    assert_receipts(f, (struct store_query){ .limit = SIZE_MAX }, "1 2 3 4 5");
    assert_receipts(f, (struct store_query){ .limit = 2, .session = "s" }, "3 4");
    assert_receipts(f, (struct store_query){ .limit = 1, .point = "p" }, "4");
    assert_receipts(f, (struct store_query){ .limit = 1, .session = "t", .point = "p" }, "2");
    assert_receipts(f, (struct store_query){ .session = "nobody" }, "");
}

/* Files of several chunks, answers of several pages. */
static void takes_in_thousands(void **state)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };
    CLEANUP(strbuf) struct strbuf ids = { 0 };
    CLEANUP(strbuf) struct strbuf expected = { 0 };
    struct fixture *f = *state;
    struct store_query q = { .session = "even" };

    for (unsigned i = 0; i < 3000; i++) {
        strbuf_printf(&text,
                      "{\"id\":\"%u\",\"session\":\"%s\",\"point\":\"p\",\"pad\":\"%0900u\"}\n", i,
                      i % 2 ? "odd" : "even", i);
        if (i % 2 == 0)
            strbuf_printf(&expected, "%s%u", i ? " " : "", i);
    }
    receipt_file(f, "a.jsonl", 0, strbuf_str(&text));
    assert_int_equal(ingest(f), 3000);
    assert_int_equal(store_receipts(f->s, &q, join_ids, &ids, &f->e), 0);
    assert_string_equal(strbuf_cstr(&ids), strbuf_cstr(&expected));
    assert_receipts(f, (struct store_query){ .session = "odd", .limit = 2 }, "2997 2999");
}

static void add_padded(struct strbuf *text, const char *id, size_t padding)
{
    strbuf_printf(text, "{\"id\":\"%s\",\"point\":\"p\",\"pad\":\"", id);
    for (size_t i = 0; i < padding; i++)
        strbuf_addch(text, 'x');
    strbuf_addstr(text, "\"}\n");
}

static void a_long_line_is_taken_and_an_endless_one_passed_over(void **state)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };
    struct fixture *f = *state;

    add_padded(&text, "before", 10);
    add_padded(&text, "long", (size_t)3 << 20);
    add_padded(&text, "between", 10);
    add_padded(&text, "endless", (size_t)5 << 20);
    add_padded(&text, "after", 10);
    receipt_file(f, "a.jsonl", 0, strbuf_str(&text));
    assert_int_equal(ingest(f), 4);
    assert_receipts(f, (struct store_query){ 0 }, "before long between after");
    assert_int_equal(passed_over(f), 1);
}

static int stop_at_two(void *context, const struct store_receipt *r)
{
    join_ids(context, r);
    return strcmp(r->id, "2") == 0 ? -ECANCELED : 0;
}

static void stops_when_told(void **state)
{
    CLEANUP(strbuf) struct strbuf ids = { 0 };
    struct fixture *f = *state;
    struct store_query q = { 0 };

    receipt_file(f, "a.jsonl", 0, STR(LINE("1", "s", "p") LINE("2", "s", "p") LINE("3", "s", "p")));
    assert_int_equal(ingest(f), 3);
    assert_int_equal(store_receipts(f->s, &q, stop_at_two, &ids, &f->e), -ECANCELED);
    assert_string_equal(strbuf_cstr(&ids), "1 2");
}

static int count_and_ingest(void *context, const struct store_receipt *r)
{
    struct fixture *f = context;
    struct store_key k = key_of(r->session, "h", "seen");

    assert_int_equal(store_incr(f->s, &k, 1, &f->counted, &f->e), 0);
    receipt_file(f, "b.jsonl", O_APPEND, STR(LINE("late", "s", "p")));
    ingest(f);
    return 0;
}

static void a_looker_may_use_the_store(void **state)
{
    struct fixture *f = *state;
    struct store_query q = { 0 };

    receipt_file(f, "a.jsonl", 0, STR(LINE("1", "s", "p") LINE("2", "s", "p")));
    assert_int_equal(ingest(f), 2);
    assert_int_equal(store_receipts(f->s, &q, count_and_ingest, f, &f->e), 0);
    assert_int_equal(f->counted, 2);
    assert_receipts(f, q, "1 2 late");
}

static void erasing_a_session_leaves_its_receipts(void **state)
{
    struct fixture *f = *state;
    struct store_key everything = key_of("s", NULL, NULL);

    receipt_file(f, "a.jsonl", 0, STR(LINE("1", "s", "p")));
    assert_int_equal(ingest(f), 1);
    assert_int_equal(store_erase(f->s, &everything, &f->e), 0);
    assert_receipts(f, (struct store_query){ .session = "s" }, "1");
}

static void *ingest_all(void *context)
{
    struct fixture *f = context;
    size_t taken = 0;

    if (store_ingest(f->s, f->receipts, &taken, NULL) < 0)
        return (void *)-1;
    return (void *)(intptr_t)taken;
}

static void two_who_ingest_take_each_line_once(void **state)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };
    struct fixture *f = *state;
    pthread_t threads[4];
    intptr_t total = 0;
    void *taken;

    for (unsigned i = 0; i < 4000; i++)
        strbuf_printf(&text, "{\"id\":\"%u\",\"point\":\"p\",\"pad\":\"%0900u\"}\nbad\n", i, i);
    receipt_file(f, "a.jsonl", 0, strbuf_str(&text));
    for (size_t i = 0; i < ARRAY_LEN(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ingest_all, f), 0);
    for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
        pthread_join(threads[i], &taken);
        assert_true((intptr_t)taken >= 0);
        total += (intptr_t)taken;
    }
    assert_int_equal(total, 4000);
    assert_int_equal(passed_over(f), 4000);
    assert_int_equal(ingest(f), 0);
}

/* Somebody else was faster: what was read at an old mark is not taken in. */
static void a_stale_batch_is_refused(void **state)
{
    struct fixture *f = *state;
    struct store_receipt row = { "1", "s", "p", "{}" };
    struct receipt_batch batch = { .file = "f", .after = { 10, 1 }, .rows = &row, .count = 1 };
    struct receipt_mark mark;
    size_t taken = 0;

    assert_int_equal(f->s->ops->take(f->s, &batch, &taken, &f->e), 0);
    assert_int_equal(taken, 1);
    row.id = "2";
    batch.after.offset = 7;
    assert_int_equal(f->s->ops->take(f->s, &batch, &taken, &f->e), -EAGAIN);
    assert_int_equal(f->s->ops->mark(f->s, "f", &mark, &f->e), 0);
    assert_int_equal(mark.offset, 10);
    assert_receipts(f, (struct store_query){ 0 }, "1");
}

static void a_folder_that_is_a_file_is_an_error(void **state)
{
    struct fixture *f = *state;
    size_t taken = 7;

    file_put(f->receipts, 0, STR(""));
    assert_int_equal(store_ingest(f->s, f->receipts, &taken, &f->e), -ENOTDIR);
    assert_non_null(strstr(f->e.msg, f->receipts));
    assert_int_equal(taken, 7);
}

TESTS(BOTH(no_folder_holds_no_receipts), BOTH(takes_lines_in_once), BOTH(a_line_waits_for_its_end),
      BOTH(passes_over_what_is_no_receipt), BOTH(a_file_that_shrank_is_read_again),
      BOTH(hands_over_the_fields_and_the_line), BOTH(filters_and_limits), BOTH(takes_in_thousands),
      BOTH(a_long_line_is_taken_and_an_endless_one_passed_over), BOTH(stops_when_told),
      BOTH(a_looker_may_use_the_store), BOTH(erasing_a_session_leaves_its_receipts),
      BOTH(two_who_ingest_take_each_line_once), BOTH(a_stale_batch_is_refused),
      BOTH(a_folder_that_is_a_file_is_an_error))
