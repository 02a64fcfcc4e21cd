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

/* Copies */

static const char *copy_of(struct fixture *f, const char *name, int expected)
{
    const char *copy = NULL;

    assert_int_equal(trust_copy(&f->arena, at(f, "trusted"), at(f, name), &copy, NULL), expected);
    return copy;
}

static void assert_holds(struct fixture *f, const char *path, const char *text)
{
    struct str found;

    assert_int_equal(file_read(&f->arena, path, 4096, &found, NULL), 0);
    assert_string_equal(found.ptr, text);
}

static void copy_has_the_pinned_bytes_and_is_the_users_alone(void **state)
{
    struct fixture *f = *state;
    const char *copy;
    struct stat st;

    put(f, "ws/run.sh", "one");
    assert_int_equal(trust_pin(at(f, "trusted"), at(f, "ws/run.sh"), STR("one"), NULL), 0);
    copy = copy_of(f, "ws/run.sh", 0);
    assert_true(path_within(at(f, "data"), copy));
    assert_string_equal(strrchr(copy, '/'), "/run.sh");
    assert_holds(f, copy, "one");
    assert_int_equal(stat(copy, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0500);
    assert_int_equal(stat(path_dirname(&f->arena, copy), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
}

static void changed_file_has_no_copy_even_if_one_was_kept(void **state)
{
    struct fixture *f = *state;
    struct err e = { 0 };
    const char *copy;

    put(f, "ws/run.sh", "one");
    assert_int_equal(trust_pin(at(f, "trusted"), at(f, "ws/run.sh"), STR("one"), NULL), 0);
    put(f, "ws/run.sh", "two");
    assert_int_equal(trust_copy(&f->arena, at(f, "trusted"), at(f, "ws/run.sh"), &copy, &e),
                     TRUST_REFUSED);
    assert_non_null(strstr(e.msg, "has changed since it was trusted"));
    put(f, "ws/run.sh", "one");
    copy_of(f, "ws/run.sh", 0);
    unlink(at(f, "ws/run.sh"));
    copy_of(f, "ws/run.sh", TRUST_REFUSED);
}

static void copy_is_made_where_only_the_trust_file_came_along(void **state)
{
    struct fixture *f = *state;
    char hash[TRUST_HEX_LEN + 1];

    put(f, "ws/run.sh", "one");
    trust_hash(STR("one"), hash);
    put(f, "trusted",
        arena_printf(&f->arena, "%s  %s\n", hash, trust_name(&f->arena, at(f, "ws/run.sh"))));
    assert_holds(f, copy_of(f, "ws/run.sh", 0), "one");
}

static void copy_with_other_bytes_is_replaced(void **state)
{
    struct fixture *f = *state;
    const char *copy;

    put(f, "ws/run.sh", "one");
    assert_int_equal(trust_pin(at(f, "trusted"), at(f, "ws/run.sh"), STR("one"), NULL), 0);
    copy = copy_of(f, "ws/run.sh", 0);
    unlink(copy);
    assert_int_equal(file_write(copy, STR("evil"), 0500, NULL), 0);
    assert_holds(f, copy_of(f, "ws/run.sh", 0), "one");
    unlink(copy);
    put(f, "evil", "one");
    assert_int_equal(symlink(at(f, "evil"), copy), 0);
    copy = copy_of(f, "ws/run.sh", 0);
    put(f, "evil", "two");
    assert_holds(f, copy, "one");
}

static void a_link_turned_to_another_pinned_file_is_a_change(void **state)
{
    struct fixture *f = *state;

    put(f, "ws/a.sh", "a");
    put(f, "ws/b.sh", "b");
    assert_int_equal(symlink("a.sh", at(f, "ws/link.sh")), 0);
    assert_int_equal(trust_pin(at(f, "trusted"), at(f, "ws/link.sh"), STR("a"), NULL), 0);
    assert_int_equal(trust_pin(at(f, "trusted"), at(f, "ws/b.sh"), STR("b"), NULL), 0);
    assert_holds(f, copy_of(f, "ws/link.sh", 0), "a");
    unlink(at(f, "ws/link.sh"));
    assert_int_equal(symlink("b.sh", at(f, "ws/link.sh")), 0);
    copy_of(f, "ws/link.sh", TRUST_REFUSED);
}

static void revoking_takes_some_pins_and_leaves_the_rest(void **state)
{
    struct fixture *f = *state;
    const char *gone[] = { at(f, "ws/a"), at(f, "ws/none"), NULL };
    struct trust_pinned *pins;
    size_t count;

    assert_int_equal(trust_pin(at(f, "trusted"), at(f, "ws/a"), STR("a"), NULL), 0);
    assert_int_equal(trust_pin(at(f, "trusted"), at(f, "ws/b"), STR("b"), NULL), 0);
    assert_int_equal(trust_revoke(at(f, "trusted"), gone, &count, NULL), 0);
    assert_int_equal(count, 1);
    assert_int_equal(trust_pins(&f->arena, at(f, "trusted"), &pins, NULL), 0);
    assert_string_equal(pins[0].path, trust_name(&f->arena, at(f, "ws/b")));
    assert_null(pins[1].path);
    assert_holds(f, trust_kept(&f->arena, &pins[0]), "b");
}

/* Owners */

static const char *owner_problem(struct fixture *f, const char *name)
{
    struct err e = { 0 };

    return trust_owner_check(at(f, name), &e) < 0 ? arena_strdup(&f->arena, e.msg) : "";
}

static void what_others_can_write_is_refused(void **state)
{
    struct fixture *f = *state;

    put(f, "d/x", "");
    assert_string_equal(owner_problem(f, "d/x"), "");
    chmod(at(f, "d/x"), 0602);
    assert_non_null(strstr(owner_problem(f, "d/x"), "d/x' can be written by everybody"));
    chmod(at(f, "d/x"), 0600);
    chmod(at(f, "d"), 0707);
    assert_non_null(strstr(owner_problem(f, "d/x"), "/d' can be written by everybody"));
    chmod(at(f, "d"), 01777);
    assert_string_equal(owner_problem(f, "d/x"), "");
    chmod(at(f, "d"), 0700);
    assert_true(strlen(owner_problem(f, "none")) > 0);
}

static void folders_of_a_link_and_of_its_target_both_count(void **state)
{
    struct fixture *f = *state;

    put(f, "real/x", "");
    put(f, "links/y", "");
    assert_int_equal(symlink(at(f, "real/x"), at(f, "links/x")), 0);
    assert_string_equal(owner_problem(f, "links/x"), "");
    chmod(at(f, "links"), 0777);
    assert_non_null(strstr(owner_problem(f, "links/x"), "/links'"));
    chmod(at(f, "links"), 0700);
    chmod(at(f, "real"), 0777);
    assert_non_null(strstr(owner_problem(f, "links/x"), "/real'"));
}

static void what_belongs_to_another_is_refused(void **state)
{
    struct fixture *f = *state;

    if (geteuid() != 0)
        skip();
    put(f, "d/x", "");
    assert_int_equal(chown(at(f, "d/x"), 65534, 0), 0);
    assert_non_null(strstr(owner_problem(f, "d/x"), "belongs to another user (uid 65534)"));
    assert_int_equal(chown(at(f, "d/x"), 0, 0), 0);
    chmod(at(f, "d/x"), 0660);
    assert_string_equal(owner_problem(f, "d/x"), "");
    assert_int_equal(chown(at(f, "d/x"), 0, 65534), 0);
    chmod(at(f, "d/x"), 0660);
    assert_non_null(strstr(owner_problem(f, "d/x"), "can be written by its group"));
    chmod(at(f, "d/x"), 0600);
    assert_int_equal(chown(at(f, "d"), 65534, 0), 0);
    chmod(at(f, "d"), 01777);
    assert_non_null(strstr(owner_problem(f, "d/x"), "belongs to another user"));
}

static void trust_file_that_others_can_write_pins_nothing(void **state)
{
    struct fixture *f = *state;
    struct err e = { 0 };

    put(f, "ws/a", "a");
    assert_int_equal(trust_pin(at(f, "trusted"), at(f, "ws/a"), STR("a"), NULL), 0);
    chmod(at(f, "trusted"), 0666);
    assert_int_equal(trust_check(at(f, "trusted"), at(f, "ws/a"), STR("a")), TRUST_UNKNOWN);
    assert_true(trust_pin(at(f, "trusted"), at(f, "ws/a"), STR("a"), &e) < 0);
    assert_non_null(strstr(e.msg, "can be written by everybody"));
}

TESTS(CONFIG_TEST(pinned_bytes_are_trusted), CONFIG_TEST(pinning_again_replaces_the_pin),
      CONFIG_TEST(every_way_to_a_file_is_the_same_file),
      CONFIG_TEST(lines_that_are_no_pins_pin_nothing_and_stay),
      CONFIG_TEST(path_with_a_line_break_cannot_be_pinned),
      CONFIG_TEST(variable_names_the_trust_file),
      CONFIG_TEST(copy_has_the_pinned_bytes_and_is_the_users_alone),
      CONFIG_TEST(changed_file_has_no_copy_even_if_one_was_kept),
      CONFIG_TEST(copy_is_made_where_only_the_trust_file_came_along),
      CONFIG_TEST(copy_with_other_bytes_is_replaced),
      CONFIG_TEST(a_link_turned_to_another_pinned_file_is_a_change),
      CONFIG_TEST(revoking_takes_some_pins_and_leaves_the_rest),
      CONFIG_TEST(what_others_can_write_is_refused),
      CONFIG_TEST(folders_of_a_link_and_of_its_target_both_count),
      CONFIG_TEST(what_belongs_to_another_is_refused),
      CONFIG_TEST(trust_file_that_others_can_write_pins_nothing))
