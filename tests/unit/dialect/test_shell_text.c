#include "base/strbuf.h"
#include "dialect/shell_text.h"
#include "test.h"

static void check(const char *text, const char *wanted, bool expands, bool broken)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf got = { 0 };
    struct shell_text t;

    shell_text_read(&t, &a, str_of(text));
    for (const struct shell_part *c = t.first; c; c = c->next)
        strbuf_printf(&got, "%s%.*s", got.len ? "|" : "", STR_ARG(c->plain));
    if (strcmp(strbuf_cstr(&got), wanted) != 0 || t.expands != expands || t.broken != broken)
        fail_msg("'%s' is '%s', expands %d, broken %d", text, strbuf_cstr(&got), t.expands,
                 t.broken);
}

static void finds_every_simple_command(void **state UNUSED)
{
    check("", "", false, false);
    check("  ls  -l ", "ls -l", false, false);
    check("a && b || c; d & e | f", "a|b|c|d|e|f", false, false);
    check("A=1 B=\"x y\" git push", "git push", false, false);
    check("while ! test x; do rm y; done", "test x|rm y", false, false);
    check("{ a; }", "a", false, false);
    check("a # b; c\nd", "a|d", false, false);
    check("a#b", "a#b", false, false);
    check("echo 'a;b' \"c|d\" e\\;f", "echo a;b c|d e;f", false, false);
    check("2x=1 a", "2x=1 a", false, false);
    check(">x rm y", "rm y", false, false);
    check("2> x <y A=1 rm z >&2", "rm z >&2", false, false);
    check(">&2 rm y &>z; a >|b", "rm y &>z|a >|b", false, false);
    check("cat <<<word; a", "cat <<<word|a", false, false);
}

static void looks_inside_expansions(void **state UNUSED)
{
    check("echo $(a; b)", "a|b|echo $(a; b)", true, false);
    check("echo \"$(a \"x y\")\"", "a x y|echo $(a x y)", true, false);
    check("echo `a`", "a|echo `a`", true, false);
    check("echo $(a $(b))", "b|a $(b)|echo $(a $(b))", true, false);
    check("X=$(a) b", "a|b", true, false);
    check("echo $x ${y:-z} $?", "echo $x ${y:-z} $?", true, false);
    check("echo '$x' \\$x $ y", "echo $x $x $ y", false, false);
    check("echo $'a;\\'; b' c; d", "echo $a;\\; b c|d", true, false);
}

static void says_what_it_cannot_read(void **state UNUSED)
{
    CLEANUP(strbuf) struct strbuf deep = { 0 };
    CLEANUP(arena) struct arena a = { 0 };
    struct shell_text t;

    check("echo 'a", "echo a", false, true);
    check("echo \"a", "echo a", false, true);
    check("echo $(a", "a|echo $(a", true, true);
    check("echo `a", "echo `a", true, true);
    check("cat <<E", "cat <<E", false, true);
    for (int i = 0; i < 100000; i++)
        strbuf_addstr(&deep, "$(");
    shell_text_read(&t, &a, strbuf_str(&deep));
    assert_true(t.broken);
}

static void a_quote_in_quotes_hides_nothing(void **state UNUSED)
{
    check("echo \"$'\"; rm x; echo \"'\"", "echo $'|rm x|echo '", false, false);
    check("echo '\"'; rm x; echo '\"'", "echo \"|rm x|echo \"", false, false);
    check("echo \\'; rm x; echo \\'", "echo '|rm x|echo '", false, false);
}

static void a_nul_hides_nothing(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct shell_text t;

    shell_text_read(&t, &a, STR("a\0# x; rm y"));
    assert_true(t.broken);
}

TESTS(cmocka_unit_test(finds_every_simple_command), cmocka_unit_test(looks_inside_expansions),
      cmocka_unit_test(says_what_it_cannot_read), cmocka_unit_test(a_quote_in_quotes_hides_nothing),
      cmocka_unit_test(a_nul_hides_nothing))
