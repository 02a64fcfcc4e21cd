#include "agent/html_parts.h"

#include "base/macros.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

bool html_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool html_name_is(struct str name, const char *word)
{
    return name.len == strlen(word) && strncasecmp(name.ptr, word, name.len) == 0;
}

/* Entities --------------------------------------------------------------------------------------
 */

/* Those that pages use; the others stay as they are written. */
static unsigned long named_entity(struct str name)
{
    static const struct {
        const char *name;
        unsigned long code;
    } known[] = {
        { "amp", '&' },      { "lt", '<' },        { "gt", '>' },       { "quot", '"' },
        { "apos", '\'' },    { "nbsp", ' ' },      { "copy", 0xa9 },    { "reg", 0xae },
        { "trade", 0x2122 }, { "hellip", 0x2026 }, { "mdash", 0x2014 }, { "ndash", 0x2013 },
        { "lsquo", 0x2018 }, { "rsquo", 0x2019 },  { "ldquo", 0x201c }, { "rdquo", 0x201d },
        { "laquo", 0xab },   { "raquo", 0xbb },    { "bull", 0x2022 },  { "middot", 0xb7 },
        { "times", 0xd7 },   { "divide", 0xf7 },   { "deg", 0xb0 },     { "plusmn", 0xb1 },
        { "micro", 0xb5 },   { "para", 0xb6 },     { "sect", 0xa7 },    { "euro", 0x20ac },
        { "pound", 0xa3 },   { "yen", 0xa5 },      { "cent", 0xa2 },    { "larr", 0x2190 },
        { "uarr", 0x2191 },  { "rarr", 0x2192 },   { "darr", 0x2193 },  { "ne", 0x2260 },
        { "le", 0x2264 },    { "ge", 0x2265 },     { "infin", 0x221e }, { "auml", 0xe4 },
        { "ouml", 0xf6 },    { "uuml", 0xfc },     { "Auml", 0xc4 },    { "Ouml", 0xd6 },
        { "Uuml", 0xdc },    { "szlig", 0xdf },    { "eacute", 0xe9 },  { "egrave", 0xe8 },
        { "agrave", 0xe0 },  { "ccedil", 0xe7 },   { "ntilde", 0xf1 },  { "zwnj", 0x200c },
        { "zwj", 0x200d },   { "shy", 0xad },      { "ensp", ' ' },     { "emsp", ' ' },
        { "thinsp", ' ' },   { "lbrace", '{' },    { "rbrace", '}' },   { "check", 0x2713 },
    };

    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (name.len == strlen(known[i].name) && memcmp(name.ptr, known[i].name, name.len) == 0)
            return known[i].code;
    return 0;
}

size_t html_entity(struct str text, unsigned long *code)
{
    char digits[16];
    size_t len = 1;
    bool hex;

    while (len < text.len && len < 12 &&
           (isalnum((unsigned char)text.ptr[len]) || (len == 1 && text.ptr[len] == '#')))
        len++;
    if (len < 3 || len >= text.len || text.ptr[len] != ';')
        return 0;
    if (text.ptr[1] != '#') {
        *code = named_entity((struct str){ text.ptr + 1, len - 1 });
        return *code ? len + 1 : 0;
    }
    hex = text.ptr[2] == 'x' || text.ptr[2] == 'X';
    memcpy(digits, text.ptr + 2 + hex, len - 2 - hex);
    digits[len - 2 - hex] = '\0';
    if (!digits[0] || digits[strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789")])
        return 0;
    *code = strtoul(digits, NULL, hex ? 16 : 10);
    return len + 1;
}

/* Tags ------------------------------------------------------------------------------------------
 */

/* Cut off the bytes that are (`space`) or are not white space, or the first of `also`. */
static struct str cut_word(struct str *text, bool space, const char *also)
{
    struct str word = { text->ptr, 0 };

    while (word.len < text->len && (html_is_space(word.ptr[word.len]) ||
                                    (also[0] && word.ptr[word.len] == also[0])) == space)
        word.len++;
    text->ptr += word.len;
    text->len -= word.len;
    return word;
}

/* What stands after '=': in quotes of either kind, or up to the next white space. */
static struct str cut_value(struct str *text)
{
    const char *end;
    struct str value;
    char quote;

    (void)cut_word(text, true, "=");
    if (text->len == 0 || (text->ptr[0] != '"' && text->ptr[0] != '\''))
        return cut_word(text, false, "");
    quote = text->ptr[0];
    value = (struct str){ text->ptr + 1, text->len - 1 };
    end = memchr(value.ptr, quote, value.len);
    if (end)
        value.len = (size_t)(end - value.ptr);
    text->len -= value.len + 1 + (end != NULL);
    text->ptr += value.len + 1 + (end != NULL);
    return value;
}

struct str html_attribute(struct str text, const char *wanted)
{
    for (;;) {
        struct str name, value = { 0 };

        (void)cut_word(&text, true, "=");
        name = cut_word(&text, false, "=");
        if (name.len == 0)
            return value;
        (void)cut_word(&text, true, "");
        if (text.len && text.ptr[0] == '=')
            value = cut_value(&text);
        if (html_name_is(name, wanted) && str_is_set(value))
            return value;
    }
}

size_t html_tag(struct str html, struct html_tag *t)
{
    struct str text = { html.ptr + 1, html.len - 1 };
    size_t n = 0;
    char quote = '\0';

    t->closing = text.len && text.ptr[0] == '/';
    if (t->closing)
        text = (struct str){ text.ptr + 1, text.len - 1 };
    while (n < text.len && isalnum((unsigned char)text.ptr[n]))
        n++;
    t->name = (struct str){ text.ptr, n };
    for (; n < text.len && (quote || text.ptr[n] != '>'); n++) {
        if (quote && text.ptr[n] == quote)
            quote = '\0';
        else if (!quote && (text.ptr[n] == '"' || text.ptr[n] == '\'') && n &&
                 text.ptr[n - 1] == '=')
            quote = text.ptr[n];
    }
    t->attributes = (struct str){ text.ptr + t->name.len, n - t->name.len };
    return (size_t)(text.ptr - html.ptr) + n + (n < text.len);
}
