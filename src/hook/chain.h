/*
 * chain.h - the hooks of one point that match an event, found once per distinct event shape.
 *
 * The cache is read without locks: chains are only ever added, and freed with the registry. So
 * dispatch costs what matches, whatever the number of hooks registered.
 */
#pragma once

#include "hook/registry.h"

#include <stdatomic.h>

#define CHAIN_BUCKETS 256
#define CHAIN_MAX     4096 /* tool names come from outside: past this many, chains are not kept */

struct cached_chain;

struct chain_cache {
    _Atomic(struct cached_chain *) buckets[CHAIN_BUCKETS];
    atomic_uint count;
};

const struct chain *chain_find(struct chain_cache *cache, const struct chain_key *key,
                               const struct hook *const *hooks, size_t count, struct arena *a);
void chain_cache_release(struct chain_cache *cache);
