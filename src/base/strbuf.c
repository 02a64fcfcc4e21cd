#include "base/strbuf.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>

static size_t room(const struct strbuf *b)
{
    size_t max = b->max ? b->max : STRBUF_DEFAULT_MAX;

    return max > b->len ? max - b->len : 0;
}

char *strbuf_reserve(struct strbuf *b, size_t len)
{
    size_t need = b->len + len + 1;

    if (len > room(b))
        return NULL;
    if (need > b->size) {
        size_t size = b->size ? b->size * 2 : 64;

        b->size = size > need ? size : need;
        b->buf = xrealloc(b->buf, b->size);
    }
    b->buf[b->len] = '\0';
    return b->buf + b->len;
}

void strbuf_add_slowly(struct strbuf *b, const void *data, size_t len)
{
    char *at = strbuf_reserve(b, len);

    if (!at) {
        len = room(b);
        b->truncated = true;
        at = strbuf_reserve(b, len);
    }
    if (len)
        memcpy(at, data, len);
    b->len += len;
    b->buf[b->len] = '\0';
}

void strbuf_addstr(struct strbuf *b, const char *s)
{
    strbuf_add(b, s, strlen(s));
}

void strbuf_addint(struct strbuf *b, int64_t n)
{
    char digits[24];
    size_t at = sizeof(digits);
    uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n;

    do {
        digits[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left);
    if (n < 0)
        digits[--at] = '-';
    strbuf_add(b, digits + at, sizeof(digits) - at);
}

void strbuf_printf(struct strbuf *b, const char *fmt, ...)
{
    CLEANUP(mem) char *text = NULL;
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vasprintf(&text, fmt, ap);
    va_end(ap);
    if (n >= 0)
        strbuf_add(b, text, (size_t)n);
    else
        text = NULL;
}

void strbuf_reset(struct strbuf *b)
{
    b->len = 0;
    b->truncated = false;
    if (b->buf)
        b->buf[0] = '\0';
}

void strbuf_release(struct strbuf *b)
{
    free(b->buf);
    *b = (struct strbuf){ .max = b->max };
}
