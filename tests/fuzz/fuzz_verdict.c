/*
 * Verdicts come from hooks that anyone may have written: any JSON is read, and what was understood
 * is written and read again without a difference or a warning.
 */
#include "hook/verdict.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    CLEANUP(strbuf) struct strbuf none = { 0 };
    const struct json *j, *written;
    struct verdict v = { 0 }, again = { 0 };

    if (json_parse(&a, (struct str){ (const char *)data, size }, NULL, &j, NULL) < 0 ||
        verdict_from_json(&a, j, &v, &warnings, NULL) < 0)
        return 0;
    v.modify = NULL; /* never written */
    written = verdict_to_json(&a, &v);
    if (verdict_from_json(&a, written, &again, &none, NULL) < 0 || none.len ||
        !json_equal(written, verdict_to_json(&a, &again)))
        abort();
    return 0;
}
