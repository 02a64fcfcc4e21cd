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

/* Asked for every character: a search in a text would cost more than all the rest. */
bool scan_ends_word(char c)
{
    switch (c) {
    case '\0':
    case ' ':
    case '\t':
    case '\n':
    case ';':
    case '&':
    case '|':
    case '<':
    case '>':
    case '(':
    case ')':
        return true;
    default:
        return false;
    }
}

bool scan_is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (text[0] == (*words)[0] && strcmp(text, *words) == 0)
            return true;
    return false;
}

int scan_double(struct scan *s, struct building *b, char close, struct err *e)
{
    int r = 0;

    while (r == 0 && !scan_at_end(s)) {
        char c = s->text.ptr[s->at++];

        if (c == close && close)
            return 0;
        if (c == '`' || c == '$') {
            r = c == '`' ? scan_backquote(s, b, true, e) : scan_dollar(s, b, true, e);
            continue;
        }
        if (c == '\\' && !scan_at_end(s) && strchr("$`\"\\\n", scan_peek(s, 0))) {
            c = s->text.ptr[s->at++];
            if (c == '\n')
                continue;
        }
        strbuf_addch(&b->text, c);
    }
    return r < 0 || !close ? r : scan_refuse(e, "a quote that is not closed");
}

int scan_single(struct scan *s, struct building *b, struct err *e)
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
        scan_variable(s, STR("HOME"), b, true);
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
        b->unknown = b->globs = true;
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
            r = scan_single(s, b, e);
        else if (c == '"')
            r = scan_double(s, b, '"', e);
        else if (c == '$')
            r = scan_dollar(s, b, false, e);
        else if (c == '`')
            r = scan_backquote(s, b, false, e);
        else if (c == '~')
            parse_tilde(s, b, s->at - 1 == begin);
        else
            parse_plain(s, b, c);
    }
    return r;
}
