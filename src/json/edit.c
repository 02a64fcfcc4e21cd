/*
 * Edits. Each makes a new container; what did not change is shared with the old one.
 */
#include "json/node.h"

/* Copies of the first `count` children. Returns the child after them. */
static struct json *add_first(struct node_list *l, struct arena *a, const struct json *parent,
                              size_t count)
{
    struct json *c = parent->first;

    for (; c && count > 0; c = c->next, count--)
        node_list_add(l, a, c, c->key ? c : NULL);
    return c;
}

/* Let the list end in these children of another container; nothing can be added after them. */
static void share_rest(struct node_list *l, struct json *rest)
{
    if (l->last)
        l->last->next = rest;
    else
        l->first = rest;
    for (; rest; rest = rest->next)
        l->count++;
}

/* `object` without the members called `key`, or with `value` in the place of the last of them. */
static const struct json *replace(struct arena *a, const struct json *object, struct str key,
                                  const struct json *value)
{
    const struct json *found = json_get(object, key);
    struct node_list l = { 0 };

    for (const struct json *c = object->first; c != found; c = c->next)
        if (!node_key_is(c, key))
            node_list_add(&l, a, c, c);
    if (value)
        node_list_add(&l, a, value, found);
    share_rest(&l, found->next);
    return node_container(a, JSON_OBJECT, &l);
}

const struct json *json_with(struct arena *a, const struct json *object, struct str key,
                             const struct json *value)
{
    struct json like = { .key = key.ptr ? key.ptr : "", .key_len = (uint32_t)key.len };
    struct node_list l = { 0 };

    if (json_type(object) != JSON_OBJECT)
        object = json_object(a);
    if (json_get(object, key))
        return replace(a, object, key, value);
    if (!value)
        return object;
    add_first(&l, a, object, object->count);
    node_list_add(&l, a, value, &like);
    return node_container(a, JSON_OBJECT, &l);
}

const struct json *json_splice(struct arena *a, const struct json *array, size_t at, size_t remove,
                               const struct json *insert)
{
    struct node_list l = { 0 };
    struct json *rest;

    if (json_type(array) != JSON_ARRAY)
        array = json_array(a);
    if (json_type(insert) != JSON_ARRAY)
        insert = NULL;
    if (json_count(insert) == 0 && (remove == 0 || at >= array->count))
        return array;
    rest = add_first(&l, a, array, at);
    for (; rest && remove > 0; remove--)
        rest = rest->next;
    if (insert)
        add_first(&l, a, insert, insert->count);
    share_rest(&l, rest);
    return node_container(a, JSON_ARRAY, &l);
}

const struct json *json_append(struct arena *a, const struct json *array, const struct json *value)
{
    struct node_list l = { 0 };

    if (json_type(array) != JSON_ARRAY)
        array = json_array(a);
    if (!value)
        return array;
    add_first(&l, a, array, array->count);
    node_list_add(&l, a, value, NULL);
    return node_container(a, JSON_ARRAY, &l);
}
