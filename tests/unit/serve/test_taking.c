#include "base/handover.h"
#include "serve/taking.h"
#include "test.h"

static bool read_texts(struct arena *a, struct str body, uint32_t argc, uint32_t envc,
                       struct taking *out)
{
    struct handover_head head = { .size = (uint32_t)body.len, .argc = argc, .envc = envc };
    char *copy = arena_alloc(a, body.len + 1);

    memcpy(copy, body.ptr, body.len);
    copy[body.len] = '\0';
    return taking_read(a, &head, copy, out);
}

static void reads_words_and_variables(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct taking t = { 0 };

    assert_true(read_texts(&a, STR("0.1.0\0/w\0claude\0Stop\0A=1\0B=\0"), 2, 2, &t));
    assert_string_equal(t.version, "0.1.0");
    assert_string_equal(t.cwd, "/w");
    assert_string_equal(t.argv[1], "Stop");
    assert_null(t.argv[2]);
    assert_string_equal(t.vars[0], "A=1");
    assert_string_equal(t.vars[1], "B=");
    assert_null(t.vars[2]);
}

static void refuses_other_counts_than_there_are(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct taking t = { 0 };

    assert_false(read_texts(&a, STR("0.1.0\0/w\0claude\0"), 2, 0, &t));
    assert_false(read_texts(&a, STR("0.1.0\0/w\0claude\0"), 0, 0, &t));
    assert_false(read_texts(&a, STR("0.1.0\0/w\0claude\0"), 1, UINT32_MAX, &t));
    assert_false(read_texts(&a, STR("0.1.0\0/w\0claude\0"), UINT32_MAX, 0, &t));
}

static void refuses_a_text_without_end(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct taking t = { 0 };

    assert_false(read_texts(&a, STR("0.1.0\0/w\0claude"), 1, 0, &t));
    assert_false(read_texts(&a, STR(""), 0, 0, &t));
}

TESTS(cmocka_unit_test(reads_words_and_variables),
      cmocka_unit_test(refuses_other_counts_than_there_are),
      cmocka_unit_test(refuses_a_text_without_end))
