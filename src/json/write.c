/*
 * Writing. Whatever was parsed and not changed is copied from its source in one piece.
 */
#include "json/chars.h"
#include "json/node.h"

struct writer {
    struct strbuf *out;
    enum json_style style;
    size_t room; /* `out` can be less than this long without asking it */
};

static void put_slowly(struct writer *w, const char *text, size_t len)
{
    size_t max = w->out->max ? w->out->max : STRBUF_DEFAULT_MAX;

    strbuf_add(w->out, text, len);
    w->room = w->out->size - 1 < max ? w->out->size - 1 : max;
}

/* Tokens are short and many: what fits is copied here. The end is terminated once, by the caller.
 */
static inline void put(struct writer *w, const char *text, size_t len)
{
    if (w->out->len + len >= w->room) {
        put_slowly(w, text, len);
        return;
    }
    memcpy(w->out->buf + w->out->len, text, len);
    w->out->len += len;
}

/* What stands for a byte that cannot stand for itself; `p` is not plain. Returns its length. */
static int write_special(struct strbuf *out, const char *p, const char *end)
{
    static const char shorts[] = "btn?fr"; /* U+0008 to U+000D; there is none for U+000B */
    unsigned char c = (unsigned char)*p;
    int len;

    if (c == '"' || c == '\\') {
        strbuf_add(out, c == '"' ? "\\\"" : "\\\\", 2);
        return 1;
    }
    if (c >= 8 && c <= 13 && c != 11) {
        strbuf_add(out, (char[]){ '\\', shorts[c - 8] }, 2);
        return 1;
    }
    if (c < 0x20) {
        strbuf_printf(out, "\\u%04x", c);
        return 1;
    }
    len = chars_utf8(p, end);
    if (len > 0) {
        strbuf_add(out, p, (size_t)len);
        return len;
    }
    strbuf_add(out, "\xef\xbf\xbd", 3);
    return -len;
}

void json_write_string(struct strbuf *out, struct str text)
{
    const char *p = text.ptr ? text.ptr : "", *end = p + text.len;

    strbuf_addch(out, '"');
    while (p < end) {
        const char *stop = chars_plain_end(p, end);

        strbuf_add(out, p, (size_t)(stop - p));
        p = stop;
        if (p < end)
            p += write_special(out, p, end);
    }
    strbuf_addch(out, '"');
}

static void new_line(struct writer *w, unsigned depth)
{
    static const char spaces[] = "                                                                ";
    size_t left = (size_t)depth * 2;

    if (w->style != JSON_PRETTY)
        return;
    put(w, "\n", 1);
    for (; left > sizeof(spaces) - 1; left -= sizeof(spaces) - 1)
        put(w, spaces, sizeof(spaces) - 1);
    put(w, spaces, left);
}

static void write_key(struct writer *w, const struct json *n)
{
    if (n->flags & NODE_KEY_SOURCE)
        put(w, n->key - 1, (size_t)n->key_len + 2);
    else
        json_write_string(w->out, node_key(n));
    put(w, ": ", w->style == JSON_PRETTY ? 2 : 1);
}

static bool keeps_source(const struct writer *w, const struct json *n)
{
    if (!(n->flags & NODE_SOURCE))
        return false;
    if (!node_is_container(n) || w->style == JSON_AS_IS)
        return true;
    return w->style == JSON_COMPACT && n->flags & NODE_TIGHT;
}

static void write_value(struct writer *w, const struct json *n, unsigned depth)
{
    if (keeps_source(w, n) || n->type < JSON_STRING) {
        put(w, n->text, n->len);
        return;
    }
    if (n->type == JSON_STRING) {
        json_write_string(w->out, node_text(n));
        return;
    }
    if (depth >= JSON_DEPTH_LIMIT) {
        put(w, "null", 4);
        w->out->truncated = true;
        return;
    }
    put(w, n->type == JSON_OBJECT ? "{" : "[", 1);
    for (const struct json *c = n->first; c; c = c->next) {
        if (c != n->first)
            put(w, ",", 1);
        new_line(w, depth + 1);
        if (n->type == JSON_OBJECT)
            write_key(w, c);
        write_value(w, c, depth + 1);
    }
    if (n->first)
        new_line(w, depth);
    put(w, n->type == JSON_OBJECT ? "}" : "]", 1);
}

void json_write(struct strbuf *out, const struct json *j, enum json_style style)
{
    struct writer w = { .out = out, .style = style };

    if (j)
        write_value(&w, j, 0);
    else
        put(&w, "null", 4);
    out->buf[out->len] = '\0';
}

char *json_text(struct arena *a, const struct json *j)
{
    CLEANUP(strbuf) struct strbuf out = { .max = SIZE_MAX / 4 };

    json_write(&out, j, JSON_COMPACT);
    return arena_cstr(a, strbuf_str(&out));
}
