#include "json/node.h"

#define SEARCH_MAX 16u /* members that are searched one by one */

/* Lone surrogates are kept apart here: two keys are the same only if their texts are. */
static struct str name(struct arena *scratch, const struct json *member)
{
    if (member->flags & NODE_KEY_ESCAPED)
        return escape_decode(scratch, node_key(member), LONE_KEPT);
    return node_key(member);
}

static bool same_name(struct arena *scratch, const struct json *x, const struct json *y)
{
    if (!((x->flags | y->flags) & NODE_KEY_ESCAPED))
        return str_eq(node_key(x), node_key(y));
    return str_eq(name(scratch, x), name(scratch, y));
}

void members_index(struct members *m, struct arena *scratch, const struct json *object)
{
    m->object = object;
    m->scratch = scratch;
    if (json_count(object) <= SEARCH_MAX)
        return;
    for (struct json *child = object->first; child; child = child->next)
        map_put(&m->map, name(scratch, child), child);
}

const struct json *members_find(const struct members *m, const struct json *like)
{
    const struct json *last = NULL;

    if (m->map.count)
        return map_get(&m->map, name(m->scratch, like));
    for (const struct json *child = json_first(m->object); child; child = child->next)
        if (same_name(m->scratch, child, like))
            last = child;
    return last;
}
