/*
 * Escapes were checked when the text was parsed; here they are only decoded.
 */
#include "json/node.h"

static unsigned hex4(const char *p)
{
    unsigned value = 0;

    for (int i = 0; i < 4; i++) {
        unsigned char c = (unsigned char)p[i];

        value = value << 4 | (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

static size_t put_utf8(char *out, unsigned code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

/* The code point of the "\uXXXX" at `*p`, with its partner if it has one. Moves `*p` behind it. */
static unsigned take_unicode(const char **p, const char *end, enum lone lone)
{
    unsigned code = hex4(*p + 2);
    const char *next = *p += 6;

    if (code < 0xd800 || code > 0xdfff)
        return code;
    if (code < 0xdc00 && end - next >= 6 && next[0] == '\\' && next[1] == 'u') {
        unsigned low = hex4(next + 2);

        if (low >= 0xdc00 && low <= 0xdfff) {
            *p = next + 6;
            return 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
        }
    }
    return lone == LONE_KEPT ? code : 0xfffd;
}

/* Decode the escape at `*p` into at most four bytes; never more than its own length. */
static size_t take_escape(const char **p, const char *end, enum lone lone, char *out)
{
    char c = (*p)[1];

    if (c == 'u')
        return put_utf8(out, take_unicode(p, end, lone));
    *p += 2;
    switch (c) {
    case 'b':
        out[0] = '\b';
        break;
    case 'f':
        out[0] = '\f';
        break;
    case 'n':
        out[0] = '\n';
        break;
    case 'r':
        out[0] = '\r';
        break;
    case 't':
        out[0] = '\t';
        break;
    default:
        out[0] = c;
    }
    return 1;
}

/* Length of the run without escapes at `p`. */
static size_t run_length(const char *p, const char *end)
{
    const char *backslash = memchr(p, '\\', (size_t)(end - p));

    return (size_t)((backslash ? backslash : end) - p);
}

struct str escape_decode(struct arena *a, struct str raw, enum lone lone)
{
    const char *p = raw.ptr, *end = raw.ptr + raw.len;
    char *out = arena_alloc(a, raw.len + 1);
    size_t len = 0;

    while (p < end) {
        size_t run = run_length(p, end);

        memcpy(out + len, p, run);
        len += run;
        p += run;
        if (p < end)
            len += take_escape(&p, end, lone, out + len);
    }
    out[len] = '\0';
    return (struct str){ out, len };
}

bool escape_is(struct str raw, struct str text)
{
    const char *p = raw.ptr, *end = raw.ptr + raw.len;

    while (p < end) {
        char buf[4];
        size_t len = run_length(p, end);
        const char *piece = p;

        if (len) {
            p += len;
        } else {
            piece = buf;
            len = take_escape(&p, end, LONE_REPLACED, buf);
        }
        if (!str_starts(text, (struct str){ piece, len }))
            return false;
        text = (struct str){ text.ptr + len, text.len - len };
    }
    return text.len == 0;
}
