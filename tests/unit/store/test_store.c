/*
 * State: one suite for every implementation of store.h.
 */
#include "base/strbuf.h"
#include "fixture.h"

#include <errno.h>
#include <pthread.h>

static void put(struct fixture *f, struct store_key k, struct str value)
{
    assert_int_equal(store_set(f->s, &k, value, &f->e), 0);
}

static struct str look(struct fixture *f, struct store_key k)
{
    struct str value = STR("untouched");

    assert_int_equal(store_get(f->s, &k, &f->a, &value, &f->e), 0);
    return value;
}

static void assert_value(struct fixture *f, struct store_key k, struct str expected)
{
    struct str value = look(f, k);

    assert_true(str_is_set(value));
    assert_int_equal(value.len, expected.len);
    assert_memory_equal(value.ptr, expected.ptr, expected.len);
    assert_int_equal(value.ptr[value.len], '\0');
}

static void assert_no_value(struct fixture *f, struct store_key k)
{
    assert_false(str_is_set(look(f, k)));
}

static void unknown_key_has_no_value(void **state)
{
    assert_no_value(*state, key_of("s", "h", "k"));
}

static void returns_the_bytes_that_were_set(void **state)
{
    struct store_key k = key_of("s", "h", "k");

    put(*state, k, STR("first"));
    put(*state, k, STR("with a NUL \0 and \xff\xfe no UTF-8"));
    assert_value(*state, k, STR("with a NUL \0 and \xff\xfe no UTF-8"));
}

static void empty_value_is_a_value(void **state)
{
    put(*state, key_of("s", "h", "k"), STR(""));
    assert_value(*state, key_of("s", "h", "k"), STR(""));
}

static void unset_value_removes_the_key(void **state)
{
    struct store_key k = key_of("s", "h", "k");

    put(*state, k, STR("v"));
    put(*state, k, (struct str){ 0 });
    assert_no_value(*state, k);
    put(*state, k, (struct str){ 0 });
    assert_no_value(*state, k);
}

static void sessions_and_hooks_are_kept_apart(void **state)
{
    put(*state, key_of("s", "h", "k"), STR("1"));
    put(*state, key_of("s2", "h", "k"), STR("2"));
    put(*state, key_of("s", "h2", "k"), STR("3"));
    put(*state, key_of("sh", "", "k"), STR("4"));
    put(*state, key_of("", "", ""), STR("5"));
    assert_value(*state, key_of("s", "h", "k"), STR("1"));
    assert_value(*state, key_of("s2", "h", "k"), STR("2"));
    assert_value(*state, key_of("s", "h2", "k"), STR("3"));
    assert_value(*state, key_of("sh", "", "k"), STR("4"));
    assert_value(*state, key_of("", "", ""), STR("5"));
    assert_no_value(*state, key_of("s", "h", "K"));
}

static void holds_a_large_value(void **state)
{
    struct fixture *f = *state;
    size_t len = (size_t)3 << 20;
    char *bytes = arena_alloc(&f->a, len);

    memset(bytes, 'x', len);
    put(f, key_of("s", "h", "k"), (struct str){ bytes, len });
    assert_value(f, key_of("s", "h", "k"), (struct str){ bytes, len });
}

static int64_t count(struct fixture *f, struct store_key k, int64_t by)
{
    int64_t now = -77;

    assert_int_equal(store_incr(f->s, &k, by, &now, &f->e), 0);
    return now;
}

static void counts_from_zero(void **state)
{
    struct store_key k = key_of("s", "h", "n");

    assert_int_equal(count(*state, k, 3), 3);
    assert_int_equal(count(*state, k, 2), 5);
    assert_value(*state, k, STR("5"));
    assert_int_equal(count(*state, k, -12), -7);
    assert_value(*state, k, STR("-7"));
}

static void counts_on_from_a_value_that_was_set(void **state)
{
    put(*state, key_of("s", "h", "n"), STR("-9223372036854775808"));
    assert_int_equal(count(*state, key_of("s", "h", "n"), 1), INT64_MIN + 1);
    put(*state, key_of("s", "h", "n"), STR("9223372036854775806"));
    assert_int_equal(count(*state, key_of("s", "h", "n"), 1), INT64_MAX);
    put(*state, key_of("s", "h", "n"), STR("007"));
    assert_int_equal(count(*state, key_of("s", "h", "n"), 0), 7);
}

static void refuses_to_count_what_is_no_integer(void **state)
{
    static const char *const values[] = {
        "",
        "-",
        "+5",
        " 5",
        "5 ",
        "5\n",
        "1.0",
        "1e3",
        "0x1",
        "--1",
        "9223372036854775808",
        "-9223372036854775809",
        "99999999999999999999",
        "five",
    };
    struct fixture *f = *state;
    struct store_key k = key_of("s", "h", "n");

    for (size_t i = 0; i < ARRAY_LEN(values); i++) {
        int64_t now = 42;

        put(f, k, str_of(values[i]));
        assert_int_equal(store_incr(f->s, &k, 1, &now, &f->e), -EINVAL);
        assert_non_null(strstr(f->e.msg, "state 'n' of hook 'h' is not an integer"));
        assert_int_equal(now, 42);
        assert_value(f, k, str_of(values[i]));
    }
}

static void refuses_to_count_past_the_ends(void **state)
{
    struct fixture *f = *state;
    struct store_key k = key_of("s", "h", "n");
    int64_t now = 42;

    put(f, k, STR("9223372036854775807"));
    assert_int_equal(store_incr(f->s, &k, 1, &now, &f->e), -EINVAL);
    assert_non_null(strstr(f->e.msg, "beyond"));
    assert_value(f, k, STR("9223372036854775807"));
    put(f, k, STR("-9223372036854775808"));
    assert_int_equal(store_incr(f->s, &k, -1, &now, &f->e), -EINVAL);
    assert_int_equal(now, 42);
}

struct decision {
    struct store *s;
    struct str seen, answer;
    bool keep;
    int result;
};

static int decide(void *context, struct arena *a, struct str before, struct str *after,
                  struct err *e)
{
    struct decision *d = context;
    struct store_key k = { "s", "h", "k" };

    assert_true(str_is_set(*after) == str_is_set(before) && str_eq(*after, before));
    assert_true(str_eq(before, d->seen) && str_is_set(before) == str_is_set(d->seen));
    if (!d->keep)
        *after = (struct str){ arena_cstr(a, d->answer), d->answer.len };
    if (d->s)
        return store_set(d->s, &k, STR("from inside"), e);
    return d->result < 0 ? err_set(e, d->result, "decided against it") : d->result;
}

static int update(struct fixture *f, struct decision d)
{
    struct store_key k = key_of("s", "h", "k");

    return store_update(f->s, &k, decide, &d, &f->e);
}

static void update_reads_and_replaces(void **state)
{
    struct fixture *f = *state;
    struct store_key k = key_of("s", "h", "k");

    assert_int_equal(update(f, (struct decision){ .answer = STR("one") }), 0);
    assert_value(f, k, STR("one"));
    assert_int_equal(update(f, (struct decision){ .seen = STR("one"), .answer = STR("") }), 0);
    assert_value(f, k, STR(""));
    assert_int_equal(update(f, (struct decision){ .seen = STR(""), .answer = STR("two") }), 0);
    assert_int_equal(update(f, (struct decision){ .seen = STR("two"), .keep = true }), 0);
    assert_value(f, k, STR("two"));
    assert_int_equal(update(f, (struct decision){ .seen = STR("two") }), 0);
    assert_no_value(f, k);
    assert_int_equal(update(f, (struct decision){ .keep = true }), 0);
    assert_no_value(f, k);
}

static void update_that_fails_leaves_the_value(void **state)
{
    struct fixture *f = *state;

    put(f, key_of("s", "h", "k"), STR("old"));
    assert_int_equal(update(f, (struct decision){ .seen = STR("old"), .result = -ECANCELED }),
                     -ECANCELED);
    assert_string_equal(f->e.msg, "decided against it");
    assert_value(f, key_of("s", "h", "k"), STR("old"));
    put(f, key_of("s", "h", "k"), STR("new"));
    assert_value(f, key_of("s", "h", "k"), STR("new"));
}

static void update_refuses_to_be_entered_again(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(update(f, (struct decision){ .s = f->s, .answer = STR("x") }), -EDEADLK);
    assert_non_null(strstr(f->e.msg, "store_update"));
    assert_no_value(f, key_of("s", "h", "k"));
}

static void assert_keys(struct fixture *f, const char *prefix, const char *expected)
{
    CLEANUP(strbuf) struct strbuf keys = { 0 };
    struct store_key k = { "s", "h", prefix };
    struct store_entry *entries;
    size_t n;

    assert_int_equal(store_list(f->s, &k, &f->a, &entries, &n, &f->e), 0);
    for (size_t i = 0; i < n; i++) {
        assert_true(str_is(entries[i].value, entries[i].key));
        strbuf_printf(&keys, "%s%s", i ? " " : "", entries[i].key);
    }
    assert_string_equal(strbuf_cstr(&keys), expected);
}

static void put_keys(struct fixture *f, const char *const *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put(f, key_of("s", "h", keys[i]), str_of(keys[i]));
        put(f, key_of("s", "other", keys[i]), STR("other hook"));
        put(f, key_of("other", "h", keys[i]), STR("other session"));
    }
}

static void lists_by_exact_prefix_in_order(void **state)
{
    static const char *const keys[] = { "b",          "a_1",  "a%2",      "ab",
                                        "a",          "aB",   "A",        "a/\xc3\xa9t\xc3\xa9",
                                        "a/\xc3\xa8", "\xff", "\xff\xff", "\xff\xff!",
                                        "zz" };
    struct fixture *f = *state;

    put_keys(f, keys, ARRAY_LEN(keys));
    assert_keys(f, "",
                "A a a%2 a/\xc3\xa8 a/\xc3\xa9t\xc3\xa9 aB a_1 ab b zz \xff \xff\xff \xff\xff!");
    assert_keys(f, "a", "a a%2 a/\xc3\xa8 a/\xc3\xa9t\xc3\xa9 aB a_1 ab");
    assert_keys(f, "a_", "a_1");
    assert_keys(f, "a%", "a%2");
    assert_keys(f, "a/\xc3\xa9", "a/\xc3\xa9t\xc3\xa9");
    assert_keys(f, "\xff", "\xff \xff\xff \xff\xff!");
    assert_keys(f, "\xff\xff", "\xff\xff \xff\xff!");
    assert_keys(f, "zzz", "");
    assert_keys(f, "z\xff", "");
}

static void lists_nothing_of_an_unknown_session(void **state)
{
    struct fixture *f = *state;
    struct store_key k = { "s", "h", "" };
    struct store_entry *entries;
    size_t n = 9;

    assert_int_equal(store_list(f->s, &k, &f->a, &entries, &n, &f->e), 0);
    assert_int_equal(n, 0);
}

static void lists_hundreds(void **state)
{
    struct fixture *f = *state;
    struct store_key k = { "s", "h", "k1" };
    struct store_entry *entries;
    size_t n;

    for (unsigned i = 0; i < 300; i++)
        put(f, key_of("s", "h", arena_printf(&f->a, "k%03u", i)), STR("v"));
    assert_int_equal(store_list(f->s, &k, &f->a, &entries, &n, &f->e), 0);
    assert_int_equal(n, 100);
    assert_string_equal(entries[0].key, "k100");
    assert_string_equal(entries[99].key, "k199");
}

static void erase(struct fixture *f, struct store_key prefix)
{
    assert_int_equal(store_erase(f->s, &prefix, &f->e), 0);
}

static void erases_by_exact_prefix(void **state)
{
    static const char *const keys[] = { "a_1", "ab1", "a%", "b", "\xff" };
    struct fixture *f = *state;

    put_keys(f, keys, ARRAY_LEN(keys));
    erase(f, key_of("s", "h", "a_"));
    assert_keys(f, "", "a% ab1 b \xff");
    erase(f, key_of("s", NULL, "a%"));
    assert_keys(f, "", "ab1 b \xff");
    assert_no_value(f, key_of("s", "other", "a%"));
    assert_value(f, key_of("s", "other", "a_1"), STR("other hook"));
    erase(f, key_of("s", "h", NULL));
    assert_keys(f, "", "");
    assert_value(f, key_of("s", "other", "b"), STR("other hook"));
    assert_value(f, key_of("other", "h", "a_1"), STR("other session"));
}

static void erases_a_whole_session(void **state)
{
    static const char *const keys[] = { "a", "b", "\xff\xff" };
    struct fixture *f = *state;

    put_keys(f, keys, ARRAY_LEN(keys));
    erase(f, key_of("s", NULL, NULL));
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        assert_no_value(f, key_of("s", "h", keys[i]));
        assert_no_value(f, key_of("s", "other", keys[i]));
        assert_value(f, key_of("other", "h", keys[i]), STR("other session"));
    }
}

#define THREADS    8
#define PER_THREAD 100

static void *count_many(void *context)
{
    struct store_key k = { "s", "h", "n" };
    struct err e = { 0 };
    int64_t now, bad = 0;

    for (int i = 0; i < PER_THREAD; i++)
        bad |= store_incr(context, &k, 1, &now, &e);
    return bad ? context : NULL;
}

static void threads_lose_no_update(void **state)
{
    struct fixture *f = *state;
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_many, f->s), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed;

        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(count(f, key_of("s", "h", "n"), 0), THREADS * PER_THREAD);
}

TESTS(BOTH(unknown_key_has_no_value), BOTH(returns_the_bytes_that_were_set),
      BOTH(empty_value_is_a_value), BOTH(unset_value_removes_the_key),
      BOTH(sessions_and_hooks_are_kept_apart), BOTH(holds_a_large_value), BOTH(counts_from_zero),
      BOTH(counts_on_from_a_value_that_was_set), BOTH(refuses_to_count_what_is_no_integer),
      BOTH(refuses_to_count_past_the_ends), BOTH(update_reads_and_replaces),
      BOTH(update_that_fails_leaves_the_value), BOTH(update_refuses_to_be_entered_again),
      BOTH(lists_by_exact_prefix_in_order), BOTH(lists_nothing_of_an_unknown_session),
      BOTH(lists_hundreds), BOTH(erases_by_exact_prefix), BOTH(erases_a_whole_session),
      BOTH(threads_lose_no_update))
