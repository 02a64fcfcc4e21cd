/*
 * Looking at values: members, paths, texts, comparison.
 */
#include "json/json.h"

#include "json/chars.h"
#include "json/node.h"

enum json_type json_type(const struct json *j)
{
    return j ? (enum json_type)j->type : JSON_ABSENT;
}

const char *json_type_name(enum json_type type)
{
    static const char *const names[] = {
        [JSON_ABSENT] = "nothing",   [JSON_NULL] = "null",       [JSON_BOOL] = "a boolean",
        [JSON_NUMBER] = "a number",  [JSON_STRING] = "a string", [JSON_ARRAY] = "an array",
        [JSON_OBJECT] = "an object",
    };

    return (unsigned)type < ARRAY_LEN(names) ? names[type] : names[JSON_ABSENT];
}

bool node_key_is(const struct json *member, struct str key)
{
    if (member->flags & NODE_KEY_ESCAPED)
        return escape_is(node_key(member), key);
    return str_eq(node_key(member), key);
}

const struct json *json_get(const struct json *object, struct str key)
{
    const struct json *last = NULL;

    if (json_type(object) != JSON_OBJECT)
        return NULL;
    for (const struct json *child = object->first; child; child = child->next)
        if (node_key_is(child, key))
            last = child;
    return last;
}

const struct json *json_at(const struct json *array, size_t index)
{
    const struct json *child;

    if (json_type(array) != JSON_ARRAY)
        return NULL;
    for (child = array->first; child && index > 0; index--)
        child = child->next;
    return child;
}

size_t json_count(const struct json *j)
{
    return j && node_is_container(j) ? j->count : 0;
}

const struct json *json_first(const struct json *j)
{
    return j && node_is_container(j) ? j->first : NULL;
}

const struct json *json_next(const struct json *child)
{
    return child ? child->next : NULL;
}

/* "~1" is a slash and "~0" a tilde; any other tilde is an error. */
static bool pointer_decode(struct strbuf *out, struct str token)
{
    for (size_t i = 0; i < token.len; i++) {
        char c = token.ptr[i];

        if (c == '~') {
            if (++i == token.len || (token.ptr[i] != '0' && token.ptr[i] != '1'))
                return false;
            c = token.ptr[i] == '0' ? '~' : '/';
        }
        strbuf_addch(out, c);
    }
    return true;
}

static const struct json *pointer_element(const struct json *array, struct str token)
{
    size_t index = 0;

    if (token.len == 0 || token.len > 9 || (token.len > 1 && token.ptr[0] == '0'))
        return NULL;
    for (size_t i = 0; i < token.len; i++) {
        if (token.ptr[i] < '0' || token.ptr[i] > '9')
            return NULL;
        index = index * 10 + (size_t)(token.ptr[i] - '0');
    }
    return json_at(array, index);
}

static const struct json *pointer_step(const struct json *j, struct str token)
{
    CLEANUP(strbuf) struct strbuf decoded = { 0 };

    if (json_type(j) == JSON_ARRAY)
        return pointer_element(j, token);
    if (!token.len || !memchr(token.ptr, '~', token.len))
        return json_get(j, token);
    return pointer_decode(&decoded, token) ? json_get(j, strbuf_str(&decoded)) : NULL;
}

const struct json *json_pointer(const struct json *j, const char *pointer)
{
    struct str rest = str_of(pointer), token;

    if (!rest.len)
        return j;
    if (pointer[0] != '/')
        return NULL;
    rest = (struct str){ pointer + 1, rest.len - 1 };
    while (j && str_cut(&rest, '/', &token))
        j = pointer_step(j, token);
    return j;
}

struct str json_key(struct arena *a, const struct json *member)
{
    if (!member)
        return (struct str){ 0 };
    if (member->flags & NODE_KEY_ESCAPED)
        return escape_decode(a, node_key(member), LONE_REPLACED);
    return node_key(member);
}

struct str json_source(const struct json *j)
{
    if (!j || !(j->flags & NODE_SOURCE))
        return (struct str){ 0 };
    return (struct str){ j->text, j->len };
}

struct str json_str(struct arena *a, const struct json *j)
{
    if (json_type(j) != JSON_STRING)
        return (struct str){ 0 };
    if (j->flags & NODE_ESCAPED)
        return escape_decode(a, node_text(j), LONE_REPLACED);
    return node_text(j);
}

char *json_cstr(struct arena *a, const struct json *j)
{
    if (json_type(j) != JSON_STRING)
        return NULL;
    if (j->flags & NODE_ESCAPED) /* decoding makes a terminated copy */
        return (char *)(uintptr_t)json_str(a, j).ptr;
    return arena_cstr(a, node_text(j));
}

bool json_is_true(const struct json *j)
{
    return json_type(j) == JSON_BOOL && j->text[0] == 't';
}

bool json_is_utf8(struct str bytes)
{
    const char *p = bytes.ptr, *end = bytes.ptr + bytes.len;

    while (p < end) {
        int len = chars_utf8(p, end);

        if (len < 0)
            return false;
        p += len;
    }
    return true;
}
