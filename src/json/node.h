/*
 * node.h - the private shape of a JSON value, and what the files of this folder share.
 *
 * A node is at once a value and its place among its siblings (`key`, `next`), so putting a value
 * somewhere copies the node, never what hangs below it. A changed container is a new node whose
 * children are copies up to the last change and the old nodes after it.
 *
 * While a container is being parsed, `next` holds the container around it and `len` the amount of
 * white space skipped before it: the parser needs no stack.
 */
#pragma once

#include "base/map.h"
#include "json/json.h"

enum node_flag {
    NODE_SOURCE = 1,      /* `text` is what was parsed; a string has its quotes */
    NODE_ESCAPED = 2,     /* a parsed string with a backslash in it */
    NODE_TIGHT = 4,       /* a parsed container without white space outside strings */
    NODE_KEY_SOURCE = 8,  /* `key` was parsed and stands between quotes */
    NODE_KEY_ESCAPED = 16 /* a parsed key with a backslash in it */
};
#define NODE_KEY_FLAGS (NODE_KEY_SOURCE | NODE_KEY_ESCAPED)

struct json {
    struct json *next, *first;
    union {
        const char *text;  /* parsed value, or built scalar: a string without quotes or escapes */
        struct json *last; /* child of a container under construction */
    };
    const char *key; /* without quotes; NULL: not a member */
    uint32_t len, key_len;
    uint32_t count;
    uint8_t type, flags;
};

static inline bool node_is_container(const struct json *n)
{
    return n->type >= JSON_ARRAY;
}

/* What stands between the quotes of a string, escapes included. */
static inline struct str node_text(const struct json *n)
{
    if (n->flags & NODE_SOURCE)
        return (struct str){ n->text + 1, n->len - 2 };
    return (struct str){ n->text, n->len };
}

static inline struct str node_key(const struct json *n)
{
    return (struct str){ n->key, n->key_len };
}

/* Whether a member has this name; json.c. */
bool node_key_is(const struct json *member, struct str key);

/* A list of children that grows at its end. */
struct node_list {
    struct json *first, *last;
    uint32_t count;
};

/* Append a copy of `value`, named like `like` (NULL: an element of an array). */
struct json *node_list_add(struct node_list *l, struct arena *a, const struct json *value,
                           const struct json *like);

/* A container of these children. */
const struct json *node_container(struct arena *a, enum json_type type, const struct node_list *l);

/* escape.c: texts with escapes ---------------------------------------------------------------- */

/* How a surrogate without its partner is decoded. */
enum lone {
    LONE_REPLACED, /* as U+FFFD: always valid UTF-8 */
    LONE_KEPT      /* as three bytes no valid UTF-8 has: different texts stay different */
};
struct str escape_decode(struct arena *a, struct str raw, enum lone lone);

/* Whether `raw`, decoded with LONE_REPLACED, is `text`. */
bool escape_is(struct str raw, struct str text);

/* members.c: the members of one object by name ------------------------------------------------ */

/* Small objects are searched, larger ones get a table, so that no document takes quadratic time. */
struct members {
    const struct json *object;
    struct arena *scratch; /* for decoded keys */
    struct map map;
};

void members_index(struct members *m, struct arena *scratch, const struct json *object);

/* The last member whose name is that of `like`, or NULL. */
const struct json *members_find(const struct members *m, const struct json *like);

static inline void members_cleanup(struct members *m)
{
    map_release(&m->map);
}

/* number.c ------------------------------------------------------------------------------------ */

bool number_equal(struct str x, struct str y);
