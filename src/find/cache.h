/*
 * cache.h - what hook files have answered, kept between processes: "answers.json" in the folder of
 * state.
 *
 *     CLEANUP(cache) struct cache *c = cache_open(state_dir);
 *     if (!cache_get(c, &key, &answer)) { ask; cache_put(c, &key, &answer); }
 *     cache_save(c);
 *
 * An answer counts while the file is the one that gave it: same times, size, inode, mode. One that
 * was a failure counts for five minutes, for the fault may lie elsewhere. Any number of processes
 * may use the cache; that it cannot be kept is no failure, the next process asks again.
 */
#pragma once

#include "base/arena.h"

#include <sys/stat.h>

struct cache;

struct cache_key {
    const char *path;
    const char *question;
    const struct stat *st; /* from before the file was asked */
};

struct cache_answer {
    const char *text;    /* NULL: it failed, and */
    const char *failure; /* words that follow the file's name */
};

/* Reads it; the answers live as long as the cache. */
struct cache *cache_open(const char *state_dir);
void cache_free(struct cache *c);

bool cache_get(struct cache *c, const struct cache_key *key, struct cache_answer *out);
void cache_put(struct cache *c, const struct cache_key *key, const struct cache_answer *answer);

/* Write it when there is something new; forgets files that are gone. */
void cache_save(struct cache *c);

static inline void cache_cleanup(struct cache **c)
{
    cache_free(*c);
}
