/*
 * strbuf.h - text that grows, up to a limit.
 *
 *     CLEANUP(strbuf) struct strbuf b = { .max = 4096 };
 *     strbuf_printf(&b, "%s:%u", file, line);
 *
 * All-zero is a valid empty buffer with the default limit. `buf` is NULL or terminated at `len`.
 * What would pass the limit is cut there and `truncated` is set: check it once, at the end.
 */
#pragma once

#include "base/macros.h"
#include "base/str.h"

#include <stdint.h>

#define STRBUF_DEFAULT_MAX ((size_t)64 << 20)

struct strbuf {
    char *buf;
    size_t len;
    size_t size; /* allocated */
    size_t max;  /* most bytes of text; 0: STRBUF_DEFAULT_MAX */
    bool truncated;
};

/* What strbuf_add() does when there is no room yet. */
void strbuf_add_slowly(struct strbuf *b, const void *data, size_t len);

/* In the header because most additions are a few bytes into memory that is there. */
static inline void strbuf_add(struct strbuf *b, const void *data, size_t len)
{
    size_t max = b->max ? b->max : STRBUF_DEFAULT_MAX;

    if (len == 0 || len >= b->size - b->len || b->len + len > max) {
        strbuf_add_slowly(b, data, len);
        return;
    }
    memcpy(b->buf + b->len, data, len);
    b->len += len;
    b->buf[b->len] = '\0';
}

static inline void strbuf_addch(struct strbuf *b, char c)
{
    strbuf_add(b, &c, 1);
}

void strbuf_addstr(struct strbuf *b, const char *s);
void strbuf_addint(struct strbuf *b, int64_t n);
void strbuf_printf(struct strbuf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);

/*
 * Room for `len` more bytes and a terminator at buf + len, NULL if that passes the limit. The
 * caller fills it, adds to `len` and terminates; until then the text ends where it did.
 */
char *strbuf_reserve(struct strbuf *b, size_t len);

/* Forget the text, keep the memory. */
void strbuf_reset(struct strbuf *b);
void strbuf_release(struct strbuf *b);

static inline struct str strbuf_str(const struct strbuf *b)
{
    return (struct str){ b->buf ? b->buf : "", b->len };
}

/* The text as a terminated string, "" when empty. */
static inline const char *strbuf_cstr(const struct strbuf *b)
{
    return b->buf ? b->buf : "";
}

static inline void strbuf_cleanup(struct strbuf *b)
{
    strbuf_release(b);
}
