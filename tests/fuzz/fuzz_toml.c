/* Any bytes are a document or an error with a line, never a crash. */
#include "find/toml.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct err e = { 0 };
    const struct json *j, *again;
    const char *text;

    if (size > 1 << 16) /* every line makes a new document: that much is enough to try */
        return 0;
    if (toml_parse(&a, (struct str){ (const char *)data, size }, &j, &e) < 0) {
        if (strncmp(e.msg, "line ", 5) != 0)
            abort();
        return 0;
    }
    text = json_text(&a, j);
    if (json_type(j) != JSON_OBJECT || json_parse(&a, str_of(text), NULL, &again, &e) < 0)
        abort();
    return 0;
}
