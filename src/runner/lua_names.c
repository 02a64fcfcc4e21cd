#include "runner/lua_names.h"

#include "base/macros.h"

#include <ctype.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_keyword(struct str word)
{
    static const char *const keywords[] = {
        "and",      "break",  "do",   "else", "elseif", "end",   "false", "for",
        "function", "goto",   "if",   "in",   "local",  "nil",   "not",   "or",
        "repeat",   "return", "then", "true", "until",  "while",
    };

    for (size_t i = 0; i < ARRAY_LEN(keywords); i++)
        if (str_is(word, keywords[i]))
            return true;
    return false;
}

static void skip(struct str *s, size_t n)
{
    n = n < s->len ? n : s->len;
    s->ptr += n;
    s->len -= n;
}

/* The level of the long bracket "[==[" that begins here, or -1. */
static int long_bracket(struct str s)
{
    size_t i = 1;

    while (i < s.len && s.ptr[i] == '=')
        i++;
    return s.ptr[0] == '[' && i < s.len && s.ptr[i] == '[' ? (int)i - 1 : -1;
}

static void skip_long(struct str *s, int level)
{
    size_t width = (size_t)level + 2;

    for (skip(s, width); s->len >= width; skip(s, 1)) {
        size_t i = 1;

        while (i <= (size_t)level && s->ptr[i] == '=')
            i++;
        if (s->ptr[0] == ']' && i == (size_t)level + 1 && s->ptr[i] == ']') {
            skip(s, width);
            return;
        }
    }
    skip(s, s->len);
}

static void skip_quoted(struct str *s)
{
    char quote = s->ptr[0];

    for (skip(s, 1); s->len > 0 && s->ptr[0] != quote; skip(s, 1))
        if (s->ptr[0] == '\\')
            skip(s, 1);
    skip(s, 1);
}

static void skip_comment(struct str *s)
{
    int level;

    skip(s, 2);
    level = s->len ? long_bracket(*s) : -1;
    if (level >= 0)
        skip_long(s, level);
    else
        while (s->len > 0 && s->ptr[0] != '\n')
            skip(s, 1);
}

static struct str take_word(struct str *s)
{
    struct str word = { s->ptr, 0 };

    while (s->len > 0 && is_word(s->ptr[0])) {
        word.len++;
        skip(s, 1);
    }
    return word;
}

/* "name =" but not "name ==": the key of a table constructor. */
static bool is_key(struct str rest)
{
    struct str next = str_trim(rest);

    return next.len > 0 && next.ptr[0] == '=' && (next.len == 1 || next.ptr[1] != '=');
}

/* Pass over what is certainly no name. */
static void skip_other(struct lua_names *n)
{
    struct str *s = &n->rest;
    char c = s->ptr[0];

    if (c == '"' || c == '\'') {
        skip_quoted(s);
        n->before = c;
    } else if (c == '[' && long_bracket(*s) >= 0) {
        skip_long(s, long_bracket(*s));
        n->before = ']';
    } else if (c == '-' && s->len > 1 && s->ptr[1] == '-') {
        skip_comment(s);
    } else if (s->len > 1 && c == '.' && s->ptr[1] == '.') {
        skip(s, 2); /* joins texts: what follows is no field */
        n->before = '+';
    } else {
        if (!isspace((unsigned char)c))
            n->before = c;
        skip(s, 1);
    }
}

bool lua_names_next(struct lua_names *n, struct str *name)
{
    while (n->rest.len > 0) {
        char before = n->before;

        if (!is_word(n->rest.ptr[0])) {
            skip_other(n);
            continue;
        }
        *name = take_word(&n->rest);
        n->before = 'a';
        if (str_is(*name, "function"))
            return false;
        if (!isdigit((unsigned char)name->ptr[0]) && before != '.' && before != ':' &&
            !is_keyword(*name) && !is_key(n->rest))
            return true;
    }
    return false;
}
