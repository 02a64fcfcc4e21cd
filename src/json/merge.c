/*
 * RFC 7396. A part of the target that the patch does not change stays the same value, and so does
 * a part of the patch that has no null to drop.
 */
#include "json/node.h"

struct merge {
    struct arena *arena;
    struct arena *scratch;
};

static const struct json *merge(const struct merge *m, const struct json *target,
                                const struct json *patch, unsigned depth);

/* One object being merged into another. */
struct pair {
    struct members target, patch;
    struct node_list out;
    bool changed; /* compared with the target, or with the patch when there is no target */
};

static void pair_cleanup(struct pair *p)
{
    members_cleanup(&p->target);
    members_cleanup(&p->patch);
}

/* Put what becomes of `old` (a member, or NULL) under `change` at the end of the result. */
static void apply(const struct merge *m, struct pair *p, const struct json *old,
                  const struct json *change, unsigned depth)
{
    const struct json *value;

    if (change->type == JSON_NULL) {
        p->changed = true;
        return;
    }
    value = merge(m, old, change, depth);
    if (value != (p->target.object ? old : change))
        p->changed = true;
    node_list_add(&p->out, m->arena, value, old ? old : change);
}

static void walk_target(const struct merge *m, struct pair *p, unsigned depth)
{
    for (const struct json *c = json_first(p->target.object); c; c = c->next) {
        const struct json *change = members_find(&p->patch, c);

        if (!change)
            node_list_add(&p->out, m->arena, c, c);
        else if (members_find(&p->target, c) == c) /* not hidden by a later one */
            apply(m, p, c, change, depth);
    }
}

static void walk_patch(const struct merge *m, struct pair *p, unsigned depth)
{
    for (const struct json *c = p->patch.object->first; c; c = c->next) {
        if (members_find(&p->patch, c) != c)
            p->changed = p->changed || !p->target.object;
        else if (c->type == JSON_NULL && p->target.object)
            continue;
        else if (!members_find(&p->target, c))
            apply(m, p, NULL, c, depth);
    }
}

static const struct json *merge(const struct merge *m, const struct json *target,
                                const struct json *patch, unsigned depth)
{
    CLEANUP(pair) struct pair p = { 0 };

    if (json_type(patch) != JSON_OBJECT || depth > JSON_DEPTH_LIMIT)
        return patch;
    if (json_type(target) != JSON_OBJECT)
        target = NULL;
    members_index(&p.target, m->scratch, target);
    members_index(&p.patch, m->scratch, patch);
    walk_target(m, &p, depth + 1);
    walk_patch(m, &p, depth + 1);
    if (!p.changed)
        return target ? target : patch;
    return node_container(m->arena, JSON_OBJECT, &p.out);
}

const struct json *json_merge(struct arena *a, const struct json *target, const struct json *patch)
{
    CLEANUP(arena) struct arena scratch = { 0 };
    struct merge m = { a, &scratch };

    return patch ? merge(&m, target, patch, 0) : target;
}
