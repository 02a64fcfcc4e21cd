/*
 * sse.h - server-sent events, from bytes that arrive in any pieces.
 *
 *     CLEANUP(sse) struct sse s = { 0 };
 *     r = sse_feed(&s, bytes, on_event, context, e);      as often as bytes arrive
 *
 * Lines end with LF, CR LF or CR. Of the fields `event` and `data` are read; `id` and `retry` are
 * for clients that reconnect, which none of ours does. An event whose blank line never comes is
 * dropped, as the standard demands: a stream that was cut never yields half an event.
 */
#pragma once

#include "base/err.h"
#include "base/strbuf.h"

#define SSE_EVENT_MAX ((size_t)32 << 20)
#define SSE_NAME_MAX  64

struct sse {
    struct strbuf line; /* of which the end has not arrived */
    struct strbuf data;
    char name[SSE_NAME_MAX];
    bool has_data, begun;
    bool after_cr; /* a line feed that comes now belongs to the line before */
};

/* `name` is "" where the event has none. A negative return ends the feeding and is handed on. */
typedef int sse_fn(void *context, const char *name, struct str data, struct err *e);

/* -EMSGSIZE: a line or an event is longer than SSE_EVENT_MAX. */
MUST_CHECK int sse_feed(struct sse *s, struct str bytes, sse_fn *each, void *context,
                        struct err *e);
void sse_release(struct sse *s);

static inline void sse_cleanup(struct sse *s)
{
    sse_release(s);
}
