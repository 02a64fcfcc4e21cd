/*
 * An exported conversation comes from anywhere: any bytes are read, and what was accepted is
 * written and read again with the same messages.
 */
#include "agent/archive.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool same_rows(const struct conversation_part *x, const struct conversation_part *y)
{
    for (size_t i = 0; i < x->rows.count; i++)
        if (!str_eq(x->rows.list[i].line, y->rows.list[i].line) ||
            x->rows.list[i].at_ms != y->rows.list[i].at_ms)
            return false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf text = { 0 };
    struct archive first, again;

    if (archive_read(&a, (struct str){ (const char *)data, size }, &first, NULL) < 0)
        return 0;
    if (archive_write(&a, &first, &text, NULL) < 0 ||
        archive_read(&a, strbuf_str(&text), &again, NULL) < 0 || again.count != first.count ||
        strcmp(again.about.id, first.about.id) != 0)
        abort();
    for (size_t i = 0; i < first.count; i++)
        if (first.parts[i].rows.count != again.parts[i].rows.count ||
            !same_rows(&first.parts[i], &again.parts[i]))
            abort();
    return 0;
}
