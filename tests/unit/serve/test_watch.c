#include "base/clock.h"
#include "serve/watch.h"
#include "tmpdir.h"

struct bed {
    struct tmpdir dir;
    char file[128];
    const char *watched[1];
    struct config config;
    struct watch watch;
};

static void bed_cleanup(struct bed *b)
{
    watch_release(&b->watch);
    tmpdir_cleanup(&b->dir);
}

/* One file, written before the configuration is loaded unless `before_ms` says otherwise. */
static void bed_open(struct bed *b, const char *text, int64_t before_ms)
{
    tmpdir_make(&b->dir);
    snprintf(b->file, sizeof(b->file), "%s/config.yaml", b->dir.path);
    b->watched[0] = b->file;
    b->config.watched = b->watched;
    b->config.watched_count = 1;
    if (text)
        assert_int_equal(file_write(b->file, str_of(text), 0600, NULL), 0);
    watch_set(&b->watch, &b->config, before_ms);
}

static void notices_new_bytes(void **state UNUSED)
{
    CLEANUP(bed) struct bed b = { 0 };

    bed_open(&b, "one", clock_wall_ms() + 60000);
    assert_false(watch_changed(&b.watch));
    assert_int_equal(file_write(b.file, STR("two"), 0600, NULL), 0);
    assert_true(watch_changed(&b.watch));
}

static void notices_coming_and_going(void **state UNUSED)
{
    CLEANUP(bed) struct bed b = { 0 };

    bed_open(&b, NULL, clock_wall_ms() + 60000);
    assert_false(watch_changed(&b.watch));
    assert_int_equal(file_write(b.file, STR("one"), 0600, NULL), 0);
    assert_true(watch_changed(&b.watch));
    watch_set(&b.watch, &b.config, clock_wall_ms() + 60000);
    assert_false(watch_changed(&b.watch));
    assert_int_equal(remove(b.file), 0);
    assert_true(watch_changed(&b.watch));
}

static void what_was_written_during_loading_counts_as_changed(void **state UNUSED)
{
    CLEANUP(bed) struct bed b = { 0 };

    bed_open(&b, "one", clock_wall_ms());
    assert_true(watch_changed(&b.watch));
}

TESTS(cmocka_unit_test(notices_new_bytes), cmocka_unit_test(notices_coming_and_going),
      cmocka_unit_test(what_was_written_during_loading_counts_as_changed))
