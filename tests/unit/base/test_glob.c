#include "base/glob.h"
#include "test.h"

#include <errno.h>

static void patterns_match_as_people_expect(void **state UNUSED)
{
    static const struct {
        const char *pattern, *path;
        int matches;
    } rows[] = {
        { "a", "a", true },
        { "a", "b", false },
        { "a", "ab", false },
        { "*.c", "main.c", true },
        { "*.c", "src/main.c", false },
        { "src/*.c", "src/main.c", true },
        { "**/*.c", "src/base/main.c", true },
        { "**/*.c", "main.c", true },
        { "src/**/x.c", "src/x.c", true },
        { "src/**/x.c", "src/a/b/x.c", true },
        { "src/**", "src/a/b", true },
        { "src/**", "srcs/a", false },
        { "?.c", "a.c", true },
        { "?.c", "/.c", false },
        { "[a-c].c", "b.c", true },
        { "[!a-c].c", "b.c", false },
        { "[^a-c].c", "d.c", true },
        { "[]].c", "].c", true },
        { "[!/]", "/", false },
        { "*.{c,h}", "x.h", true },
        { "*.{c,h}", "x.cc", false },
        { "{src,tests/{unit,e2e}}/*", "tests/e2e/x", true },
        { "{src,tests/{unit,e2e}}/*", "tests/x", false },
        { "a{,b}", "a", true },
        { "\\*", "*", true },
        { "\\*", "a", false },
        { "[abc", "a", false },
        { "{a,b", "a", false },
        { "", "", false },
        { "*", "", true },
        { "\xc3\xa9*", "\xc3\xa9t\xc3\xa9", true },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (glob_match(str_of(rows[i].pattern), str_of(rows[i].path)) != rows[i].matches)
            fail_msg("'%s' on '%s'", rows[i].pattern, rows[i].path);
}

static void a_pattern_of_many_stars_gives_up(void **state UNUSED)
{
    static const char pattern[] = "*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b";
    static const char path[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

    assert_int_equal(glob_match(str_of(pattern), str_of(path)), -EOVERFLOW);
}

TESTS(cmocka_unit_test(patterns_match_as_people_expect),
      cmocka_unit_test(a_pattern_of_many_stars_gives_up))
