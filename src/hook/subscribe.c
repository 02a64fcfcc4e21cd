#include "hook/subscribe.h"

#include "hook/config_entry.h"

/* More than there are points, with room for matchers; a program that wants more is mistaken. */
#define SUBSCRIPTIONS_MAX 256

static const char *const keys[] = { "point",    "tool",    "agent", "session", "layer",
                                    "priority", "timeout", "mode",  NULL };
static const char *const match_keys[] = { "tool", "agent", "session", NULL };

/* Reading -------------------------------------------------------------------------------------- */

static bool is_among(const char *const *names, struct str key)
{
    while (*names && !str_is(key, *names))
        names++;
    return *names;
}

static void read_key(struct entry_reading *r, const struct json *member,
                     const char *const *known_keys)
{
    struct str key = json_key(r->arena, member);
    struct setting *s;

    if (!is_among(known_keys, key)) {
        config_entry_refuse(r, &r->entry->origin, "unknown key '%.80s'", arena_cstr(r->arena, key));
        return;
    }
    s = setting_from_json(r->arena, &r->entry->origin, member);
    s->key = str_is(key, "point") ? STR("on") : str_of(arena_cstr(r->arena, key));
    config_entry_key(r, s);
}

/* What events must match may stand together in `match`, or beside the rest. */
static void read_member(struct entry_reading *r, const struct json *member)
{
    bool match = str_is(json_key(r->arena, member), "match");

    if (!match)
        read_key(r, member, keys);
    else if (json_type(member) != JSON_OBJECT)
        config_entry_refuse(r, &r->entry->origin, "'match' must be an object, not %s",
                            json_type_name(json_type(member)));
    else
        for (const struct json *m = json_first(member); m; m = json_next(m))
            read_key(r, m, match_keys);
}

/* What the subscription says, under what the entry says. */
static struct hook_traits lay_under(const struct hook_traits *entry, const struct hook_traits *sub)
{
    struct hook_traits t = *entry;

    hook_lay_over(&t, sub);
    if (sub->observe) {
        t.observe = true;
        t.layer = sub->said & KEY_LAYER ? sub->layer : LAYER_OBSERVE;
    }
    hook_lay_over(&t, entry);
    if (entry->said & (KEY_LAYER | KEY_MODE)) {
        t.observe = entry->observe;
        t.layer = entry->layer;
    }
    t.on = sub->on;
    t.on_count = sub->on_count;
    return t;
}

static bool overlap(const struct subscription *x, const struct subscription *y)
{
    return x->point == y->point &&
           (x->session == y->session || x->session == SESSION_ANY || y->session == SESSION_ANY) &&
           (x->result == y->result || x->result == RESULT_ANY || y->result == RESULT_ANY);
}

/* The point that a set of traits shares with an earlier one, or with itself; NULL: none. */
static const char *find_overlap(const struct subscribed *s, const struct hook_traits *t)
{
    for (size_t i = 0; i < t->on_count; i++) {
        for (size_t j = 0; j < i; j++)
            if (overlap(&t->on[i], &t->on[j]))
                return point_info(t->on[i].point)->name;
        for (size_t k = 0; k < s->count; k++)
            for (size_t j = 0; j < s->traits[k].on_count; j++)
                if (overlap(&t->on[i], &s->traits[k].on[j]))
                    return point_info(t->on[i].point)->name;
    }
    return NULL;
}

/* False: problems say why it is left out. */
static bool read_one(struct arena *a, const struct json *j, struct hook_entry *sub,
                     struct problems *problems)
{
    struct entry_reading r = { .arena = a, .problems = problems, .entry = sub };

    if (json_type(j) != JSON_OBJECT) {
        problem_add(problems, &sub->origin, "expected an object, not %s",
                    json_type_name(json_type(j)));
        return false;
    }
    for (const struct json *m = json_first(j); m; m = json_next(m))
        read_member(&r, m);
    if (!r.bad && sub->traits.on_count == 0)
        config_entry_refuse(&r, &sub->origin, "it names no 'point'");
    return !r.bad;
}

static void add_one(struct arena *a, const struct hook_entry *entry, const struct json *j,
                    struct subscribed *s, struct problems *problems)
{
    struct problems found = { .arena = a };
    struct hook_entry sub = { .name = entry->name, .origin = entry->origin };
    struct hook_traits t;
    const char *twice = NULL;
    bool good;

    found.end = &found.first;
    good = read_one(a, j, &sub, &found);
    if (good) {
        t = lay_under(&entry->traits, &sub.traits);
        twice = find_overlap(s, &t);
    }
    if (twice)
        problem_add(&found, &entry->origin, "'%s' is subscribed to already", twice);
    for (const struct problem *p = found.first; p; p = p->next)
        problem_add(problems, &entry->origin, "hook '%s', a subscription: %s", entry->name,
                    p->message);
    if (sub.traits.tool && (!good || twice || (entry->traits.said & KEY_TOOL)))
        match_release(sub.traits.tool);
    if (sub.traits.agent && (!good || twice || (entry->traits.said & KEY_AGENT)))
        match_release(sub.traits.agent);
    if (good && !twice)
        s->traits[s->count++] = t;
}

struct subscribed subscribe_read(struct arena *a, const struct hook_entry *entry,
                                 const struct json *list, struct problems *problems)
{
    struct subscribed s = { .traits = arena_array(a, struct hook_traits, SUBSCRIPTIONS_MAX) };
    size_t count = 0;

    if (list && json_type(list) != JSON_ARRAY)
        problem_add(problems, &entry->origin, "hook '%s': its subscriptions are no list",
                    entry->name);
    for (const struct json *j = json_type(list) == JSON_ARRAY ? json_first(list) : NULL;
         j && count < SUBSCRIPTIONS_MAX; j = json_next(j), count++)
        add_one(a, entry, j, &s, problems);
    return s;
}

void subscribe_release(const struct hook_entry *entry, const struct subscribed *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (!(entry->traits.said & KEY_TOOL))
            match_release(s->traits[i].tool);
        if (!(entry->traits.said & KEY_AGENT))
            match_release(s->traits[i].agent);
    }
}

void subscribe_hook(struct arena *a, struct hook *h, const struct subscribed *s)
{
    if (s->count)
        h->traits = s->traits[0];
    for (size_t i = s->count; i-- > 1;)
        hook_add_part(a, h, &s->traits[i]);
}
