/* Any bytes become a text that is not much longer. */
#include "agent/html.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };

    if (size > 65536)
        return 0;
    html_to_text((struct str){ (const char *)data, size }, &out);
    if (out.len > 4 * size + 16)
        abort();
    return 0;
}
