#include "runner/lua_names.h"
#include "test.h"

static void check(const char *text, const char *want)
{
    struct lua_names n = { .rest = str_of(text) };
    char found[256] = "";
    struct str name;

    while (lua_names_next(&n, &name)) {
        size_t len = strlen(found);

        snprintf(found + len, sizeof(found) - len, "%s%.*s", len ? " " : "", STR_ARG(name));
    }
    if (strcmp(found, want) != 0)
        fail_msg("'%s': found '%s', want '%s'", text, found, want);
}

static void free_names_are_found(void **state UNUSED)
{
    check("tool == \"bash\" and re(args.command, [[push.*--force]])", "tool re args");
    check("not a or b.c.d and e:f(g)", "a b e g");
    check("a..b", "a b");
    check("a .. b.c", "a b");
    check("x_1 + _y", "x_1 _y");
}

static void what_looks_like_a_name_is_none(void **state UNUSED)
{
    check("'in text' .. \"and \\\" here\" .. [==[ and ]] here ]==]", "");
    check("1e5 + 0xff + 3", "");
    check("{ key = value, [other] = 1 }", "value other");
    check("a -- b c\n+ d --[[ e\nf ]] + g", "a d g");
    check("nil == true and false", "");
    check("key == 1", "key");
    check("a and (function(x) local y = x return y end)(b)", "a");
}

static void odd_ends_do_no_harm(void **state UNUSED)
{
    check("", "");
    check("'open", "");
    check("\"open\\", "");
    check("[[open", "");
    check("[=", "");
    check("--[[ open", "");
    check("a.", "a");
}

TESTS(cmocka_unit_test(free_names_are_found), cmocka_unit_test(what_looks_like_a_name_is_none),
      cmocka_unit_test(odd_ends_do_no_harm))
