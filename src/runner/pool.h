/*
 * pool.h - things that are made at need, used by one thread at a time, and wait for the next use.
 */
#pragma once

#include <pthread.h>
#include <stddef.h>

#define POOL_MAX 8

struct pool {
    pthread_mutex_t lock;
    void *idle[POOL_MAX];
    size_t count;
    void (*drop)(void *thing);
};

void pool_init(struct pool *p, void (*drop)(void *thing));
void pool_release(struct pool *p);

/* NULL: none is idle, make one. */
void *pool_take(struct pool *p);

/* Dropped when enough of them wait already. */
void pool_put(struct pool *p, void *thing);
