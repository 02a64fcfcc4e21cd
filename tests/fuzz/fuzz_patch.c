/* A patch and a text, separated by a NUL: whatever is understood and fits is applied, and applying
 * a patch that only moves or names files changes nothing. */
#include "agent/patch.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool has_hunks(const struct patch_file *f)
{
    return f->hunks != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct str text = { (const char *)data, size }, patch;
    struct patch p;
    size_t count = 0;

    if (size > 16384 || !str_cut(&text, '\0', &patch))
        return 0;
    if (!str_is_set(text))
        text = STR("");
    if (patch_parse(&a, patch, &p, NULL) < 0)
        return 0;
    for (const struct patch_file *f = p.first; f; f = f->next) {
        struct str after;

        count++;
        if (!f->path || !f->path[0])
            abort();
        if (patch_apply(&a, f, text, &after, NULL) == 0 && !has_hunks(f) && !str_eq(text, after))
            abort();
    }
    if (count != p.count)
        abort();
    return 0;
}
