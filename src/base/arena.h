/*
 * arena.h - memory that is freed all at once.
 *
 *     CLEANUP(arena) struct arena a = { 0 };
 *     struct thing *t = arena_new(&a, struct thing);
 *
 * One arena lives as long as one event, one document or one configuration; whatever is handed to a
 * hook is borrowed from it and whatever a hook returns is allocated in it. Nothing is freed singly.
 * arena_reset() forgets everything but keeps the newest block for reuse. Not for several threads.
 */
#pragma once

#include "base/macros.h"
#include "base/str.h"

#include <stdarg.h>

struct arena_block;

struct arena {
    struct arena_block *newest;
    char *next, *end; /* free space of the newest block */
};

/* Uninitialised memory, aligned for any type. Never NULL. */
void *arena_alloc(struct arena *a, size_t size) __attribute__((returns_nonnull));
void *arena_zalloc(struct arena *a, size_t size) __attribute__((returns_nonnull));
void *arena_zalloc_array(struct arena *a, size_t count, size_t size)
    __attribute__((returns_nonnull));

#define arena_new(a, type)          ((type *)arena_zalloc((a), sizeof(type)))
#define arena_array(a, type, count) ((type *)arena_zalloc_array((a), (count), sizeof(type)))

/*
 * A list in the arena that has room for one more item than `count`: `list` itself while there is
 * `*room`, else a longer copy of it. Start with NULL and 0.
 *
 *     b->items = arena_grow(a, b->items, b->count, &b->room, sizeof(*b->items));
 *     b->items[b->count++] = item;
 */
void *arena_grow(struct arena *a, void *list, size_t count, size_t *room, size_t size)
    __attribute__((returns_nonnull));

/* Terminated copies. arena_cstr() of an unset text is NULL. */
char *arena_cstr(struct arena *a, struct str s);
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

void arena_reset(struct arena *a);
void arena_release(struct arena *a);

static inline void arena_cleanup(struct arena *a)
{
    arena_release(a);
}
