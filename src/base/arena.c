#include "base/arena.h"

#include "base/mem.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>

/* Most arenas stay small, and a program that has to start fast pays for every page it touches. */
#define BLOCK_MIN ((size_t)2 << 10)
#define BLOCK_MAX ((size_t)1 << 20)
#define ALIGNMENT alignof(max_align_t)
#define GROW_MIN  4 /* items */

struct arena_block {
    struct arena_block *older;
    size_t size; /* of `data` */
    alignas(max_align_t) char data[];
};

static void add_block(struct arena *a, size_t need)
{
    size_t size = a->newest ? a->newest->size * 2 : BLOCK_MIN;
    struct arena_block *b;

    if (size > BLOCK_MAX)
        size = BLOCK_MAX;
    if (size < need)
        size = need;
    b = xmalloc(sizeof(*b) + size);
    b->older = a->newest;
    b->size = size;
    a->newest = b;
    a->next = b->data;
    a->end = b->data + size;
}

void *arena_alloc(struct arena *a, size_t size)
{
    size_t rounded = (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    void *p;

    if (size > PTRDIFF_MAX) /* adding to it may wrap: let the allocator refuse it */
        rounded = PTRDIFF_MAX;
    if (!a->newest || (size_t)(a->end - a->next) < rounded)
        add_block(a, rounded);
    p = a->next;
    a->next += rounded;
    return p;
}

void *arena_zalloc(struct arena *a, size_t size)
{
    return memset(arena_alloc(a, size), 0, size);
}

void *arena_zalloc_array(struct arena *a, size_t count, size_t size)
{
    size_t total;

    if (__builtin_mul_overflow(count, size, &total))
        total = SIZE_MAX;
    return arena_zalloc(a, total);
}

void *arena_grow(struct arena *a, void *list, size_t count, size_t *room, size_t size)
{
    void *longer;

    if (count < *room)
        return list;
    *room = *room ? *room * 2 : GROW_MIN;
    longer = arena_zalloc_array(a, *room, size);
    if (count)
        memcpy(longer, list, count * size);
    return longer;
}

char *arena_cstr(struct arena *a, struct str s)
{
    char *copy;

    if (!s.ptr)
        return NULL;
    copy = arena_alloc(a, s.len + 1);
    memcpy(copy, s.ptr, s.len);
    copy[s.len] = '\0';
    return copy;
}

char *arena_strdup(struct arena *a, const char *s)
{
    return arena_cstr(a, str_of(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    size_t room = a->newest ? (size_t)(a->end - a->next) : 0, need;
    bool fits;
    va_list ap;
    char *text = a->next;
    int n;

    /* Most texts are short: where this one fits it need not be made twice. */
    va_start(ap, fmt);
    n = vsnprintf(text, room, fmt, ap);
    va_end(ap);
    need = (size_t)(n < 0 ? 0 : n) + 1;
    fits = n >= 0 && need <= room;
    text = arena_alloc(a, need);
    if (fits)
        return text;
    text[0] = '\0';
    va_start(ap, fmt);
    vsnprintf(text, need, fmt, ap);
    va_end(ap);
    return text;
}

static void free_older(struct arena_block *b)
{
    while (b) {
        struct arena_block *older = b->older;

        free(b);
        b = older;
    }
}

void arena_reset(struct arena *a)
{
    if (!a->newest)
        return;
    free_older(a->newest->older);
    a->newest->older = NULL;
    a->next = a->newest->data;
}

void arena_release(struct arena *a)
{
    free_older(a->newest);
    *a = (struct arena){ 0 };
}
