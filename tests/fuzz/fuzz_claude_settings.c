/* Any bytes are Claude's settings, of the user and of two files of a workspace. */
#include "find/claude_handler.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever was said, an entry is one, and no handler of it runs hooke. */
static void check(struct arena *a, const struct setting *entry)
{
    const struct setting *group = setting_get(entry, "group");

    if (!setting_get(entry, "on") || !group || !setting_get(entry, "name"))
        __builtin_trap();
    for (const struct setting *h = group->first; h; h = h->next) {
        const struct setting *exec = setting_get(h, "exec");

        if (!exec || (exec->kind == SETTING_STRING && claude_handler_runs_hooke(exec->text)))
            __builtin_trap();
    }
    (void)json_text(a, setting_to_json(a, entry));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum source sources[] = { SOURCE_USER, SOURCE_WORKSPACE, SOURCE_WORKSPACE };
    CLEANUP(arena) struct arena a = { 0 };
    struct problems problems = { .arena = &a };
    struct claude_settings c = { &a, &problems, .project = "/repo" };

    for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
        const struct origin file = { .source = sources[i], .file = "settings.json" };
        size_t from = size * i / 4; /* not three times the same */

        claude_settings_read(&c, &file, (struct str){ (const char *)data + from, size - from });
    }
    for (const struct setting *e = c.first; e; e = e->next)
        check(&a, e);
    (void)claude_handler_runs_hooke((struct str){ (const char *)data, size });
    for (const struct problem *p = problems.first; p; p = p->next)
        (void)origin_text(&a, &p->origin);
    return 0;
}
