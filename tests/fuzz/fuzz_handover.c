/*
 * Whoever connects to the daemon may send anything: a message is refused, or all of its texts end
 * inside it and there are as many as it says.
 */
#include "base/handover.h"
#include "serve/taking.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *text, const char *body, size_t len)
{
    if (text < body || text + strlen(text) >= body + len)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct handover_head head = { 0 };
    struct taking texts = { 0 };
    char *body;

    if (size < 2)
        return 0;
    head.argc = data[0] == 255 ? UINT32_MAX : data[0];
    head.envc = data[1] == 255 ? UINT32_MAX : data[1];
    head.size = (uint32_t)size - 2;
    body = arena_alloc(&a, size - 1);
    memcpy(body, data + 2, head.size);
    body[head.size] = '\0';
    if (!taking_read(&a, &head, body, &texts))
        return 0;
    check(texts.version, body, head.size);
    check(texts.cwd, body, head.size);
    for (uint32_t i = 0; i < head.argc; i++)
        check(texts.argv[i], body, head.size);
    for (uint32_t i = 0; i < head.envc; i++)
        check(texts.vars[i], body, head.size);
    if (texts.argv[head.argc] || texts.vars[head.envc])
        abort();
    return 0;
}
