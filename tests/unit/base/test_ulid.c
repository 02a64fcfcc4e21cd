#include "base/clock.h"
#include "base/ulid.h"
#include "test.h"

#include <pthread.h>
#include <stdlib.h>

#define THREADS  4
#define PER_LIST 5000

static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

static uint64_t milliseconds_of(const char *id)
{
    uint64_t ms = 0;

    for (int i = 0; i < 10; i++)
        ms = ms * 32 + (uint64_t)(strchr(alphabet, id[i]) - alphabet);
    return ms;
}

static void is_26_characters_of_base_32(void **state UNUSED)
{
    struct ulid_source s = { 0 };
    char id[ULID_SIZE];

    ulid_init(&s);
    for (unsigned i = 0; i < 1000; i++) {
        ulid_next(&s, clock_wall_ms(), id);
        assert_int_equal(strlen(id), 26);
        assert_int_equal(strspn(id, alphabet), 26);
    }
}

static void begins_with_the_time(void **state UNUSED)
{
    struct ulid_source s = { 0 };
    char id[ULID_SIZE];
    uint64_t before = (uint64_t)clock_wall_ms();

    ulid_init(&s);
    ulid_next(&s, clock_wall_ms(), id);
    assert_true(milliseconds_of(id) >= before);
    assert_true(milliseconds_of(id) <= (uint64_t)clock_wall_ms());
}

static void a_later_millisecond_sorts_later(void **state UNUSED)
{
    struct ulid_source s = { 0 };
    char first[ULID_SIZE], second[ULID_SIZE];

    ulid_init(&s);
    for (unsigned i = 0; i < 5; i++) {
        ulid_next(&s, clock_wall_ms(), first);
        do
            ulid_next(&s, clock_wall_ms(), second);
        while (milliseconds_of(second) == milliseconds_of(first));
        assert_true(strcmp(first, second) < 0);
    }
}

struct list {
    struct ulid_source *source;
    char ids[PER_LIST][ULID_SIZE];
};

static void *fill(void *argument)
{
    struct list *l = argument;

    for (size_t i = 0; i < PER_LIST; i++)
        ulid_next(l->source, clock_wall_ms(), l->ids[i]);
    return NULL;
}

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void assert_all_differ(struct list *lists, size_t count)
{
    size_t total = count * PER_LIST;
    char(*all)[ULID_SIZE] = calloc(total, ULID_SIZE);

    for (size_t i = 0; i < count; i++)
        memcpy(all + i * PER_LIST, lists[i].ids, sizeof(lists[i].ids));
    qsort(all, total, ULID_SIZE, compare);
    for (size_t i = 1; i < total; i++)
        assert_string_not_equal(all[i - 1], all[i]);
    free(all);
}

static void threads_never_get_the_same(void **state UNUSED)
{
    static struct list lists[THREADS];
    struct ulid_source s = { 0 };
    pthread_t threads[THREADS];

    ulid_init(&s);
    for (size_t i = 0; i < THREADS; i++) {
        lists[i].source = &s;
        assert_int_equal(pthread_create(&threads[i], NULL, fill, &lists[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_all_differ(lists, THREADS);
}

static void sources_never_give_the_same(void **state UNUSED)
{
    static struct list lists[THREADS];
    struct ulid_source sources[THREADS] = { 0 };

    for (size_t i = 0; i < THREADS; i++) {
        ulid_init(&sources[i]);
        lists[i].source = &sources[i];
        fill(&lists[i]);
    }
    assert_all_differ(lists, THREADS);
}

TESTS(cmocka_unit_test(is_26_characters_of_base_32), cmocka_unit_test(begins_with_the_time),
      cmocka_unit_test(a_later_millisecond_sorts_later),
      cmocka_unit_test(threads_never_get_the_same), cmocka_unit_test(sources_never_give_the_same))
