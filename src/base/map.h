/*
 * map.h - from a name to a pointer. Keys are borrowed and must outlive the map; values are the
 * caller's. All-zero is a valid empty map. Entries are never removed. An unset key counts as "".
 *
 *     for (size_t i = 0; i < m.size; i++)
 *         if (m.slots[i].key.ptr)
 *             use(m.slots[i].value);
 */
#pragma once

#include "base/macros.h"
#include "base/str.h"

#include <stdint.h>

struct map_slot {
    struct str key; /* unset: free */
    uint64_t hash;
    void *value;
};

struct map {
    struct map_slot *slots;
    size_t size; /* a power of two, or 0 */
    size_t count;
};

/* FNV-1a; also good for other small hash tables. `seed` continues an earlier hash, or 0. */
uint64_t map_hash(uint64_t seed, struct str key);

void *map_get(const struct map *m, struct str key);

/* Set the value of `key`. Returns the value it had, or NULL. */
void *map_put(struct map *m, struct str key, void *value);

void map_release(struct map *m);

static inline void map_cleanup(struct map *m)
{
    map_release(m);
}
