/* Any bytes are a tree or an error with a place, never a crash. */
#include "base/yaml.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(const struct yaml_node *n, unsigned depth)
{
    if (depth > YAML_MAX_DEPTH || n->place.line == 0)
        abort();
    for (const struct yaml_node *c = n->first; c; c = c->next)
        walk(c, depth + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct err e = { 0 };
    struct yaml_place bad = { 0 };
    struct yaml_node *root;

    if (yaml_parse(&a, (struct str){ (const char *)data, size }, &root, &bad, &e) == 0)
        walk(root, 1);
    else if (e.msg[0] == '\0')
        abort();
    return 0;
}
