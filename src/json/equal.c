#include "json/node.h"

static bool equal(struct arena *scratch, const struct json *x, const struct json *y,
                  unsigned depth);

static bool equal_strings(struct arena *scratch, const struct json *x, const struct json *y)
{
    struct str tx = node_text(x), ty = node_text(y);

    if (x->flags & NODE_ESCAPED)
        tx = escape_decode(scratch, tx, LONE_KEPT);
    if (y->flags & NODE_ESCAPED)
        ty = escape_decode(scratch, ty, LONE_KEPT);
    return str_eq(tx, ty);
}

static bool equal_arrays(struct arena *scratch, const struct json *x, const struct json *y,
                         unsigned depth)
{
    const struct json *cx = x->first, *cy = y->first;

    while (cx && cy) {
        if (!equal(scratch, cx, cy, depth))
            return false;
        cx = cx->next;
        cy = cy->next;
    }
    return !cx && !cy;
}

/* Members that a later one with the same name does not hide. */
static size_t visible_count(const struct members *m)
{
    size_t count = 0;

    if (m->map.count)
        return m->map.count;
    for (const struct json *child = m->object->first; child; child = child->next)
        count += members_find(m, child) == child ? 1 : 0;
    return count;
}

static bool equal_objects(struct arena *scratch, const struct json *x, const struct json *y,
                          unsigned depth)
{
    CLEANUP(members) struct members mx = { 0 }, my = { 0 };

    members_index(&mx, scratch, x);
    members_index(&my, scratch, y);
    if (visible_count(&mx) != visible_count(&my))
        return false;
    for (const struct json *child = x->first; child; child = child->next) {
        const struct json *other;

        if (members_find(&mx, child) != child)
            continue;
        other = members_find(&my, child);
        if (!other || !equal(scratch, child, other, depth))
            return false;
    }
    return true;
}

static bool equal(struct arena *scratch, const struct json *x, const struct json *y, unsigned depth)
{
    if (x->type != y->type || depth > JSON_DEPTH_LIMIT)
        return false;
    switch (json_type(x)) {
    case JSON_BOOL:
        return json_is_true(x) == json_is_true(y);
    case JSON_NUMBER:
        return number_equal((struct str){ x->text, x->len }, (struct str){ y->text, y->len });
    case JSON_STRING:
        return equal_strings(scratch, x, y);
    case JSON_ARRAY:
        return equal_arrays(scratch, x, y, depth + 1);
    case JSON_OBJECT:
        return equal_objects(scratch, x, y, depth + 1);
    default:
        return true;
    }
}

bool json_equal(const struct json *x, const struct json *y)
{
    CLEANUP(arena) struct arena scratch = { 0 };

    if (!x || !y)
        return x == y;
    return equal(&scratch, x, y, 0);
}
