#include "json/node.h"

/* How the texts below a parsed value move: they all lie inside its own. */
struct move {
    struct arena *arena;
    const char *from; /* NULL: the value was built, each text is copied by itself */
    const char *to;
};

static const char *copy_text(const struct move *m, const char *text, size_t len)
{
    if (m->from)
        return m->to + (text - m->from);
    return arena_cstr(m->arena, (struct str){ text, len });
}

/* A parsed key is copied with its quotes, since it is written with them. */
static const char *copy_key(const struct move *m, const struct json *n)
{
    if (!n->key)
        return NULL;
    if (n->flags & NODE_KEY_SOURCE)
        return copy_text(m, n->key - 1, (size_t)n->key_len + 2) + 1;
    return copy_text(m, n->key, n->key_len);
}

static void copy_node(const struct move *around, const struct json *n, struct json *to,
                      unsigned depth)
{
    struct move m = *around;
    struct json **link = &to->first;

    *to = *n;
    to->next = NULL;
    to->key = copy_key(&m, n);
    if (!node_is_container(n) || n->flags & NODE_SOURCE)
        to->text = copy_text(&m, n->text, n->len);
    if (!node_is_container(n))
        return;
    if (n->flags & NODE_SOURCE)
        m = (struct move){ around->arena, n->text, to->text };
    to->first = NULL;
    if (depth >= JSON_DEPTH_LIMIT)
        return;
    for (const struct json *c = n->first; c; c = c->next) {
        struct json *copy = arena_alloc(m.arena, sizeof(*copy));

        copy_node(&m, c, copy, depth + 1);
        *link = copy;
        link = &copy->next;
        if (!(n->flags & NODE_SOURCE))
            to->last = copy;
    }
}

const struct json *json_copy(struct arena *a, const struct json *j)
{
    struct move m = { .arena = a };
    struct json value, *copy;

    if (!j)
        return NULL;
    value = *j;
    value.key = NULL;
    copy = arena_alloc(a, sizeof(*copy));
    copy_node(&m, &value, copy, 0);
    return copy;
}
