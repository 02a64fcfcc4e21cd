#include "hook/collector.h"

#include <errno.h>
#include <stdlib.h>

#define ENTRY_PREFIX "entry/"
#define SEQUENCE     "sequence"

char *collector_once_key(struct arena *a, const char *id)
{
    return arena_printf(a, "@once/%s", id);
}

static struct store_key own_key(const struct collector *c, const char *key)
{
    return (struct store_key){ c->session, COLLECTOR_OWNER, key };
}

static char *entry_key(struct arena *a, const struct injection *i)
{
    return arena_printf(a, ENTRY_PREFIX "%s:%s", i->source, i->id);
}

/* Entries as JSON ------------------------------------------------------------------------------ */

static char *entry_encode(struct arena *a, const struct injection *i, int64_t sequence)
{
    struct json *j = json_object(a);

    json_add(a, j, STR("sequence"), json_int(a, sequence));
    json_add(a, j, STR("stamp"), json_int(a, (int64_t)i->stamp));
    json_add(a, j, STR("source"), json_cstring(a, i->source));
    json_add(a, j, STR("id"), json_cstring(a, i->id));
    json_add(a, j, STR("text"), json_cstring(a, i->text));
    json_add(a, j, STR("priority"), json_cstring(a, inject_priority_name(i->priority)));
    json_add(a, j, STR("class"), json_cstring(a, inject_class_name(i->class)));
    json_add(a, j, STR("place"), json_cstring(a, inject_place_name(i->place)));
    json_add(a, j, STR("once"), json_bool(a, i->once));
    if (i->apart)
        json_add(a, j, STR("apart"), json_bool(a, true));
    return json_text(a, j);
}

struct entry {
    struct injection injection;
    int64_t sequence;
};

static int entry_decode(struct arena *a, struct str value, struct entry *out, struct err *e)
{
    struct injection *i = &out->injection;
    const struct json *j;
    int64_t stamp = 0;
    int r = json_parse(a, value, NULL, &j, e);

    if (r < 0)
        return err_wrap(e, r, "an entry of the collector is damaged");
    *out = (struct entry){ 0 };
    i->source = json_cstr(a, json_get(j, STR("source")));
    i->id = json_cstr(a, json_get(j, STR("id")));
    i->text = json_cstr(a, json_get(j, STR("text")));
    i->once = json_is_true(json_get(j, STR("once")));
    i->apart = json_is_true(json_get(j, STR("apart")));
    inject_priority_of(json_str(a, json_get(j, STR("priority"))), &i->priority);
    inject_class_of(json_str(a, json_get(j, STR("class"))), &i->class);
    inject_place_of(json_str(a, json_get(j, STR("place"))), &i->place);
    if (!i->source || !i->id || !i->text ||
        json_to_int64(json_get(j, STR("sequence")), &out->sequence) < 0 ||
        json_to_int64(json_get(j, STR("stamp")), &stamp) < 0)
        return err_set(e, -EBADMSG, "an entry of the collector is damaged");
    i->stamp = (uint64_t)stamp;
    return 0;
}

/* Adding and taking out ------------------------------------------------------------------------ */

struct adding {
    struct injection injection;
    int64_t now; /* counts what was left in this session */
};

/* An entry that is overwritten keeps its place in the order. */
static int decide_add(void *context, struct arena *a, struct str before, struct str *after,
                      struct err *e UNUSED)
{
    struct adding *adding = context;
    int64_t sequence = adding->now;
    struct entry old = { 0 };

    if (str_is_set(before) && entry_decode(a, before, &old, NULL) == 0)
        sequence = old.sequence;
    *after = str_of(entry_encode(a, &adding->injection, sequence));
    return 0;
}

int collector_add(const struct collector *c, const struct injection *i, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct store_key once = { c->session, i->source, collector_once_key(&a, i->id) };
    struct store_key sequence = own_key(c, SEQUENCE), key = own_key(c, entry_key(&a, i));
    struct adding adding = { .injection = *i };
    struct str said = { 0 };
    int r = i->once ? store_get(c->store, &once, &a, &said, e) : 0;

    if (r < 0)
        return r;
    if (str_is_set(said))
        return 0;
    r = store_incr(c->store, &sequence, 1, &adding.now, e);
    if (r < 0)
        return r;
    adding.injection.stamp = (uint64_t)adding.now;
    r = store_update(c->store, &key, decide_add, &adding, e);
    return r < 0 ? r : 1;
}

static int compare_entries(const void *x, const void *y)
{
    const struct entry *a = x, *b = y;
    unsigned rank_a = inject_rank(a->injection.priority);
    unsigned rank_b = inject_rank(b->injection.priority);

    if (rank_a != rank_b)
        return rank_a < rank_b ? -1 : 1;
    return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

int collector_peek(const struct collector *c, struct arena *a, struct injection **list,
                   struct err *e)
{
    struct store_key prefix = own_key(c, ENTRY_PREFIX);
    struct store_entry *stored;
    struct entry *entries;
    size_t count;
    int r = store_list(c->store, &prefix, a, &stored, &count, e);

    if (r < 0)
        return r;
    *list = NULL;
    if (!count)
        return 0;
    entries = arena_array(a, struct entry, count);
    for (size_t i = 0; i < count; i++) {
        r = entry_decode(a, stored[i].value, &entries[i], e);
        if (r < 0)
            return r;
    }
    qsort(entries, count, sizeof(*entries), compare_entries);
    for (size_t i = count; i > 0; i--) {
        entries[i - 1].injection.next = *list;
        *list = &entries[i - 1].injection;
    }
    return 0;
}

char *collector_merge(struct arena *a, const struct injection *list)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };

    for (const struct injection *i = list; i; i = i->next) {
        if (i != list)
            strbuf_addstr(&b, COLLECTOR_SEPARATOR);
        strbuf_addstr(&b, i->text);
    }
    return arena_cstr(a, strbuf_str(&b));
}

static int decide_consume(void *context, struct arena *a, struct str before, struct str *after,
                          struct err *e UNUSED)
{
    const struct injection *placed = context;
    struct entry now = { 0 };

    if (!str_is_set(before) || entry_decode(a, before, &now, NULL) < 0 ||
        now.injection.stamp == placed->stamp)
        *after = (struct str){ 0 };
    return 0;
}

int collector_consume(const struct collector *c, const struct injection *list, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };

    for (const struct injection *i = list; i; i = i->next) {
        struct store_key key = own_key(c, entry_key(&a, i));
        struct store_key once = { c->session, i->source, collector_once_key(&a, i->id) };
        struct injection placed = *i;
        int r = i->once ? store_set(c->store, &once, STR("1"), e) : 0;

        if (r == 0)
            r = store_update(c->store, &key, decide_consume, &placed, e);
        if (r < 0)
            return r;
    }
    return 0;
}

int collector_clear(const struct collector *c, struct err *e)
{
    struct store_key prefix = own_key(c, ENTRY_PREFIX);

    return store_erase(c->store, &prefix, e);
}
