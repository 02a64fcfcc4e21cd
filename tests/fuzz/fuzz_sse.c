/* The first byte is a step: events are the same in one piece and in steps of that size. */
#include "net/sse.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int note(void *context, const char *name, struct str data, struct err *e UNUSED)
{
    struct strbuf *seen = context;

    strbuf_addstr(seen, name);
    strbuf_addch(seen, '|');
    strbuf_add(seen, data.ptr, data.len);
    strbuf_addch(seen, ';');
    return 0;
}

static void feed(struct str bytes, size_t step, struct strbuf *seen)
{
    CLEANUP(sse) struct sse s = { 0 };

    for (size_t at = 0; at < bytes.len; at += step) {
        struct str piece = { bytes.ptr + at, bytes.len - at < step ? bytes.len - at : step };

        if (sse_feed(&s, piece, note, seen, NULL) < 0)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(strbuf) struct strbuf whole = { 0 };
    CLEANUP(strbuf) struct strbuf pieces = { 0 };
    struct str bytes = { (const char *)data + 1, size - 1 };

    if (size < 2 || size > 65536)
        return 0;
    feed(bytes, bytes.len, &whole);
    feed(bytes, (size_t)data[0] % 16 + 1, &pieces);
    if (!str_eq(strbuf_str(&whole), strbuf_str(&pieces)))
        abort();
    return 0;
}
