/* The words of a shell text: everything it could run is found, or the text is refused. */
#include "base/strbuf.h"
#include "hook/shell_words.h"
#include "test.h"

static const struct shell_variable variables[] = {
    { "HOME", "/home/u" },
    { "ROOT", "/re po" },
    { NULL, NULL },
};

/* Each word in <>, with ! for a command, > for what is written, ? for one only the shell knows. */
static const char *words_of(struct arena *a, const char *text)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    struct shell_words words;
    struct err e = { 0 };

    if (shell_words_parse(a, str_of(text), variables, &words, &e) < 0)
        return arena_printf(a, "refused: %s", e.msg);
    for (size_t i = 0; i < words.count; i++) {
        const struct shell_word *w = &words.list[i];

        assert_true(w->at + w->len <= strlen(text));
        strbuf_printf(&out, "%s%s%s<%s>", w->command ? "!" : "", w->written ? ">" : "",
                      w->text ? "" : "?", w->seen);
    }
    return arena_cstr(a, strbuf_str(&out));
}

static void words_are_found(void **state UNUSED)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        { "", "" },
        { "./a.sh x", "!<./a.sh><x>" },
        { "  a  'b c' \"d e\" f\\ g", "!<a><b c><d e><f g>" },
        { "a;b&c|d&&e||f\ng", "!<a>!<b>!<c>!<d>!<e>!<f>!<g>" },
        { "(a b) | { c; }", "!<a><b>!<c>" },
        { "A=1 B='x y' cmd C=3", "<A=1><B=x y>!<cmd><C=3>" },
        { "a # b\nc", "!<a>!<c>" },
        { "a#b", "!<a#b>" },
        { "a \\\n b", "!<a><b>" },
        { "a >out 2>&1 <in >>more", "!<a>><out>><1><in>><more>" },
        { ">out a", "><out>!<a>" },
        { "a &>out", "!<a>><out>" },
        { "$HOME/x \"$ROOT/y\" ${HOME}z ~/w ~", "!</home/u/x></re po/y></home/uz></home/u/w>"
                                                "</home/u>" },
        { "'$HOME' \\$HOME", "!<$HOME><$HOME>" },
        { "$X/run \"a$Y\" $1 $@", "!?</run>?<a>?<>?<>" },
        { "~other/x a=~/y", "!?<~other/x>?<a=~/y>" },
        { "ls *.sh a? [ab] {a,b} {1..3}", "!<ls>?<*.sh>?<a?>?<[ab]>?<{a,b}>?<{1..3}>" },
        { "[ -f x ] && find . -exec y {} +", "!<[><-f><x><]>!<find><.><-exec><y><{}><+>" },
        { "'*' \"?\" \\[a]", "!<*><?><[a]>" },
        { "a $(b c) d", "!<a>!<b><c>?<><d>" },
        { "a \"x$(b \"$(c)\")y\"", "!<a>!<b>!<c>?<>?<xy>" },
        { "a $((1 + 2 * (3)))", "!<a>?<>" },
        { "a ${X:-./d} ${#X}", "!<a>?<:-./d>?<#X>" },
        { "if a; then b; elif c; then d; else e; fi", "!<a>!<b>!<c>!<d>!<e>" },
        { "while a; do b; done <in", "!<a>!<b><in>" },
        { "for f in x y; do b; done", "<f><in><x><y>!<b>" },
        { "case $1 in *.py|b) ./x;; (c) y; z;; esac; w", "!<./x>!<y>!<z>!<w>" },
        { "case a in b) case c in d) e;; esac;; f) g;; esac", "!<e>!<g>" },
        { "case $(a b) in esac; c", "!<a><b>!<c>" },
        { "! a | time b", "!<a>!<b>" },
        { "'if' a", "!<if><a>" },
        { "f() { a; }; f", "!<f>!<a>!<f>" },
    };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        assert_string_equal(words_of(&a, rows[i].text), rows[i].words);
}

static void what_hides_words_is_refused(void **state UNUSED)
{
    static const char *const texts[] = {
        "a `b`",       "a \"`b`\"",  "sh <<E\n./x\nE", "cat <<<x", "diff <(a) >(b)", "a $'b'",
        "a $\"b\"",    "a 'b",       "a \"b",          "a $(b",    "a ${b",          "a )",
        "a $((./b) )", "a $((b); c", "${X:-'./a b'}",  "a $[1]",
    };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        const char *found = words_of(&a, texts[i]);

        if (strncmp(found, "refused: ", 9) != 0)
            fail_msg("%s: %s", texts[i], found);
    }
}

static void a_zero_byte_is_refused(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct shell_words words;

    assert_true(shell_words_parse(&a, STR("a 'b\0c'"), NULL, &words, NULL) < 0);
}

static void depth_and_number_have_limits(void **state UNUSED)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf deep = { 0 };
    CLEANUP(strbuf) struct strbuf many = { 0 };

    for (int i = 0; i < 100000; i++)
        strbuf_addstr(&deep, "$(");
    assert_non_null(strstr(words_of(&a, strbuf_cstr(&deep)), "nesting"));
    strbuf_reset(&deep);
    for (int i = 0; i < 100000; i++)
        strbuf_addstr(&deep, "${a:-");
    assert_non_null(strstr(words_of(&a, strbuf_cstr(&deep)), "nesting"));
    for (int i = 0; i < 5000; i++)
        strbuf_addstr(&many, "a ");
    assert_non_null(strstr(words_of(&a, strbuf_cstr(&many)), "so many words"));
    strbuf_reset(&many);
    for (int i = 0; i < 100; i++)
        strbuf_addstr(&many, "case a in b) ");
    assert_non_null(strstr(words_of(&a, strbuf_cstr(&many)), "nesting"));
}

static void quoted_text_is_one_word_again(void **state UNUSED)
{
    static const char *const texts[] = { "", "a", "a b", "it's", "''", "$HOME;`x`\n\"\\" };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        assert_string_equal(words_of(&a, shell_quote(&a, texts[i])),
                            arena_printf(&a, "!<%s>", texts[i]));
}

TESTS(cmocka_unit_test(words_are_found), cmocka_unit_test(what_hides_words_is_refused),
      cmocka_unit_test(a_zero_byte_is_refused), cmocka_unit_test(depth_and_number_have_limits),
      cmocka_unit_test(quoted_text_is_one_word_again))
