/* The commands of a shell text: each is found, with its words, however it is written. */
#include "base/strbuf.h"
#include "hook/shell_commands.h"
#include "test.h"

static const struct shell_variable variables[] = {
    { "HOME", "/home/u" },
    { "IFS", " " },
    { NULL, NULL },
};

static void add_command(struct strbuf *out, const struct shell_command *c)
{
    strbuf_addstr(out, out->len ? "; " : "");
    if (c->piped_from)
        strbuf_addstr(out, "| ");
    if (c->within)
        strbuf_addstr(out, "$ ");
    for (size_t i = 0; i < c->count; i++)
        strbuf_printf(out, "%s%s<%s>", i ? " " : "", c->words[i].expands ? "?" : "",
                      c->words[i].seen);
    for (const struct shell_redirect *r = c->redirects; r; r = r->next)
        strbuf_printf(out, " %d<%s>%.*s", (int)r->kind, r->word.seen, STR_ARG(r->text));
    if (c->background)
        strbuf_addstr(out, " &");
}

static const char *commands_of(struct arena *a, const char *text)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    struct shell_commands all;
    struct err e = { 0 };
    int r = shell_commands_read(a, str_of(text), variables, &all, &e);

    for (const struct shell_command *c = all.first; c; c = c->next)
        add_command(&out, c);
    if (r < 0)
        strbuf_printf(&out, " refused: %s", e.msg);
    return arena_cstr(a, strbuf_str(&out));
}

struct row {
    const char *text, *commands;
};

static void check_rows(const struct row *rows, size_t count)
{
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < count; i++) {
        const char *got = commands_of(&a, rows[i].text);

        if (strcmp(got, rows[i].commands) != 0)
            fail_msg("%s\n  is     %s\n  not    %s", rows[i].text, got, rows[i].commands);
    }
}

static void commands_are_apart(void **state UNUSED)
{
    static const struct row rows[] = {
        { "", "" },
        { "a b; c && d || e\nf", "<a> <b>; <c>; <d>; <e>; <f>" },
        { "a | b |& c || d", "<a>; | <b>; | <c>; <d>" },
        { "a & b", "<a> &; <b>" },
        { "(a; b) | c", "<a>; <b>; | <c>" },
        { "{ a; } | c", "<a>; | <c>" },
        { "A=1 B+=2 C[0]=3 a", "<a>" },
        { "if a; then b; fi; while c; do d; done", "<a>; <b>; <c>; <d>" },
        { "f() { a; }; function g { b; }; f", "<a>; <b>; <f>" },
        { "case $x in a|b) c;; esac", "<c>" },
        { "! time a", "<a>" },
        { "a # b; c\nd", "<a>; <d>" },
        { "coproc a", "<a>" },
    };

    check_rows(rows, ARRAY_LEN(rows));
}

static void words_lose_their_quotes(void **state UNUSED)
{
    static const struct row rows[] = {
        { "\\rm 'a b' \"c\"d", "<rm> <a b> <cd>" },
        { "$'\\x72m' $'\\162m' $'a\\tb' $'\\u0072m' $\"x\"", "<rm> <rm> <a\tb> <rm> <x>" },
        { "a ~ ~/b \"$HOME\" ${HOME}/c", "<a> </home/u> </home/u/b> </home/u> </home/u/c>" },
        { "a $X/ ${X:-/y} ${X:?}/z ${X%/*}", "<a> ?</> ?</y> ?<${X:?}/z> ?<>" },
        { "a${IFS}b", "<a> <b>" },
        { "a \"$(b)\" `c \\`d\\``", "$ <b>; $ <d>; $ <c> ?<>; <a> ?<> ?<>" },
        { "a $((1+2)) $(( $(b) ))", "$ <b>; $ ?<>; <a> ?<> ?<>" },
        { "a \"`b`\"", "$ <b>; <a> ?<>" },
    };

    check_rows(rows, ARRAY_LEN(rows));
}

static void variables_of_the_text_are_put_in(void **state UNUSED)
{
    static const struct row rows[] = {
        { "X=/; rm $X", "<rm> </>" },
        { "X=\"rm -r\"; $X a; \"$X\" a", "<rm> <-r> <a>; <rm -r> <a>" },
        { "export X=y; a $X", "<export> <X=y>; <a> <y>" },
        { "X=/ rm $X", "<rm> ?<>" },
        { "HOME=$(b); a ~", "$ <b>; <a> ?<>" },
        { "for d in / ~; do rm $d \"$d\"; done", "<rm> </> </home/u> </> </home/u>" },
        { "X=a; X+=b; c $X", "<c> ?<>" },
    };

    check_rows(rows, ARRAY_LEN(rows));
}

static void what_is_read_and_written_is_known(void **state UNUSED)
{
    static const struct row rows[] = {
        { "a >b 2>>c <d", "<a> 0<d> 2<c> 1<b>" },
        { "a &>b >|c", "<a> 1<c> 1<b>" },
        { ">b", " 1<b>" },
        { "a <<<'b c'", "<a> 4<b c>b c" },
        { "a <<E; b\nx 'y\nE\nc", "<a> 3<E>x 'y\n; <b>; <c>" },
        { "a <<-'E'\n\t$(b)\n\tE\nc", "<a> 3<E>\t$(b)\n; <c>" },
        { "a <<E\n$(b)\nE", "<a> 3<E>$(b)\n; $ <b>" },
        { "a <<E <<F\n1\nE\n2\nF\nb", "<a> 3<F>2\n 3<E>1\n; <b>" },
        { "a <(b) >(c)", "$ <b>; $ <c>; <a> ?<> ?<>" },
        { "a <<E", "<a> 3<E>" },
    };

    check_rows(rows, ARRAY_LEN(rows));
}

static void what_is_not_whole_is_said(void **state UNUSED)
{
    static const char *const texts[] = { "a 'b", "a \"b", "a $(b", "a `b", "a ${b", "a )", "$'a" };
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf deep = { 0 };
    struct shell_commands all;

    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        if (!strstr(commands_of(&a, texts[i]), "refused: "))
            fail_msg("%s: %s", texts[i], commands_of(&a, texts[i]));
    for (int i = 0; i < 50000; i++)
        strbuf_addstr(&deep, "$(");
    assert_non_null(strstr(commands_of(&a, strbuf_cstr(&deep)), "nesting"));
    assert_true(shell_commands_read(&a, STR("a\0b"), NULL, &all, NULL) < 0);
}

static void variables_can_not_grow_without_end(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf text = { 0 };

    strbuf_addstr(&text, "X=aaaaaaaa");
    for (int i = 0; i < 64; i++)
        strbuf_addstr(&text, "; X=$X$X");
    strbuf_addstr(&text, "; b $X");
    assert_string_equal(commands_of(&a, strbuf_cstr(&text)), "<b> ?<>");
    strbuf_reset(&text);
    strbuf_addstr(&text, "for i in");
    for (int i = 0; i < 2000; i++)
        strbuf_addstr(&text, " a");
    strbuf_addstr(&text, "; do b $i; done");
    assert_string_equal(commands_of(&a, strbuf_cstr(&text)), "<b> ?<>");
}

TESTS(cmocka_unit_test(commands_are_apart), cmocka_unit_test(words_lose_their_quotes),
      cmocka_unit_test(variables_of_the_text_are_put_in),
      cmocka_unit_test(what_is_read_and_written_is_known),
      cmocka_unit_test(what_is_not_whole_is_said),
      cmocka_unit_test(variables_can_not_grow_without_end))
