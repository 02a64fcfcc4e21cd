#include "net/sse.h"

#include <errno.h>

struct feeding {
    struct sse *s;
    sse_fn *each;
    void *context;
};

static int fire(const struct feeding *f, struct err *e)
{
    struct sse *s = f->s;
    int r = 0;

    if (s->has_data)
        r = f->each(f->context, s->name, strbuf_str(&s->data), e);
    strbuf_reset(&s->data);
    s->has_data = false;
    s->name[0] = '\0';
    return r;
}

static void add_data(struct sse *s, struct str value)
{
    s->data.max = SSE_EVENT_MAX;
    if (s->has_data)
        strbuf_addch(&s->data, '\n');
    strbuf_add(&s->data, value.ptr, value.len);
    s->has_data = true;
}

static void set_name(struct sse *s, struct str value)
{
    size_t len = value.len < SSE_NAME_MAX ? value.len : SSE_NAME_MAX - 1;

    memcpy(s->name, value.ptr, len);
    s->name[len] = '\0';
}

static int take_line(const struct feeding *f, struct str line, struct err *e)
{
    struct str value = line, field;

    if (line.len == 0)
        return fire(f, e);
    if (!str_cut(&value, ':', &field))
        return 0;
    if (value.len && value.ptr[0] == ' ')
        value = (struct str){ value.ptr + 1, value.len - 1 };
    if (str_is(field, "data"))
        add_data(f->s, value);
    else if (str_is(field, "event"))
        set_name(f->s, value);
    if (f->s->data.truncated)
        return err_set(e, -EMSGSIZE, "an event of the stream is longer than %zu MiB",
                       SSE_EVENT_MAX >> 20);
    return 0;
}

/* The part of a line that has arrived waits for the rest. */
static int keep_rest(struct sse *s, struct str rest, struct err *e)
{
    s->line.max = SSE_EVENT_MAX;
    strbuf_add(&s->line, rest.ptr, rest.len);
    if (s->line.truncated)
        return err_set(e, -EMSGSIZE, "a line of the stream is longer than %zu MiB",
                       SSE_EVENT_MAX >> 20);
    return 0;
}

static int end_line(const struct feeding *f, struct str piece, struct err *e)
{
    struct sse *s = f->s;
    struct str line = piece;
    int r;

    if (s->line.len) {
        r = keep_rest(s, piece, e);
        if (r < 0)
            return r;
        line = strbuf_str(&s->line);
    }
    if (!s->begun && str_starts(line, STR("\xef\xbb\xbf")))
        line = (struct str){ line.ptr + 3, line.len - 3 };
    s->begun = true;
    r = take_line(f, line, e);
    strbuf_reset(&s->line);
    return r;
}

static size_t find_end(struct str bytes)
{
    const char *lf = memchr(bytes.ptr, '\n', bytes.len);
    size_t len = lf ? (size_t)(lf - bytes.ptr) : bytes.len;
    const char *cr = memchr(bytes.ptr, '\r', len);

    return cr ? (size_t)(cr - bytes.ptr) : len;
}

int sse_feed(struct sse *s, struct str bytes, sse_fn *each, void *context, struct err *e)
{
    const struct feeding f = { s, each, context };

    while (bytes.len) {
        size_t len;
        int r;

        if (s->after_cr && bytes.ptr[0] == '\n') {
            bytes = (struct str){ bytes.ptr + 1, bytes.len - 1 };
            s->after_cr = false;
            continue;
        }
        s->after_cr = false;
        len = find_end(bytes);
        if (len == bytes.len)
            return keep_rest(s, bytes, e);
        r = end_line(&f, (struct str){ bytes.ptr, len }, e);
        if (r < 0)
            return r;
        s->after_cr = bytes.ptr[len] == '\r';
        bytes = (struct str){ bytes.ptr + len + 1, bytes.len - len - 1 };
    }
    return 0;
}

void sse_release(struct sse *s)
{
    strbuf_release(&s->line);
    strbuf_release(&s->data);
    *s = (struct sse){ 0 };
}
