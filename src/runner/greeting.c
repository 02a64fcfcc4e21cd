#include "runner/greeting.h"

#include "base/file.h"
#include "base/map.h"
#include "base/path.h"
#include "base/strbuf.h"

#include <inttypes.h>

#define GREETING_MAX ((size_t)2 << 20)

static char *path_of(struct arena *a, const char *key)
{
    return arena_printf(a, "%s/resident/%016" PRIx64, path_xdg(a, PATH_STATE),
                        map_hash(0, str_of(key)));
}

/* The version, because another one may ask for more; then the identity, then the answer. */
static void write_head(struct strbuf *out, const char *identity)
{
    strbuf_printf(out, "%s %zu\n%s", HOOKE_VERSION, strlen(identity), identity);
}

/* Whatever identity stands in the file, the answer comes behind it. */
static bool find_answer(struct str text, struct str *answer)
{
    const char *newline = text.len ? memchr(text.ptr, '\n', text.len) : NULL;
    const char *space = newline ? memrchr(text.ptr, ' ', (size_t)(newline - text.ptr)) : NULL;
    size_t head = newline ? (size_t)(newline + 1 - text.ptr) : 0;
    unsigned long len = space ? strtoul(space, NULL, 10) : 0;

    if (!space || len > text.len - head)
        return false;
    *answer = (struct str){ text.ptr + head + len, text.len - head - len };
    return true;
}

enum greeting greeting_recall(struct arena *a, const char *key, const char *identity,
                              struct str *answer)
{
    CLEANUP(strbuf) struct strbuf head = { 0 };
    struct str text;

    if (file_read(a, path_of(a, key), GREETING_MAX, &text, NULL) < 0 || !find_answer(text, answer))
        return GREETING_UNKNOWN;
    write_head(&head, identity);
    return str_starts(text, strbuf_str(&head)) ? GREETING_KNOWN : GREETING_OLD;
}

void greeting_keep(const char *key, const char *identity, struct str answer)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf text = { 0 };

    write_head(&text, identity);
    strbuf_add(&text, answer.ptr, answer.len);
    (void)!file_write(path_of(&a, key), strbuf_str(&text), 0600, NULL);
}
