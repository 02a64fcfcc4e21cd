/*
 * Captures may come from anywhere: any text is read or refused. Secrets are taken out of any JSON
 * in one go: a second time finds nothing, and what is left is JSON still.
 */
#include "hook/capture.h"
#include "hook/redact.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void redact_twice(struct arena *a, const struct json *j)
{
    static char secret[] = "SOME_TOKEN=hunter2-hunter2";
    static char *const env[] = { secret, NULL };
    struct redactor r = { .arena = a };
    const struct json *once;
    size_t removed;

    redact_learn(&r, env);
    once = redact_json(&r, j);
    removed = r.removed;
    if (redact_json(&r, once) != once || r.removed != removed)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *j;
    struct captured c;

    if (size > 65536)
        return 0;
    if (capture_read(&a, text, &c, NULL) == 0 && (!c.event.session.id || !c.event.session.id[0]))
        abort();
    if (json_parse(&a, text, NULL, &j, NULL) == 0)
        redact_twice(&a, j);
    return 0;
}
