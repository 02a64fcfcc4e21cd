/* Expansions in a word of a shell text: $NAME, ${…}, $(…), `…`, $'…'. */
#include "hook/shell_scan.h"

#include <stdlib.h>

/* NULL: only the shell knows. */
static const char *value_of(const struct scan *s, struct str name)
{
    for (const struct assigned *v = s->assigned; v; v = v->next)
        if (str_eq(v->name, name))
            return v->value;
    for (const struct shell_variable *v = s->variables; v && v->name; v++)
        if (str_is(name, v->name))
            return v->value;
    return NULL;
}

void scan_variable(const struct scan *s, struct str name, struct building *b, bool in_quotes)
{
    const char *value = value_of(s, name);

    if (!value) {
        b->unknown = b->expands = true;
        return;
    }
    b->filled = true;
    for (; *value; value++) {
        bool splits = s->commands && !in_quotes && strchr(" \t\n", *value);

        strbuf_addch(&b->text, *value);
        if (splits)
            b->text.buf[b->text.len - 1] = SHELL_SPLIT;
    }
}

static struct str read_name(struct scan *s)
{
    size_t begin = s->at;

    while (scan_is_name_char(scan_peek(s, 0), s->at == begin))
        s->at++;
    return (struct str){ s->text.ptr + begin, s->at - begin };
}

/* "$((" has been read. Only what is surely arithmetic: else it is a command of its own. */
static int skip_arithmetic(struct scan *s, struct err *e)
{
    unsigned open = 0;

    for (; !scan_at_end(s); s->at++) {
        char c = scan_peek(s, 0);

        if (c == ')' && open == 0 && scan_peek(s, 1) == ')') {
            s->at += 2;
            return 0;
        }
        if ((c == ')' && open-- == 0) || strchr(".;'\"\\`\n", c) ||
            (c == '$' && scan_peek(s, 1) == '('))
            break;
        open += c == '(';
    }
    return scan_refuse(e, "'$((' of this kind");
}

/* "${" has been read. */
static int parse_braces(struct scan *s, struct building *b, bool in_quotes, struct err *e)
{
    struct str name = read_name(s);
    int r = 0;

    if (name.len && scan_peek(s, 0) == '}') {
        s->at++;
        scan_variable(s, name, b, in_quotes);
        return 0;
    }
    b->unknown = b->expands = true;
    while (r == 0 && !scan_at_end(s)) {
        char c = s->text.ptr[s->at++];

        if (c == '}')
            return 0;
        if (c == '`' || c == '\'' || c == '"' || c == '\\')
            return scan_refuse(e, "quotes inside '${…}'");
        if (c == '$')
            r = scan_dollar(s, b, true, e);
        else
            strbuf_addch(&b->text, c);
    }
    return r < 0 ? r : scan_refuse(e, "'${' and no '}'");
}

int scan_nested(struct scan *s, struct err *e)
{
    int r;

    if (++s->depth > SHELL_DEPTH_MAX)
        return scan_refuse(e, "so much nesting");
    r = scan_list(s, true, e);
    s->depth--;
    return r;
}

/* Reading on ----------------------------------------------------------------------------------- */

/* The word behind the sign of "${NAME:-word}", up to '}'. */
static int read_default(struct scan *s, struct building *word, struct err *e)
{
    int r = 0;

    while (r == 0 && !scan_at_end(s)) {
        char c = s->text.ptr[s->at++];

        if (c == '}')
            return 0;
        if (c == '\'')
            r = scan_single(s, word, e);
        else if (c == '"')
            r = scan_double(s, word, '"', e);
        else if (c == '$')
            r = scan_dollar(s, word, true, e);
        else if (c == '`')
            r = scan_backquote(s, word, true, e);
        else if (c == '\\' && !scan_at_end(s))
            strbuf_addch(&word->text, s->text.ptr[s->at++]);
        else
            strbuf_addch(&word->text, c);
    }
    return r < 0 ? r : scan_refuse(e, "'${' and no '}'");
}

/*
 * "${" has been read. Of "${X:-word}" the word counts where X is not known. "${X:?}" ends the shell
 * rather than be empty: it stands for itself.
 */
static int read_braces(struct scan *s, struct building *b, bool in_quotes, struct err *e)
{
    CLEANUP(building) struct building word = { .text.max = SHELL_WORD_MAX };
    size_t begin = s->at;
    struct str name;
    char sign;
    int r;

    while (scan_peek(s, 0) == '#' || scan_peek(s, 0) == '!')
        s->at++;
    name = (struct str){ s->text.ptr + s->at, 0 };
    if (s->at == begin)
        name = read_name(s);
    sign = scan_peek(s, 0);
    if (sign == ':' && scan_peek(s, 1))
        sign = scan_peek(s, 1);
    s->at += sign != scan_peek(s, 0);
    if (!strchr("-=+?", sign) || !name.len || scan_at_end(s)) {
        bool plain = name.len && scan_peek(s, 0) == '}';

        r = read_default(s, &word, e);
        if (plain)
            scan_variable(s, name, b, in_quotes);
        else
            b->unknown = b->expands = true;
        return r;
    }
    s->at++;
    r = read_default(s, &word, e);
    if (value_of(s, name) && sign != '+') {
        scan_variable(s, name, b, in_quotes);
        return r;
    }
    b->unknown = b->expands = true;
    if (sign == '?')
        strbuf_printf(&b->text, "${%.*s:?}", STR_ARG(name));
    else
        strbuf_add(&b->text, word.text.buf, word.text.len);
    return r;
}

/* One escape of $'…': its backslash has been read. */
static void read_escape(struct scan *s, struct building *b)
{
    static const char names[] = "abeEfnrtv", values[] = "\a\b\033\033\f\n\r\t\v";
    char c = s->text.ptr[s->at++], digits[4] = { 0 };
    const char *known = c ? strchr(names, c) : NULL;
    bool hex = c == 'x' || c == 'u' || c == 'U';
    size_t n = 0;

    if (known) {
        strbuf_addch(&b->text, values[known - names]);
        return;
    }
    if (hex) {
        while (scan_peek(s, 0) == '0' && c != 'x')
            s->at++;
        while (n < 2 && scan_peek(s, 0) && strchr("0123456789abcdefABCDEF", scan_peek(s, 0)))
            digits[n++] = s->text.ptr[s->at++];
    } else if (c >= '0' && c <= '7') {
        digits[n++] = c;
        while (n < 3 && scan_peek(s, 0) >= '0' && scan_peek(s, 0) <= '7')
            digits[n++] = s->text.ptr[s->at++];
    }
    if (n == 0)
        strbuf_addch(&b->text, c);
    else
        strbuf_addch(&b->text, (char)strtoul(digits, NULL, hex ? 16 : 8));
}

/* "$'" has been read. */
static int read_escaped(struct scan *s, struct building *b, struct err *e)
{
    b->quoted = true;
    s->commands->expands = true; /* it does not read as it is written */
    while (!scan_at_end(s)) {
        char c = s->text.ptr[s->at++];

        if (c == '\'')
            return 0;
        if (c == '\\' && !scan_at_end(s))
            read_escape(s, b);
        else
            strbuf_addch(&b->text, c);
    }
    return scan_refuse(e, "a quote that is not closed");
}

/* A text of its own inside this one, read with what is known here. */
static int read_inside(struct scan *s, struct str text, struct err *e)
{
    struct str outer = s->text;
    size_t at = s->at;
    int r;

    if (++s->depth > SHELL_DEPTH_MAX)
        return scan_refuse(e, "so much nesting");
    s->text = text;
    s->at = 0;
    r = scan_list(s, false, e);
    s->text = outer;
    s->at = at;
    s->depth--;
    return r;
}

int scan_backquote(struct scan *s, struct building *b, bool in_quotes, struct err *e)
{
    CLEANUP(strbuf) struct strbuf inner = { 0 };
    size_t begin = s->at;
    bool escapes = false;

    if (!s->commands)
        return scan_refuse(e, "backquotes");
    b->unknown = b->expands = true;
    for (; !scan_at_end(s); s->at++) {
        char c = s->text.ptr[s->at];

        if (c == '`') {
            struct str text = { s->text.ptr + begin, s->at - begin };

            s->at++;
            if (escapes)
                text = (struct str){ arena_cstr(s->arena, strbuf_str(&inner)), inner.len };
            return read_inside(s, text, e);
        }
        if (c == '\\' && s->at + 1 < s->text.len &&
            strchr(in_quotes ? "$`\\\"" : "$`\\", s->text.ptr[s->at + 1])) {
            escapes = true;
            c = s->text.ptr[++s->at];
        }
        strbuf_addch(&inner, c);
    }
    return scan_refuse(e, "a backquote that is not closed");
}

/* Dollars -------------------------------------------------------------------------------------- */

/* "$(" has been read. */
static int read_substitution(struct scan *s, struct building *b, struct err *e)
{
    size_t begin = s->at;

    b->unknown = b->expands = true;
    if (scan_peek(s, 0) != '(')
        return scan_nested(s, e);
    s->at++;
    if (!s->commands)
        return skip_arithmetic(s, e);
    if (skip_arithmetic(s, NULL) == 0)
        return 0;
    s->at = begin;
    return scan_nested(s, e);
}

static int read_in_braces(struct scan *s, struct building *b, bool in_quotes, struct err *e)
{
    int r;

    if (++s->depth > SHELL_DEPTH_MAX)
        return scan_refuse(e, "so much nesting");
    r = s->commands ? read_braces(s, b, in_quotes, e) : parse_braces(s, b, in_quotes, e);
    s->depth--;
    return r;
}

int scan_dollar(struct scan *s, struct building *b, bool in_quotes, struct err *e)
{
    char c = scan_peek(s, 0);

    if (c == '(') {
        s->at++;
        return read_substitution(s, b, e);
    }
    if (c == '{') {
        s->at++;
        return read_in_braces(s, b, in_quotes, e);
    }
    if (scan_is_name_char(c, true)) {
        scan_variable(s, read_name(s), b, in_quotes);
        return 0;
    }
    if ((c == '\'' || c == '"') && !in_quotes) {
        if (!s->commands)
            return scan_refuse(e, "\"$'…'\"");
        s->at++;
        return c == '"' ? scan_double(s, b, '"', e) : read_escaped(s, b, e);
    }
    if (c == '[' && !s->commands)
        return scan_refuse(e, "'$[…]'");
    if (c && (strchr("@*#?-$![", c) || (c >= '0' && c <= '9'))) {
        b->unknown = b->expands = true;
        s->at++;
        return 0;
    }
    strbuf_addch(&b->text, '$');
    return 0;
}
