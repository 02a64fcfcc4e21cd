/*
 * place.c - collector_place(): context becomes parts of messages, the same bytes on every render.
 *
 * What was put into a message is kept as an anchor under that message's name: a list of
 * {"text", "first", "tag", "stamps", "names"} in the order it was added. A render applies all
 * anchors of the messages it is given, so history never changes, whatever became of the hooks that
 * had something to say. What was said since the user last spoke is not said again.
 *
 * Anchoring comes before consuming, and an entry whose stamp an anchor has is not anchored again: a
 * process that dies in between, or another one that renders at the same time, neither loses a text
 * nor says it twice.
 */
#include "base/map.h"
#include "hook/collector.h"

#include <inttypes.h>

#define ANCHOR_PREFIX "@anchor/"
#define NEWEST        ANCHOR_PREFIX "newest" /* name of the newest message of the last render */
#define SAID          ANCHOR_PREFIX "said"   /* parts of their own it had since the user spoke */

struct placing {
    const struct collector *c;
    struct arena *arena;
    struct map anchors; /* struct store_entry by key */
    struct map said;    /* names of what is anchored since the user last spoke; of a part of its
                           own the value is this struct, of others the map */
    struct str newest_before;
    bool changed;
};

/* The key of a message's anchor: by its id, or by where it stands. */
static char *anchor_key(struct arena *a, const struct json *message, size_t index)
{
    struct str id = json_str(a, json_get(message, STR("id")));

    if (str_is_set(id))
        return arena_printf(a, ANCHOR_PREFIX "id/%.*s", STR_ARG(id));
    return arena_printf(a, ANCHOR_PREFIX "at/%zu", index);
}

static struct str anchor_of(const struct placing *p, const char *key)
{
    const struct store_entry *entry = p->anchors.count ? map_get(&p->anchors, str_of(key)) : NULL;

    return entry ? entry->value : (struct str){ 0 };
}

static const struct json *put_part(struct arena *a, const struct json *message,
                                   const struct json *anchored)
{
    const char *tag = json_cstr(a, json_get(anchored, STR("tag")));
    const struct json *part =
        inject_part(a, tag ? tag : COLLECTOR_TAG, json_str(a, json_get(anchored, STR("text"))));

    if (json_is_true(json_get(anchored, STR("first"))))
        return inject_before_text(a, message, part);
    return inject_append_part(a, message, part);
}

/* What an entry is and says. */
static char *said_name(struct arena *a, const struct injection *i)
{
    return arena_printf(a, "%s:%s:%016" PRIx64, i->source, i->id, map_hash(0, str_of(i->text)));
}

static void remember_said(struct placing *p, const struct json *anchored)
{
    const struct json *names = json_get(anchored, STR("names"));
    void *value = json_get(anchored, STR("tag")) ? (void *)p : (void *)&p->said;

    for (const struct json *n = json_first(names); n; n = json_next(n))
        map_put(&p->said, json_str(p->arena, n), value);
}

/* For those who may say it again before the next render, one name in a line. */
static int keep_said(const struct placing *p, struct err *e)
{
    struct store_key key = { p->c->session, COLLECTOR_OWNER, SAID };
    CLEANUP(strbuf) struct strbuf names = { 0 };

    for (size_t i = 0; i < p->said.size; i++) {
        const struct map_slot *slot = &p->said.slots[i];

        if (slot->key.ptr && slot->value == p)
            strbuf_printf(&names, "%.*s\n", STR_ARG(slot->key));
    }
    if (str_eq(anchor_of(p, SAID), strbuf_str(&names)))
        return 0;
    return store_set(p->c->store, &key, names.len ? strbuf_str(&names) : (struct str){ 0 }, e);
}

static int read_anchor(const struct placing *p, struct str anchor, const struct json **list,
                       struct err *e)
{
    int r;

    *list = NULL;
    if (!str_is_set(anchor))
        return 0;
    r = json_parse(p->arena, anchor, NULL, list, e);
    return r < 0 ? err_wrap(e, r, "context that was kept for a message is damaged") : 0;
}

/* The message with everything that was ever anchored to it. */
static int replay(struct placing *p, struct str anchor, const struct json **message, struct err *e)
{
    const struct json *list;
    int r = read_anchor(p, anchor, &list, e);

    if (r < 0)
        return r;
    for (const struct json *i = json_first(list); i; i = json_next(i)) {
        *message = put_part(p->arena, *message, i);
        remember_said(p, i);
    }
    return 0;
}

/* Anchoring ------------------------------------------------------------------------------------ */

struct anchoring {
    struct arena *arena; /* outlives the update */
    const struct injection *list;
    bool first;
    struct str result; /* the anchor as it then is */
};

static bool has_stamp(const struct json *anchor, uint64_t stamp)
{
    for (const struct json *i = json_first(anchor); i; i = json_next(i)) {
        const struct json *stamps = json_get(i, STR("stamps"));
        int64_t n;

        for (const struct json *s = json_first(stamps); s; s = json_next(s))
            if (json_to_int64(s, &n) == 0 && (uint64_t)n == stamp)
                return true;
    }
    return false;
}

/* Those that nobody has anchored yet, as one more item of the anchor; NULL: all are there. */
static const struct json *new_item(struct arena *a, const struct anchoring *anchoring,
                                   const struct json *anchor)
{
    struct json *item = json_object(a), *stamps = json_array(a), *names = json_array(a);
    struct injection *fresh = NULL, **end = &fresh;

    for (const struct injection *i = anchoring->list; i; i = i->next) {
        if (has_stamp(anchor, i->stamp))
            continue;
        *end = arena_new(a, struct injection);
        **end = *i;
        (*end)->next = NULL;
        end = &(*end)->next;
        json_push(a, stamps, json_int(a, (int64_t)i->stamp));
        json_push(a, names, json_cstring(a, said_name(a, i)));
    }
    if (!fresh)
        return NULL;
    json_add(a, item, STR("text"), json_cstring(a, collector_merge(a, fresh)));
    json_add(a, item, STR("first"), json_bool(a, anchoring->first));
    if (fresh->apart)
        json_add(a, item, STR("tag"), json_cstring(a, fresh->source));
    json_add(a, item, STR("stamps"), stamps);
    json_add(a, item, STR("names"), names);
    return item;
}

static int decide_anchor(void *context, struct arena *a, struct str before, struct str *after,
                         struct err *e)
{
    struct anchoring *anchoring = context;
    const struct json *anchor = json_array(a), *item;
    int r = str_is_set(before) ? json_parse(a, before, NULL, &anchor, e) : 0;

    if (r < 0)
        return r;
    item = new_item(a, anchoring, anchor);
    if (item)
        *after = str_of(json_text(a, json_append(a, anchor, item)));
    anchoring->result = str_of(arena_cstr(anchoring->arena, *after));
    return 0;
}

static int anchor_list(const struct placing *p, const char *key, const struct injection *list,
                       bool first, struct str *anchor, struct err *e)
{
    struct store_key k = { p->c->session, COLLECTOR_OWNER, key };
    struct anchoring anchoring = { .arena = p->arena, .list = list, .first = first };
    int r = store_update(p->c->store, &k, decide_anchor, &anchoring, e);

    if (r == 0)
        *anchor = anchoring.result;
    return r;
}

/* Placing -------------------------------------------------------------------------------------- */

typedef bool pick_fn(const struct placing *p, const struct injection *i);

static bool is_volatile(const struct placing *p UNUSED, const struct injection *i)
{
    return i->class == INJECT_VOLATILE;
}

static bool is_apart(const struct placing *p UNUSED, const struct injection *i)
{
    return i->apart;
}

static bool was_said(const struct placing *p, const struct injection *i)
{
    return map_get(&p->said, str_of(said_name(p->arena, i))) != NULL;
}

/* Split off the entries that are picked, keeping the order. */
static struct injection *take(const struct placing *p, struct injection **list, pick_fn *pick)
{
    struct injection *taken = NULL, **taken_end = &taken, **at = list;

    while (*at) {
        struct injection *i = *at;

        if (!pick(p, i)) {
            at = &i->next;
            continue;
        }
        *at = i->next;
        i->next = NULL;
        *taken_end = i;
        taken_end = &i->next;
    }
    return taken;
}

static int place_volatile(const struct placing *p, struct injection *list,
                          const struct json **newest, struct err *e)
{
    struct arena *a = p->arena;

    if (!list)
        return 0;
    *newest = inject_append_part(
        a, *newest, inject_part(a, COLLECTOR_TAIL_TAG, str_of(collector_merge(a, list))));
    return collector_consume(p->c, list, e);
}

static int remember_newest(const struct placing *p, const char *key, struct err *e)
{
    struct store_key newest = { p->c->session, COLLECTOR_OWNER, NEWEST };

    if (str_is(p->newest_before, key))
        return 0;
    return store_set(p->c->store, &newest, str_of(key), e);
}

/* Those that share a part, or those that have one each. */
static int anchor_parts(const struct placing *p, const char *key, struct injection *list,
                        bool first, struct str *anchor, struct err *e)
{
    struct injection *own = take(p, &list, is_apart);
    int r = list ? anchor_list(p, key, list, first, anchor, e) : 0;

    if (r == 0 && list)
        r = collector_consume(p->c, list, e);
    while (r == 0 && own) {
        struct injection one = *own;

        one.next = NULL;
        r = anchor_list(p, key, &one, false, anchor, e);
        if (r == 0)
            r = collector_consume(p->c, &one, e);
        own = own->next;
    }
    return r;
}

/* What is pending goes into the newest message, which then has everything `anchor` says. */
static int anchor_pending(const struct placing *p, const char *key, const struct json *message,
                          struct injection *pending, struct str *anchor, struct err *e)
{
    bool unsent = !str_is(p->newest_before, key) && !str_is_set(*anchor);
    bool user = str_is(json_str(p->arena, json_get(message, STR("role"))), "user");
    struct injection *repeated = take(p, &pending, was_said);
    int r = repeated ? collector_consume(p->c, repeated, e) : 0;

    return r < 0 ? r : anchor_parts(p, key, pending, user && unsent, anchor, e);
}

/* The newest message: its anchor with what is pending, and then the volatile part. */
static int place_newest(struct placing *p, const char *key, const struct json **message,
                        struct err *e)
{
    const struct json *bare = *message;
    struct str anchor = anchor_of(p, key);
    struct injection *pending, *fleeting;
    int r = collector_peek(p->c, p->arena, &pending, e);

    if (r < 0)
        return r;
    fleeting = take(p, &pending, is_volatile);
    r = replay(p, anchor, message, e); /* also to know what it says already */
    if (r == 0)
        r = anchor_pending(p, key, bare, pending, &anchor, e);
    if (r == 0) {
        *message = bare;
        r = replay(p, anchor, message, e);
    }
    if (r == 0)
        r = place_volatile(p, fleeting, message, e);
    return r < 0 ? r : remember_newest(p, key, e);
}

static int read_anchors(struct placing *p, struct err *e)
{
    struct store_key prefix = { p->c->session, COLLECTOR_OWNER, ANCHOR_PREFIX };
    struct store_entry *entries;
    size_t count;
    int r = store_list(p->c->store, &prefix, p->arena, &entries, &count, e);

    for (size_t i = 0; r == 0 && i < count; i++)
        map_put(&p->anchors, str_of(entries[i].key), &entries[i]);
    p->newest_before = anchor_of(p, NEWEST);
    return r;
}

/* The model's own words are sent back as they are: nothing is put into them. */
static bool is_models(const struct placing *p, const struct json *message)
{
    return str_is(json_str(p->arena, json_get(message, STR("role"))), "assistant");
}

/* Some agents (OpenCode) keep what tools returned in the message of the model that called them. */
static bool holds_results(const struct placing *p, const struct json *message)
{
    const struct json *content = json_get(message, STR("content"));

    for (const struct json *part = json_first(content); part; part = json_next(part))
        if (str_is(json_str(p->arena, json_get(part, STR("type"))), "tool_result"))
            return is_models(p, message);
    return false;
}

static char *after_key(const struct placing *p, const char *key)
{
    return arena_printf(p->arena, "%s/after", key);
}

/* Where the model can be told nothing in the message, it is in one of our own behind it. */
static int place_after(struct placing *p, const char *key, bool newest, struct json *out,
                       struct err *e)
{
    struct json *none = json_object(p->arena);
    const struct json *message = none;
    const char *after = after_key(p, key);
    int r;

    json_add(p->arena, none, STR("role"), json_cstring(p->arena, "user"));
    json_add(p->arena, none, STR("content"), json_array(p->arena));
    json_add(p->arena, none, STR("internal"), json_bool(p->arena, true));
    r = newest ? place_newest(p, after, &message, e) : replay(p, anchor_of(p, after), &message, e);
    if (r == 0 && message != none) {
        json_push(p->arena, out, message);
        p->changed = true;
    }
    return r;
}

static int place_one(struct placing *p, const struct json *m, size_t index, bool newest,
                     struct json *out, struct err *e)
{
    const struct json *message = m;
    char *key = anchor_key(p->arena, m, index);
    int r;

    if (inject_is_typed(p->arena, m))
        map_release(&p->said);
    if (newest && !is_models(p, m))
        r = place_newest(p, key, &message, e);
    else
        r = replay(p, anchor_of(p, key), &message, e);
    if (r < 0)
        return r;
    p->changed |= message != m;
    json_push(p->arena, out, message);
    return holds_results(p, m) ? place_after(p, key, newest, out, e) : 0;
}

static int place_all(struct placing *p, const struct json *messages, struct json *out,
                     struct err *e)
{
    size_t index = 0, count = json_count(messages);
    int r = 0;

    for (const struct json *m = json_first(messages); r == 0 && m; m = json_next(m), index++)
        r = place_one(p, m, index, index + 1 == count, out, e);
    return r;
}

int collector_place(const struct collector *c, struct arena *a, const struct json *messages,
                    const struct json **placed, struct err *e)
{
    struct placing p = { .c = c, .arena = a };
    struct json *out = json_array(a);
    int r = read_anchors(&p, e);

    if (r == 0)
        r = place_all(&p, messages, out, e);
    if (r == 0)
        r = keep_said(&p, e);
    map_release(&p.anchors);
    map_release(&p.said);
    if (r == 0)
        *placed = p.changed ? out : messages;
    return r;
}

static int note_said(struct placing *p, const char *key, struct err *e)
{
    const struct json *list;
    int r = read_anchor(p, anchor_of(p, key), &list, e);

    for (const struct json *i = r < 0 ? NULL : json_first(list); i; i = json_next(i))
        remember_said(p, i);
    return r;
}

static int read_said(struct placing *p, const struct json *messages, struct err *e)
{
    size_t index = 0;
    int r = 0;

    for (const struct json *m = json_first(messages); r == 0 && m; m = json_next(m), index++) {
        const char *key = anchor_key(p->arena, m, index);

        if (inject_is_typed(p->arena, m))
            map_release(&p->said);
        r = note_said(p, key, e);
        if (r == 0)
            r = note_said(p, after_key(p, key), e);
    }
    return r;
}

int collector_says(const struct collector *c, const struct json *messages,
                   const struct injection *i, bool *says, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct placing p = { .c = c, .arena = &a };
    int r = read_anchors(&p, e);

    if (r == 0)
        r = read_said(&p, messages, e);
    if (r == 0)
        *says = was_said(&p, i);
    map_release(&p.anchors);
    map_release(&p.said);
    return r;
}

static bool has_line(struct str lines, const char *name)
{
    struct str line;

    while (lines.len && str_cut(&lines, '\n', &line))
        if (str_is(line, name))
            return true;
    return false;
}

int collector_said(const struct collector *c, const struct injection *i, bool *said, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct store_key key = { c->session, COLLECTOR_OWNER, SAID };
    const char *name = said_name(&a, i);
    struct injection *pending = NULL;
    struct str names = { 0 };
    int r = store_get(c->store, &key, &a, &names, e);

    if (r == 0)
        r = collector_peek(c, &a, &pending, e);
    if (r < 0)
        return r;
    *said = has_line(names, name);
    for (; pending && !*said; pending = pending->next)
        *said = strcmp(said_name(&a, pending), name) == 0;
    return 0;
}

int collector_forget_anchors(const struct collector *c, struct err *e)
{
    struct store_key prefix = { c->session, COLLECTOR_OWNER, ANCHOR_PREFIX };

    return store_erase(c->store, &prefix, e);
}
