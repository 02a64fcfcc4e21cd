/* One word of a shell text: quotes, variables, what only the shell can expand. */
#include "hook/shell_scan.h"

#include <errno.h>

int scan_refuse(struct err *e, const char *what)
{
    return err_set(e, -EINVAL, "a shell text with %s can't be checked: put it in a script file",
                   what);
}

bool scan_is_name_char(char c, bool first)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (!first && c >= '0' && c <= '9');
}

bool scan_ends_word(char c)
{
    return c == '\0' || strchr(" \t\n;&|<>()", c);
}

/* Expansions ----------------------------------------------------------------------------------- */

static void put_variable(const struct scan *s, struct str name, struct building *b)
{
    for (const struct shell_variable *v = s->variables; v && v->name; v++) {
        if (!str_is(name, v->name))
            continue;
        strbuf_addstr(&b->text, v->value);
        b->filled = true;
        return;
    }
    b->unknown = true;
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

static int parse_dollar(struct scan *s, struct building *b, bool in_quotes, struct err *e);

/* "${" has been read. */
static int parse_braces(struct scan *s, struct building *b, struct err *e)
{
    struct str name = read_name(s);
    int r = 0;

    if (name.len && scan_peek(s, 0) == '}') {
        s->at++;
        put_variable(s, name, b);
        return 0;
    }
    b->unknown = true;
    while (r == 0 && !scan_at_end(s)) {
        char c = s->text.ptr[s->at++];

        if (c == '}')
            return 0;
        if (c == '`' || c == '\'' || c == '"' || c == '\\')
            return scan_refuse(e, "quotes inside '${…}'");
        if (c == '$')
            r = parse_dollar(s, b, true, e);
        else
            strbuf_addch(&b->text, c);
    }
    return r < 0 ? r : scan_refuse(e, "'${' and no '}'");
}

static int parse_nested(struct scan *s, struct err *e)
{
    int r;

    if (++s->depth > SHELL_DEPTH_MAX)
        return scan_refuse(e, "so much nesting");
    r = scan_list(s, true, e);
    s->depth--;
    return r;
}

/* "$" has been read. */
static int parse_dollar(struct scan *s, struct building *b, bool in_quotes, struct err *e)
{
    char c = scan_peek(s, 0);
    int r;

    if (c == '(' && scan_peek(s, 1) == '(') {
        b->unknown = true;
        s->at += 2;
        return skip_arithmetic(s, e);
    }
    if (c == '(') {
        b->unknown = true;
        s->at++;
        return parse_nested(s, e);
    }
    if (c == '{') {
        if (++s->depth > SHELL_DEPTH_MAX)
            return scan_refuse(e, "so much nesting");
        s->at++;
        r = parse_braces(s, b, e);
        s->depth--;
        return r;
    }
    if (scan_is_name_char(c, true)) {
        put_variable(s, read_name(s), b);
        return 0;
    }
    if ((c == '\'' || c == '"') && !in_quotes)
        return scan_refuse(e, "\"$'…'\"");
    if (c == '[')
        return scan_refuse(e, "'$[…]'");
    if (c && (strchr("@*#?-$!", c) || (c >= '0' && c <= '9'))) {
        b->unknown = true;
        s->at++;
        return 0;
    }
    strbuf_addch(&b->text, '$');
    return 0;
}

/* Words ---------------------------------------------------------------------------------------- */

static int parse_double(struct scan *s, struct building *b, struct err *e)
{
    int r = 0;

    while (r == 0 && !scan_at_end(s)) {
        char c = s->text.ptr[s->at++];

        if (c == '"')
            return 0;
        if (c == '`')
            return scan_refuse(e, "backquotes");
        if (c == '$') {
            r = parse_dollar(s, b, true, e);
            continue;
        }
        if (c == '\\' && !scan_at_end(s) && strchr("$`\"\\\n", scan_peek(s, 0))) {
            c = s->text.ptr[s->at++];
            if (c == '\n')
                continue;
        }
        strbuf_addch(&b->text, c);
    }
    return r < 0 ? r : scan_refuse(e, "a quote that is not closed");
}

static int parse_single(struct scan *s, struct building *b, struct err *e)
{
    const char *begin = s->text.ptr + s->at, *end = memchr(begin, '\'', s->text.len - s->at);

    if (!end)
        return scan_refuse(e, "a quote that is not closed");
    strbuf_add(&b->text, begin, (size_t)(end - begin));
    s->at += (size_t)(end - begin) + 1;
    return 0;
}

static void parse_escape(struct scan *s, struct building *b)
{
    char c = '\\';

    if (!scan_at_end(s))
        c = s->text.ptr[s->at++];
    if (c != '\n')
        strbuf_addch(&b->text, c);
}

/* "~" stands for the home folder at the beginning only; elsewhere it may. */
static void parse_tilde(struct scan *s, struct building *b, bool first)
{
    char next = scan_peek(s, 0), before = '\0';

    if (s->at > 1)
        before = s->text.ptr[s->at - 2];
    if (first && (next == '/' || scan_ends_word(next))) {
        put_variable(s, STR("HOME"), b);
        return;
    }
    b->unknown = b->unknown || first || before == '=' || before == ':';
    strbuf_addch(&b->text, '~');
}

/* Characters that make one word several, or the names of files. */
static void parse_plain(struct scan *s, struct building *b, char c)
{
    b->brace = b->brace || c == '{';
    b->bracket = b->bracket || c == '[';
    if (c == '*' || c == '?' || (c == ']' && b->bracket) ||
        (b->brace && (c == ',' || (c == '.' && scan_peek(s, 0) == '.'))))
        b->unknown = true;
    strbuf_addch(&b->text, c);
}

int scan_word(struct scan *s, struct building *b, struct err *e)
{
    size_t begin = s->at;
    int r = 0;

    while (r == 0 && !scan_at_end(s) && !scan_ends_word(scan_peek(s, 0))) {
        char c = s->text.ptr[s->at++];

        b->quoted = b->quoted || c == '\\' || c == '\'' || c == '"';
        if (c == '\\')
            parse_escape(s, b);
        else if (c == '\'')
            r = parse_single(s, b, e);
        else if (c == '"')
            r = parse_double(s, b, e);
        else if (c == '$')
            r = parse_dollar(s, b, false, e);
        else if (c == '`')
            r = scan_refuse(e, "backquotes");
        else if (c == '~')
            parse_tilde(s, b, s->at - 1 == begin);
        else
            parse_plain(s, b, c);
    }
    return r;
}
