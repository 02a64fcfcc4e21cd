/*
 * Histories come from hooks that anyone may have written: any JSON is looked at, what is taken as a
 * history stays one when it is written down and read again, and one that can be sent is a history.
 */
#include "agent/survival.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct err e = { 0 };
    const struct json *j, *again;

    if (json_parse(&a, (struct str){ (const char *)data, size }, NULL, &j, NULL) < 0)
        return 0;
    for (const struct json *m = json_first(j); m; m = json_next(m))
        if (message_tokens(m) < 0)
            abort();
    (void)survival_of(&a, j, j);
    if (message_check_history(j, &e) < 0) {
        if (message_check(j, &e) == 0)
            abort();
        return 0;
    }
    if (json_parse(&a, str_of(json_text(&a, j)), NULL, &again, NULL) < 0 ||
        message_check_history(again, &e) < 0)
        abort();
    return 0;
}
