/* Any bytes are a configuration: settings, hooks, cadences, and what a workspace may not say. */
#include "base/mem.h"
#include "hook/config_merge.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void merge_as(struct config_merge *m, enum source source, struct str text)
{
    const char *file = text.len > 0 && text.ptr[0] == '{' ? "config.json" : "config.yaml";
    const struct origin origin = { .source = source, .file = file };
    struct setting *tree;

    if (setting_parse(m->arena, &origin, text, &tree, NULL, NULL) < 0)
        return;
    (void)json_text(m->arena, setting_to_json(m->arena, tree));
    if (tree->kind == SETTING_MAP)
        config_merge(m, tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const builtins[] = { "loop-guard", NULL };
    static const enum source sources[] = { SOURCE_MANAGED, SOURCE_USER, SOURCE_WORKSPACE };
    CLEANUP(config) struct config *c = xcalloc(1, sizeof(*c));
    struct config_merge m = { .arena = &c->arena, .problems = &c->problems };

    c->problems.arena = &c->arena;
    config_merge_init(&m);
    for (size_t i = 0; i < ARRAY_LEN(sources); i++)
        merge_as(&m, sources[i], (struct str){ (const char *)data, size });
    c->root = m.root;
    config_read_hooks(c, builtins);
    config_read_cadences(c, builtins);
    config_read_disabled(c, builtins);
    for (const struct problem *p = c->problems.first; p; p = p->next)
        (void)origin_text(&c->arena, &p->origin);
    return 0;
}
