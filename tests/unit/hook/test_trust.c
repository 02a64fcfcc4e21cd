#include "config_fixture.h"

static void pinned_bytes_are_trusted(void **state)
{
    struct fixture *f = *state;
    const char *file = at(f, "trusted"), *path = at(f, "ws/a.yaml");
    struct str text;

    put(f, "ws/a.yaml", "x");
    assert_int_equal(trust_check(file, path, STR("x")), TRUST_UNKNOWN);
    assert_int_equal(trust_pin(file, path, STR("x"), NULL), 0);
    assert_int_equal(trust_check(file, path, STR("x")), TRUST_PINNED);
    assert_int_equal(trust_check(file, path, STR("y")), TRUST_CHANGED);
    assert_int_equal(trust_check(file, at(f, "ws/b.yaml"), STR("x")), TRUST_UNKNOWN);
    assert_int_equal(file_read(&f->arena, file, 4096, &text, NULL), 0);
    /* BLAKE2b-256 of "x", two spaces, the path */
    assert_int_equal(text.ptr[64], ' ');
    assert_int_equal(text.ptr[65], ' ');
    assert_memory_equal(text.ptr,
                        "d161d71145abeec5ef15abcf0459cec60a27321e2f0ac0ef7ace5254f5944476", 64);
}

static void pinning_again_replaces_the_pin(void **state)
{
    struct fixture *f = *state;
    const char *file = at(f, "trusted");
    struct str text;

    put(f, "ws/a.yaml", "x");
    put(f, "ws/b.yaml", "x");
    assert_int_equal(trust_pin(file, at(f, "ws/a.yaml"), STR("x"), NULL), 0);
    assert_int_equal(trust_pin(file, at(f, "ws/b.yaml"), STR("x"), NULL), 0);
    assert_int_equal(trust_pin(file, at(f, "ws/a.yaml"), STR("y"), NULL), 0);
    assert_int_equal(trust_check(file, at(f, "ws/a.yaml"), STR("y")), TRUST_PINNED);
    assert_int_equal(trust_check(file, at(f, "ws/a.yaml"), STR("x")), TRUST_CHANGED);
    assert_int_equal(trust_check(file, at(f, "ws/b.yaml"), STR("x")), TRUST_PINNED);
    assert_int_equal(file_read(&f->arena, file, 4096, &text, NULL), 0);
    assert_non_null(strstr(text.ptr, "ws/a.yaml"));
    assert_null(strstr(strstr(text.ptr, "ws/a.yaml") + 1, "ws/a.yaml"));
}

static void every_way_to_a_file_is_the_same_file(void **state)
{
    struct fixture *f = *state;
    const char *file = at(f, "trusted");

    put(f, "ws/a.yaml", "x");
    assert_int_equal(symlink(at(f, "ws"), at(f, "link")), 0);
    assert_int_equal(trust_pin(file, at(f, "link/a.yaml"), STR("x"), NULL), 0);
    assert_int_equal(trust_check(file, at(f, "ws/a.yaml"), STR("x")), TRUST_PINNED);
    assert_int_equal(trust_check(file, at(f, "ws/../ws/a.yaml"), STR("x")), TRUST_PINNED);
}

static void lines_that_are_no_pins_pin_nothing_and_stay(void **state)
{
    struct fixture *f = *state;
    const char *file = at(f, "trusted");
    struct str text;

    put(f, "trusted", "# mine\n/a/path\n");
    assert_int_equal(trust_check(file, "/a/path", STR("x")), TRUST_UNKNOWN);
    assert_int_equal(trust_pin(file, "/a/path", STR("x"), NULL), 0);
    assert_int_equal(file_read(&f->arena, file, 4096, &text, NULL), 0);
    assert_int_equal(strncmp(text.ptr, "# mine\n/a/path\n", 15), 0);
}

static void path_with_a_line_break_cannot_be_pinned(void **state)
{
    struct fixture *f = *state;
    struct err e = { 0 };

    assert_true(trust_pin(at(f, "trusted"), "/a\n/b", STR("x"), &e) < 0);
    assert_true(trust_pin(at(f, "trusted"), "relative/not/there", STR("x"), &e) < 0);
}

static void variable_names_the_trust_file(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(trust_file(&f->arena, "/u"), "/u/trusted");
    setenv("HOOKE_TRUST", "/ci/pins", 1);
    assert_string_equal(trust_file(&f->arena, "/u"), "/ci/pins");
    unsetenv("HOOKE_TRUST");
}

TESTS(CONFIG_TEST(pinned_bytes_are_trusted), CONFIG_TEST(pinning_again_replaces_the_pin),
      CONFIG_TEST(every_way_to_a_file_is_the_same_file),
      CONFIG_TEST(lines_that_are_no_pins_pin_nothing_and_stay),
      CONFIG_TEST(path_with_a_line_break_cannot_be_pinned),
      CONFIG_TEST(variable_names_the_trust_file))
