#include "base/file.h"
#include "base/path.h"
#include "tmpdir.h"

static void joins_with_one_slash(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };

    assert_string_equal(path_join(&a, "a", "b"), "a/b");
    assert_string_equal(path_join(&a, "a/", "b"), "a/b");
    assert_string_equal(path_join(&a, "/", "b"), "/b");
    assert_string_equal(path_join(&a, "a", "/b"), "/b");
}

static void joining_to_nothing_stays_relative(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };

    assert_string_equal(path_join(&a, "", "b"), "b");
}

static void splits_folder_and_name(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };

    assert_string_equal(path_basename("a/b"), "b");
    assert_string_equal(path_basename("b"), "b");
    assert_string_equal(path_basename("a/"), "");
    assert_string_equal(path_dirname(&a, "a/b"), "a");
    assert_string_equal(path_dirname(&a, "/b"), "/");
    assert_string_equal(path_dirname(&a, "b"), ".");
    assert_string_equal(path_dirname(&a, "/"), "/");
    assert_string_equal(path_dirname(&a, "//b"), "/");
    assert_string_equal(path_dirname(&a, ""), ".");
}

static void normalizes_absolute_paths(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };

    assert_string_equal(path_normalize(&a, "/"), "/");
    assert_string_equal(path_normalize(&a, "//"), "/");
    assert_string_equal(path_normalize(&a, "/a//b/./c/"), "/a/b/c");
    assert_string_equal(path_normalize(&a, "/a/b/../c"), "/a/c");
    assert_string_equal(path_normalize(&a, "/a/.."), "/");
    assert_string_equal(path_normalize(&a, "/../../a"), "/a");
    assert_string_equal(path_normalize(&a, "/a/../../b"), "/b");
    assert_string_equal(path_normalize(&a, "/..."), "/...");
    assert_string_equal(path_normalize(&a, "/a/..b"), "/a/..b");
}

static void normalizes_relative_paths(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };

    assert_string_equal(path_normalize(&a, ""), ".");
    assert_string_equal(path_normalize(&a, "."), ".");
    assert_string_equal(path_normalize(&a, "./a//b/"), "a/b");
    assert_string_equal(path_normalize(&a, "a/../b"), "b");
    assert_string_equal(path_normalize(&a, "a/.."), ".");
    assert_string_equal(path_normalize(&a, "a/b/../.."), ".");
    assert_string_equal(path_normalize(&a, "a/b/../c"), "a/c");
}

static void keeps_what_leads_out_of_a_relative_path(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };

    assert_string_equal(path_normalize(&a, ".."), "..");
    assert_string_equal(path_normalize(&a, "../x"), "../x");
    assert_string_equal(path_normalize(&a, "a/../../x"), "../x");
    assert_string_equal(path_normalize(&a, "../../x/.."), "../..");
    assert_string_equal(path_normalize(&a, "..a/../b"), "b");
}

static void contains_by_component(void **state UNUSED)
{
    assert_true(path_within("/repo", "/repo"));
    assert_true(path_within("/repo", "/repo/a"));
    assert_true(path_within("/repo/", "/repo/a"));
    assert_true(path_within("/repo", "/repo/"));
    assert_true(path_within("/", "/anything"));
    assert_true(path_within("/", "/"));
    assert_false(path_within("/repo", "/repo-other"));
    assert_false(path_within("/repo", "/rep"));
    assert_false(path_within("/repo", "/"));
    assert_false(path_within("/repo", "repo"));
}

static void containment_sees_through_dots(void **state UNUSED)
{
    assert_false(path_within("/repo", "/repo/../etc/passwd"));
    assert_false(path_within("/repo", "/repo/a/../../etc"));
    assert_true(path_within("/repo", "/repo/a/../b"));
    assert_true(path_within("/repo", "/other/../repo/a"));
    assert_true(path_within("/repo", "//repo//a"));
    assert_true(path_within("/repo/./x/..", "/repo/a"));
}

static void contains_relative_paths(void **state UNUSED)
{
    assert_true(path_within(".", "a/b"));
    assert_true(path_within("", "a/b"));
    assert_false(path_within(".", "../a"));
    assert_false(path_within(".", ".."));
    assert_true(path_within(".", "..a"));
    assert_false(path_within(".", "/a"));
    assert_false(path_within("", "/etc"));
    assert_true(path_within("a", "./a/b"));
}

static void follows_the_environment(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };

    setenv("HOME", "/h", 1);
    unsetenv("XDG_CONFIG_HOME");
    setenv("XDG_DATA_HOME", "/data", 1);
    setenv("XDG_STATE_HOME", "relative", 1);
    assert_string_equal(path_xdg(&a, PATH_CONFIG), "/h/.config/hooke");
    assert_string_equal(path_xdg(&a, PATH_DATA), "/data/hooke");
    assert_string_equal(path_xdg(&a, PATH_STATE), "/h/.local/state/hooke");
    unsetenv("HOME");
    assert_string_equal(path_home(), "/");
    assert_string_equal(path_xdg(&a, PATH_CONFIG), "/.config/hooke");
    setenv("HOME", "not/absolute", 1);
    assert_string_equal(path_home(), "/");
}

static void finds_the_nearest_workspace(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(tmpdir) struct tmpdir dir = { 0 };
    char *inner, *deep;
    struct err e = { 0 };

    tmpdir_make(&dir);
    inner = path_join(&a, dir.path, "inner");
    deep = path_join(&a, inner, "x/y");
    assert_int_equal(file_mkdirs(deep, &e), 0);
    assert_string_equal(path_workspace(&a, deep), deep);
    assert_int_equal(file_mkdirs(path_join(&a, dir.path, ".git"), &e), 0);
    assert_string_equal(path_workspace(&a, deep), dir.path);
    assert_int_equal(file_mkdirs(path_join(&a, inner, ".hooke"), &e), 0);
    assert_string_equal(path_workspace(&a, deep), inner);
    assert_string_equal(path_workspace(&a, inner), inner);
    assert_string_equal(path_workspace(&a, path_join(&a, inner, "absent/too")), inner);
}

static void names_a_workspace_one_way(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(tmpdir) struct tmpdir dir = { 0 };
    struct err e = { 0 };

    tmpdir_make(&dir);
    assert_int_equal(file_mkdirs(path_join(&a, dir.path, ".git"), &e), 0);
    assert_int_equal(file_mkdirs(path_join(&a, dir.path, "sub"), &e), 0);
    assert_string_equal(path_workspace(&a, arena_printf(&a, "%s/", dir.path)), dir.path);
    assert_string_equal(path_workspace(&a, arena_printf(&a, "%s//sub/", dir.path)), dir.path);
    assert_string_equal(path_workspace(&a, arena_printf(&a, "%s/sub/..", dir.path)), dir.path);
}

TESTS(cmocka_unit_test(joins_with_one_slash), cmocka_unit_test(joining_to_nothing_stays_relative),
      cmocka_unit_test(splits_folder_and_name), cmocka_unit_test(normalizes_absolute_paths),
      cmocka_unit_test(normalizes_relative_paths),
      cmocka_unit_test(keeps_what_leads_out_of_a_relative_path),
      cmocka_unit_test(contains_by_component), cmocka_unit_test(containment_sees_through_dots),
      cmocka_unit_test(contains_relative_paths), cmocka_unit_test(follows_the_environment),
      cmocka_unit_test(finds_the_nearest_workspace), cmocka_unit_test(names_a_workspace_one_way))
