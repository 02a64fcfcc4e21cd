#include "base/map.h"

#include "base/mem.h"

uint64_t map_hash(uint64_t seed, struct str key)
{
    uint64_t h = seed ? seed : 0xcbf29ce484222325u;

    for (size_t i = 0; i < key.len; i++)
        h = (h ^ (unsigned char)key.ptr[i]) * 0x100000001b3u;
    return h;
}

/* The slot that holds `key`, or the free one where it belongs. The table is never full. */
static struct map_slot *find(struct map_slot *slots, size_t size, struct str key, uint64_t hash)
{
    size_t i = hash & (size - 1);

    while (slots[i].key.ptr && !(slots[i].hash == hash && str_eq(slots[i].key, key)))
        i = (i + 1) & (size - 1);
    return &slots[i];
}

static void grow(struct map *m)
{
    size_t size = m->size ? m->size * 2 : 16;
    struct map_slot *slots = xcalloc(size, sizeof(*slots));

    for (size_t i = 0; i < m->size; i++)
        if (m->slots[i].key.ptr)
            *find(slots, size, m->slots[i].key, m->slots[i].hash) = m->slots[i];
    free(m->slots);
    m->slots = slots;
    m->size = size;
}

void *map_get(const struct map *m, struct str key)
{
    if (!m->count)
        return NULL;
    return find(m->slots, m->size, key, map_hash(0, key))->value;
}

void *map_put(struct map *m, struct str key, void *value)
{
    uint64_t hash = map_hash(0, key);
    struct map_slot *slot;
    void *before;

    if ((m->count + 1) * 4 > m->size * 3)
        grow(m);
    slot = find(m->slots, m->size, key, hash);
    before = slot->value;
    if (!slot->key.ptr) {
        slot->key = key.ptr ? key : STR(""); /* unset marks a free slot */
        slot->hash = hash;
        m->count++;
    }
    slot->value = value;
    return before;
}

void map_release(struct map *m)
{
    free(m->slots);
    *m = (struct map){ 0 };
}
