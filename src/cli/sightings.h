/*
 * sightings.h - what receipts tell of an agent: which of its events came, when, which of its tool
 * calls were seen, and which hooks failed there.
 *
 *     CLEANUP(sightings) struct sightings s = { 0 };
 *     sightings_read(a, receipts, "codex", &s);
 *
 * Only the files of the last SIGHTING_DAYS days are read. Everything but the maps is in the arena.
 */
#pragma once

#include "base/arena.h"
#include "base/map.h"

#define SIGHTING_DAYS 14

struct sighting {
    const char *event; /* in the agent's words */
    size_t count;
    const char *last; /* RFC 3339 */
    struct sighting *next;
};

/* A hook and how it ended of late. */
struct sighting_hook {
    const char *name;
    size_t failed;      /* times in a row, up to the newest run */
    const char *detail; /* of the newest that failed */
    struct sighting_hook *next;
};

struct sightings {
    struct sighting *first; /* in the order they came first */
    const char *last;       /* the newest of all; NULL: none */
    const char *last_event;
    struct sighting_hook *hooks; /* that have failed */
    struct map calls;            /* ids of calls that were seen before the tool ran */
    struct map sessions;         /* id of a session, without subagents: how many calls (size_t *) */
};

void sightings_read(struct arena *a, const char *dir, const char *agent, struct sightings *s);
void sightings_release(struct sightings *s);

/* How often an event came. */
size_t sightings_of(const struct sightings *s, const char *event);

static inline void sightings_cleanup(struct sightings *s)
{
    sightings_release(s);
}
