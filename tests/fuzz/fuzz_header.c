/* Any bytes begin a hook file: the line that says what it is for, and what describes itself. */
#include "dialect/acai.h"
#include "find/header.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct problems problems = { .arena = &a };
    const struct origin file = { .source = SOURCE_USER, .file = "/h/hook" };
    struct str head = { (const char *)data, size };
    struct acai_metadata m;
    struct setting *map;

    if (header_read(&a, &file, head, &map, &problems) == 0 && map) {
        (void)json_text(&a, setting_to_json(&a, map));
        if (!header_is_there(head) || map->kind != SETTING_MAP)
            __builtin_trap();
    }
    for (const struct problem *p = problems.first; p; p = p->next)
        (void)origin_text(&a, &p->origin);
    (void)acai_interpreter(&a, "/h/hook.py", head, 0755);
    (void)!acai_metadata_parse(&a, head, &m, NULL);
    return 0;
}
