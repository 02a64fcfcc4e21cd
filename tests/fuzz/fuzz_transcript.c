/* Whatever an agent has written, its calls have names. The first byte chooses the agent. */
#include "find/transcript.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const agents[] = { "claude", "codex", "gemini" };
    CLEANUP(arena) struct arena a = { 0 };
    struct transcript t;

    if (size == 0)
        return 0;
    transcript_read(&a, agents[data[0] % 3], (struct str){ (const char *)data + 1, size - 1 }, &t);
    for (size_t i = 0; i < t.count; i++)
        if (!t.calls[i].id || !t.calls[i].tool || !t.calls[i].at)
            abort();
    return 0;
}
