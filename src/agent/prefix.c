#include "agent/prefix.h"

#include "agent/message.h"
#include "base/map.h"
#include "base/mem.h"
#include "hook/collector.h"

#include <stdlib.h>

struct prefix_voice {
    const char *hook;
    uint64_t said;
};

static void release_request(struct prefix_request *q)
{
    arena_release(&q->arena);
    *q = (struct prefix_request){ 0 };
}

void prefix_release(struct prefix *p)
{
    free(p->hashes);
    release_request(&p->last);
    release_request(&p->now);
    *p = (struct prefix){ 0 };
}

void prefix_begin(struct prefix *p)
{
    release_request(&p->now);
}

/* What hooks did ------------------------------------------------------------------------------- */

static void add_voice(struct prefix_request *q, const struct injection *i)
{
    if (i->class != INJECT_PERSISTENT || i->place != PLACE_SYSTEM)
        return;
    q->voices = arena_grow(&q->arena, q->voices, q->count, &q->room, sizeof(*q->voices));
    q->voices[q->count++] =
        (struct prefix_voice){ arena_strdup(&q->arena, i->source), map_hash(0, str_of(i->text)) };
}

/* The one that places what others left is blamed only where nobody else changed anything. */
static const char *last_changer(const struct receipt *r)
{
    const char *name = NULL;

    for (size_t i = 0; i < r->run_count; i++) {
        const char *hook = r->runs[i].hook->name;

        if (r->runs[i].effects & POWER_CHANGE && (!name || strcmp(hook, "context-injector") != 0))
            name = hook;
    }
    return name;
}

void prefix_note(struct prefix *p, const struct receipt *r)
{
    struct prefix_request *q = &p->now;
    const char *changer = last_changer(r);

    changer = changer ? arena_strdup(&q->arena, changer) : NULL;
    if (r->event->point == POINT_MESSAGES_TRANSFORM) {
        q->messages_changer = changer;
        return;
    }
    q->system_changer = changer;
    for (const struct injection *i = r->verdict.injections; i; i = i->next)
        add_voice(q, i);
}

/* Who is to blame ------------------------------------------------------------------------------ */

/* Voices are in the order hooks run: the first that one request has and the other has not there. */
static const char *changed_voice(const struct prefix_request *x, const struct prefix_request *y)
{
    size_t both = x->count < y->count ? x->count : y->count;

    for (size_t i = 0; i < both; i++) {
        const struct prefix_voice *a = &x->voices[i], *b = &y->voices[i];

        if (strcmp(a->hook, b->hook) != 0) /* the one that is missing in the shorter list */
            return x->count > y->count ? a->hook : b->hook;
        if (a->said != b->said)
            return b->hook;
    }
    if (x->count == y->count)
        return NULL;
    return x->count > both ? x->voices[both].hook : y->voices[both].hook;
}

static const char *blame(const struct prefix *p, bool system)
{
    const char *hook;

    if (!system)
        return p->now.messages_changer ? p->now.messages_changer : p->last.messages_changer;
    hook = changed_voice(&p->last, &p->now);
    if (!hook)
        hook = p->now.system_changer ? p->now.system_changer : p->last.system_changer;
    return hook;
}

/* The volatile part is not meant to be cached. */
static uint64_t hash_message(struct arena *a, const struct json *message)
{
    uint64_t h = map_hash(0, message_role(a, message));
    const struct json *part = json_first(message_parts(a, message));

    for (; part; part = json_next(part))
        if (!inject_is_tagged(part, COLLECTOR_TAIL_TAG))
            h = map_hash(h, str_of(json_text(a, part)));
    return h;
}

/* How many of what was sent last are the same now. */
static size_t kept(const struct prefix *p, const uint64_t *now, size_t count)
{
    size_t i = 0;

    while (i < p->count && i < count && p->hashes[i] == now[i])
        i++;
    return i;
}

const char *prefix_sent(struct prefix *p, struct arena *a, const struct json *system,
                        const struct json *messages)
{
    CLEANUP(arena) struct arena scratch = { 0 };
    size_t count = json_count(messages) + 1, i = 0, same;
    uint64_t *now = xcalloc(count, sizeof(*now));
    const char *hook = NULL;

    now[i++] = map_hash(0, str_of(json_text(&scratch, system)));
    for (const struct json *m = json_first(messages); m; m = json_next(m))
        now[i++] = hash_message(&scratch, m);
    same = kept(p, now, count);
    if (same < p->count)
        hook = blame(p, same == 0);
    hook = hook ? arena_strdup(a, hook) : NULL;
    free(p->hashes);
    p->hashes = now;
    p->count = count;
    release_request(&p->last);
    p->last = p->now;
    p->now = (struct prefix_request){ 0 };
    return hook;
}
