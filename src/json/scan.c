/*
 * Where does a document end, while it arrives in pieces.
 */
#include "json/chars.h"
#include "json/node.h"

/* Whether a number can go on with this byte. */
static bool in_number(char c)
{
    return (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
}

static enum json_scan_state open_bracket(struct json_scan *s, char c)
{
    uint64_t bit = (uint64_t)1 << s->depth % 64;

    if (s->depth >= JSON_DEPTH_LIMIT)
        return JSON_SCAN_BAD;
    if (c == '{')
        s->objects[s->depth / 64] |= bit;
    else
        s->objects[s->depth / 64] &= ~bit;
    s->depth++;
    return JSON_SCAN_MORE;
}

static enum json_scan_state close_bracket(struct json_scan *s, char c)
{
    unsigned at = s->depth - 1;
    bool object = s->objects[at / 64] >> at % 64 & 1;

    if (object != (c == '}'))
        return JSON_SCAN_BAD;
    s->depth--;
    s->done = s->depth == 0;
    return s->done ? JSON_SCAN_DONE : JSON_SCAN_MORE;
}

/* The first byte of the document. */
static enum json_scan_state start(struct json_scan *s, char c)
{
    s->started = true;
    switch (c) {
    case '{':
    case '[':
        return open_bracket(s, c);
    case '"':
        s->in_string = true;
        return JSON_SCAN_MORE;
    case 't':
        s->word = "rue";
        return JSON_SCAN_MORE;
    case 'f':
        s->word = "alse";
        return JSON_SCAN_MORE;
    case 'n':
        s->word = "ull";
        return JSON_SCAN_MORE;
    default:
        s->scalar = c == '-' || (c >= '0' && c <= '9');
        return s->scalar ? JSON_SCAN_MORE : JSON_SCAN_BAD;
    }
}

/* Inside a string: `*p` moves to the first byte that was not used. */
static enum json_scan_state go_through_string(struct json_scan *s, const char **p, const char *end)
{
    while (*p < end) {
        unsigned char c;

        if (!s->escaped)
            *p = chars_plain_end(*p, end);
        if (*p == end)
            break;
        c = (unsigned char)**p;
        if (c < 0x20)
            return JSON_SCAN_BAD;
        ++*p;
        if (s->escaped) {
            s->escaped = false;
        } else if (c == '\\') {
            s->escaped = true;
        } else if (c == '"') {
            s->in_string = false;
            s->done = s->depth == 0;
            break;
        }
    }
    return s->done ? JSON_SCAN_DONE : JSON_SCAN_MORE;
}

/* One byte outside strings. */
static enum json_scan_state take(struct json_scan *s, char c)
{
    if (!s->started)
        return chars_is_space(c) ? JSON_SCAN_MORE : start(s, c);
    if (s->word) {
        if (*s->word != c)
            return JSON_SCAN_BAD;
        s->done = *++s->word == '\0';
        return s->done ? JSON_SCAN_DONE : JSON_SCAN_MORE;
    }
    switch (c) {
    case '"':
        s->in_string = true;
        return JSON_SCAN_MORE;
    case '{':
    case '[':
        return open_bracket(s, c);
    case '}':
    case ']':
        return close_bracket(s, c);
    default:
        return (unsigned char)c < 0x20 && !chars_is_space(c) ? JSON_SCAN_BAD : JSON_SCAN_MORE;
    }
}

enum json_scan_state json_scan_feed(struct json_scan *s, struct str bytes, size_t *used)
{
    const char *begin = bytes.ptr ? bytes.ptr : "", *p = begin, *end = begin + bytes.len;
    enum json_scan_state state = s->done ? JSON_SCAN_DONE : JSON_SCAN_MORE;

    while (state == JSON_SCAN_MORE && p < end) {
        if (s->in_string) {
            state = go_through_string(s, &p, end);
        } else if (s->scalar && !in_number(*p)) {
            s->done = true;
            state = JSON_SCAN_DONE;
        } else {
            state = take(s, *p);
            p += state == JSON_SCAN_BAD ? 0 : 1;
        }
    }
    *used = (size_t)(p - begin);
    return state;
}

enum json_scan_state json_scan_end(const struct json_scan *s)
{
    return s->done || s->scalar ? JSON_SCAN_DONE : JSON_SCAN_MORE;
}
