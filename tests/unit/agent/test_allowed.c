#include "agent/allowed.h"
#include "test.h"

static const char *const patterns[] = {
    "git *", "make", "npm run {test,lint}", "ls [a-c]*", "cd web && rm -rf $(cat x)", NULL
};

static void allows(const char *command)
{
    if (!allowed_command(patterns, str_of(command)))
        fail_msg("'%s' is refused", command);
}

static void refuses(const char *command)
{
    if (allowed_command(patterns, str_of(command)))
        fail_msg("'%s' is allowed", command);
}

static void simple_commands_match_as_a_whole(void **state UNUSED)
{
    allows("git status");
    allows("  git log --oneline -- src/a/b.c \n");
    allows("make");
    allows("npm run test");
    allows("ls b/c");
    refuses("make all");
    refuses("gitx status");
    refuses("git");
    refuses("npm run deploy");
    refuses("ls d");
    refuses("PAGER=x git log");
    refuses("! git log");
    refuses("git\tlog");
    refuses("");
    refuses("  ");
}

static void commands_in_a_row_must_all_match(void **state UNUSED)
{
    allows("git status && make");
    allows("git log | git shortlog; make || make");
    allows("make;");
    refuses("git status && rm x");
    refuses("rm x; git status");
    refuses("git log|sh");
    refuses("git log ;; make");
    refuses("git log & make");
    refuses("git log &");
    refuses("git log |& make");
    refuses("git log ;& make");
    refuses("git status && && make");
    refuses("git status;;");
}

static void quoted_operators_are_text(void **state UNUSED)
{
    allows("git commit -m 'a; b && c | d > e `f` $(g)'");
    allows("git commit -m \"a; b && c | (d) > e\"");
    allows("git commit -m \"two\nlines, and a \\\" and a \\` and \\$(x)\"");
    allows("git commit -m a\\;b");
    refuses("git commit -m 'open");
    refuses("git commit -m \"open");
    refuses("git commit -m 'a' ; rm x ; echo 'b'");
    refuses("git commit -m \"a\\\\\" ; rm x \"");
}

static void what_cannot_be_told_is_refused(void **state UNUSED)
{
    refuses("git log $(rm x)");
    refuses("git log `rm x`");
    refuses("git log \"$(rm x)\"");
    refuses("git log \"`rm x`\"");
    refuses("git log\nrm x");
    refuses("git log \\\nrm x");
    refuses("git log <(rm x)");
    refuses("git log <<EOF");
    refuses("(git log)");
    refuses("git () { rm x; }");
    refuses("git log ${x:-$(rm x)}");
    refuses("git log ${x@P}");
    refuses("git log $'\\'' ; rm x '");
    refuses("git log $\"x\"");
    refuses("git log $[1+1]");
    refuses("git log # '\nrm x\n'");
    refuses("git log;# '\nrm x\n'");
    refuses("git log \\");
    refuses("git \x01");
    refuses("git log |\r");
    refuses("git log 2>&1\r");
    refuses("git log ;\v");
    allows("git log $HEAD ${OTHER} a#b 100$");
}

static void only_harmless_redirections_pass(void **state UNUSED)
{
    allows("git log 2>&1");
    allows("git log 2>&1 | git shortlog >/dev/null 2>/dev/null");
    allows("make > /dev/null");
    allows("make 2>/dev/null; git x");
    refuses("git log > file");
    refuses("git log >> /dev/null");
    refuses("git log >/dev/nullx");
    refuses("git log >/dev/null/../x");
    refuses("git log >&file");
    refuses("git log >&2x");
    refuses("git log &> file");
    refuses("git log < file");
    refuses("make x2>&1");
    refuses("git log >| file");
}

static void a_command_that_is_written_in_the_list_is_allowed(void **state UNUSED)
{
    allows("cd web && rm -rf $(cat x)");
    refuses("cd web && rm -rf $(cat y)");
}

static void an_empty_list_allows_nothing(void **state UNUSED)
{
    static const char *const none[] = { NULL };
    static const char *const all[] = { "*", NULL };

    assert_false(allowed_command(none, STR("ls")));
    assert_false(allowed_command(none, STR("")));
    assert_true(allowed_command(all, STR("ls /a/b && rm -rf /x")));
    assert_false(allowed_command(all, STR("ls $(x)")));
}

TESTS(cmocka_unit_test(simple_commands_match_as_a_whole),
      cmocka_unit_test(commands_in_a_row_must_all_match),
      cmocka_unit_test(quoted_operators_are_text), cmocka_unit_test(what_cannot_be_told_is_refused),
      cmocka_unit_test(only_harmless_redirections_pass),
      cmocka_unit_test(a_command_that_is_written_in_the_list_is_allowed),
      cmocka_unit_test(an_empty_list_allows_nothing))
