/*
 * What acai hooks say of themselves, and how their files begin, is written by anyone: any bytes are
 * read; what is taken has a name, a description and known events.
 */
#include "dialect/acai.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct str text = { (const char *)data, size };
    struct acai_metadata m;
    const char **argv = acai_interpreter(&a, "/hooks/file", text, size & 1 ? 0755 : 0644);

    if (argv && !argv[0])
        abort();
    if (acai_metadata_parse(&a, text, &m, NULL) < 0)
        return 0;
    if (!m.name[0] || !m.description || m.hook_count == 0 || m.hook_count > ACAI_HOOKS)
        abort();
    for (size_t i = 0; i < m.hook_count; i++)
        if (!m.hooks[i].event || (unsigned)m.hooks[i].on.point >= POINT_COUNT)
            abort();
    return 0;
}
