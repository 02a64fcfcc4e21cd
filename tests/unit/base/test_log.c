#include "base/log.h"
#include "test.h"

#include <stdatomic.h>

struct heard {
    _Atomic unsigned count;
    enum log_level level;
    char line[2048];
};

static void hear(void *context, enum log_level level, const char *line)
{
    struct heard *h = context;

    atomic_fetch_add(&h->count, 1);
    h->level = level;
    snprintf(h->line, sizeof(h->line), "%s", line);
}

static void hear_count(void *context, enum log_level level UNUSED, const char *line UNUSED)
{
    struct heard *h = context;

    atomic_fetch_add(&h->count, 1);
}

static void passes_on_what_the_level_allows(void **state UNUSED)
{
    struct heard h = { 0 };
    struct log l = { 0 };

    log_init(&l, LOG_INFO, hear, &h);
    log_debug(&l, "no");
    assert_int_equal(h.count, 0);
    log_info(&l, "yes %d", 1);
    assert_string_equal(h.line, "yes 1");
    assert_int_equal(h.level, LOG_INFO);
    log_warn(&l, "careful");
    assert_string_equal(h.line, "careful");
    assert_int_equal(h.level, LOG_WARN);
    assert_int_equal(h.count, 2);
    log_release(&l);
}

static void says_a_cause_once(void **state UNUSED)
{
    struct heard h = { 0 };
    struct log l = { 0 };

    log_init(&l, LOG_WARN, hear, &h);
    for (unsigned i = 0; i < 100; i++)
        log_warn_once(&l, "hook '%s' is unknown", i % 2 ? "a" : "b");
    assert_int_equal(h.count, 2);
    log_warn(&l, "hook '%s' is unknown", "a");
    assert_int_equal(h.count, 3);
    log_release(&l);
}

static void swallows_without_a_log_or_a_writer(void **state UNUSED)
{
    struct log silent = { 0 };

    log_warn(NULL, "x");
    log_warn_once(NULL, "x");
    log_info(NULL, "x");
    log_debug(NULL, "x");
    log_init(&silent, LOG_DEBUG, NULL, NULL);
    log_warn(&silent, "x");
    log_warn_once(&silent, "x");
    log_release(&silent);
}

static void cuts_overlong_lines(void **state UNUSED)
{
    struct heard h = { 0 };
    struct log l = { 0 };

    log_init(&l, LOG_WARN, hear, &h);
    log_warn(&l, "%5000s", "x");
    assert_int_equal(strlen(h.line), 1023);
    log_warn_once(&l, "%5000s", "x");
    assert_int_equal(strlen(h.line), 1023);
    log_release(&l);
}

static void *warn_often(void *log)
{
    for (unsigned i = 0; i < 500; i++)
        log_warn_once(log, "cause %u", i % 50);
    return NULL;
}

static void says_it_once_from_all_threads(void **state UNUSED)
{
    struct heard h = { 0 };
    struct log l = { 0 };
    pthread_t threads[4];

    log_init(&l, LOG_WARN, hear_count, &h);
    for (size_t i = 0; i < ARRAY_LEN(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, warn_often, &l), 0);
    for (size_t i = 0; i < ARRAY_LEN(threads); i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(h.count, 50);
    log_release(&l);
}

TESTS(cmocka_unit_test(passes_on_what_the_level_allows), cmocka_unit_test(says_a_cause_once),
      cmocka_unit_test(swallows_without_a_log_or_a_writer), cmocka_unit_test(cuts_overlong_lines),
      cmocka_unit_test(says_it_once_from_all_threads))
