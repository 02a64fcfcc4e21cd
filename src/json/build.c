/*
 * Making values from nothing.
 */
#include "json/node.h"

#include <math.h>
#include <stdio.h>

static struct json *scalar(struct arena *a, enum json_type type, struct str text)
{
    struct json *n = arena_new(a, struct json);

    n->type = (uint8_t)type;
    n->text = text.ptr ? text.ptr : "";
    n->len = text.len < UINT32_MAX ? (uint32_t)text.len : UINT32_MAX;
    return n;
}

const struct json *json_null(struct arena *a)
{
    return scalar(a, JSON_NULL, STR("null"));
}

const struct json *json_bool(struct arena *a, bool value)
{
    return scalar(a, JSON_BOOL, value ? STR("true") : STR("false"));
}

/* Every event has a few: printf() would take longer than all the rest of its JSON. */
const struct json *json_int(struct arena *a, int64_t value)
{
    uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
    char digits[24];
    size_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left);
    if (value < 0)
        digits[--at] = '-';
    return scalar(a, JSON_NUMBER,
                  str_of(arena_cstr(a, (struct str){ digits + at, sizeof(digits) - at })));
}

/* The locale may have another decimal point; whatever is not part of a number stands for one. */
static void mend_point(char *text)
{
    size_t plain = strspn(text, "-0123456789e+");
    size_t odd = strcspn(text + plain, "-0123456789e+");

    if (odd == 0)
        return;
    text[plain] = '.';
    memmove(text + plain + 1, text + plain + odd, strlen(text + plain + odd) + 1);
}

const struct json *json_double(struct arena *a, double value)
{
    double back;

    if (!isfinite(value))
        return json_null(a);
    for (int digits = 15;; digits++) {
        char text[64];
        const struct json *n;

        snprintf(text, sizeof(text), "%.*g", digits, value);
        mend_point(text);
        n = scalar(a, JSON_NUMBER, str_of(text));
        /* 17 digits always come back as the same number */
        if (digits == 17 || (json_to_double(n, &back) == 0 && back == value))
            return scalar(a, JSON_NUMBER, str_of(arena_strdup(a, text)));
    }
}

const struct json *json_string(struct arena *a, struct str text)
{
    return scalar(a, JSON_STRING, text);
}

const struct json *json_string_copy(struct arena *a, struct str text)
{
    return json_string(a, (struct str){ arena_cstr(a, text), text.len });
}

const struct json *json_cstring(struct arena *a, const char *text)
{
    return text ? json_string(a, str_of(text)) : json_null(a);
}

static struct json *container(struct arena *a, enum json_type type)
{
    struct json *n = arena_new(a, struct json);

    n->type = (uint8_t)type;
    return n;
}

struct json *json_object(struct arena *a)
{
    return container(a, JSON_OBJECT);
}

struct json *json_array(struct arena *a)
{
    return container(a, JSON_ARRAY);
}

struct json *node_list_add(struct node_list *l, struct arena *a, const struct json *value,
                           const struct json *like)
{
    struct json *n = arena_alloc(a, sizeof(*n));

    *n = *value;
    n->next = NULL;
    n->key = like ? like->key : NULL;
    n->key_len = like ? like->key_len : 0;
    n->flags = (uint8_t)((n->flags & ~NODE_KEY_FLAGS) | (like ? like->flags & NODE_KEY_FLAGS : 0));
    if (l->last)
        l->last->next = n;
    else
        l->first = n;
    l->last = n;
    l->count++;
    return n;
}

const struct json *node_container(struct arena *a, enum json_type type, const struct node_list *l)
{
    struct json *n = container(a, type);

    n->first = l->first;
    n->last = l->last;
    n->count = l->count;
    return n;
}

static void append_child(struct arena *a, struct json *parent, const struct json *value,
                         const struct json *like)
{
    struct node_list l = { parent->first, parent->last, parent->count };

    node_list_add(&l, a, value, like);
    parent->first = l.first;
    parent->last = l.last;
    parent->count = l.count;
}

void json_add(struct arena *a, struct json *object, struct str key, const struct json *value)
{
    struct json like = { .key = key.ptr ? key.ptr : "", .key_len = (uint32_t)key.len };

    if (value && object->type == JSON_OBJECT)
        append_child(a, object, value, &like);
}

void json_push(struct arena *a, struct json *array, const struct json *value)
{
    if (value && array->type == JSON_ARRAY)
        append_child(a, array, value, NULL);
}
