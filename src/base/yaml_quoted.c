#include "base/yaml_quoted.h"

#include "base/strbuf.h"

struct scalar {
    struct str text;
    size_t at; /* next byte to read */
    struct strbuf out;
    size_t keep; /* what an escape gave is never trimmed */
};

static void scalar_cleanup(struct scalar *s)
{
    strbuf_release(&s->out);
}

static char peek(const struct scalar *s, size_t ahead)
{
    if (s->at + ahead >= s->text.len)
        return '\0';
    return s->text.ptr[s->at + ahead];
}

static bool is_break(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Past line breaks and the white space around them; how many breaks there were. */
static unsigned skip_breaks(struct scalar *s)
{
    unsigned breaks = 0;

    for (; is_break(peek(s, 0)) || is_blank(peek(s, 0)); s->at++)
        if (peek(s, 0) == '\n' || (peek(s, 0) == '\r' && peek(s, 1) != '\n'))
            breaks++;
    return breaks;
}

static void add_breaks(struct scalar *s, unsigned count)
{
    while (count-- > 0)
        strbuf_addch(&s->out, '\n');
}

/* One line break is a space; of more, all but the first stay. */
static void fold(struct scalar *s)
{
    unsigned breaks;

    while (s->out.len > s->keep && is_blank(s->out.buf[s->out.len - 1]))
        s->out.len--;
    breaks = skip_breaks(s);
    if (breaks == 1)
        strbuf_addch(&s->out, ' ');
    else
        add_breaks(s, breaks - 1);
}

static struct str finish(struct arena *a, const struct scalar *s)
{
    return (struct str){ arena_cstr(a, strbuf_str(&s->out)), s->out.len };
}

struct str yaml_quoted_single(struct arena *a, struct str text, size_t start)
{
    CLEANUP(scalar) struct scalar s = { .text = text, .at = start };

    while (s.at < text.len) {
        char c = peek(&s, 0);

        if (is_break(c)) {
            fold(&s);
            continue;
        }
        if (c == '\'' && peek(&s, 1) != '\'')
            break;
        strbuf_addch(&s.out, c);
        s.at += c == '\'' ? 2 : 1;
    }
    return finish(a, &s);
}

static void add_code_point(struct strbuf *out, uint32_t c)
{
    if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        c = 0xfffd;
    if (c < 0x80) {
        strbuf_addch(out, (char)c);
        return;
    }
    if (c < 0x800) {
        strbuf_addch(out, (char)(0xc0 | c >> 6));
    } else if (c < 0x10000) {
        strbuf_addch(out, (char)(0xe0 | c >> 12));
        strbuf_addch(out, (char)(0x80 | (c >> 6 & 0x3f)));
    } else {
        strbuf_addch(out, (char)(0xf0 | c >> 18));
        strbuf_addch(out, (char)(0x80 | (c >> 12 & 0x3f)));
        strbuf_addch(out, (char)(0x80 | (c >> 6 & 0x3f)));
    }
    strbuf_addch(out, (char)(0x80 | (c & 0x3f)));
}

static uint32_t read_hex(struct scalar *s, unsigned digits)
{
    uint32_t value = 0;

    for (unsigned i = 0; i < digits && s->at < s->text.len; i++, s->at++) {
        char c = peek(s, 0);
        char low = (char)(c | 0x20);

        value <<= 4;
        if (c >= '0' && c <= '9')
            value |= (uint32_t)(c - '0');
        else if (low >= 'a' && low <= 'f')
            value |= (uint32_t)(low - 'a' + 10);
    }
    return value;
}

/* JSON writes what lies beyond U+FFFF as two halves, and JSON is YAML. */
static uint32_t read_unicode(struct scalar *s)
{
    uint32_t high = read_hex(s, 4), low;
    size_t behind = s->at;

    if (high < 0xd800 || high > 0xdbff || peek(s, 0) != '\\' || peek(s, 1) != 'u')
        return high;
    s->at += 2;
    low = read_hex(s, 4);
    if (low >= 0xdc00 && low <= 0xdfff)
        return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    s->at = behind;
    return high;
}

static uint32_t named_escape(char c)
{
    static const char names[] = "0abt\tnvfre \"/\\N_LP";
    static const uint16_t values[] = { 0,    '\a', '\b', '\t', '\t', '\n', '\v', '\f',   '\r',
                                       0x1b, ' ',  '"',  '/',  '\\', 0x85, 0xa0, 0x2028, 0x2029 };
    const char *found = memchr(names, c, sizeof(names) - 1);

    return found ? values[found - names] : (uint32_t)(unsigned char)c;
}

static void read_escape(struct scalar *s)
{
    char c = peek(s, 1);

    if (is_break(c)) { /* the line goes on; empty lines behind it count */
        unsigned breaks;

        s->at++;
        breaks = skip_breaks(s);
        add_breaks(s, breaks - 1);
        s->keep = s->out.len;
        return;
    }
    s->at += 2;
    if (c == 'x')
        add_code_point(&s->out, read_hex(s, 2));
    else if (c == 'u')
        add_code_point(&s->out, read_unicode(s));
    else if (c == 'U')
        add_code_point(&s->out, read_hex(s, 8));
    else
        add_code_point(&s->out, named_escape(c));
    s->keep = s->out.len;
}

struct str yaml_quoted_double(struct arena *a, struct str text, size_t start)
{
    CLEANUP(scalar) struct scalar s = { .text = text, .at = start };

    while (s.at < text.len && peek(&s, 0) != '"') {
        if (is_break(peek(&s, 0))) {
            fold(&s);
        } else if (peek(&s, 0) == '\\') {
            read_escape(&s);
        } else {
            strbuf_addch(&s.out, peek(&s, 0));
            s.at++;
        }
    }
    return finish(a, &s);
}
