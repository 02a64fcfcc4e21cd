#include "runner/pool.h"

void pool_init(struct pool *p, void (*drop)(void *thing))
{
    p->count = 0;
    p->drop = drop;
    pthread_mutex_init(&p->lock, NULL);
}

void pool_release(struct pool *p)
{
    while (p->count > 0)
        p->drop(p->idle[--p->count]);
    pthread_mutex_destroy(&p->lock);
}

void *pool_take(struct pool *p)
{
    void *thing = NULL;

    pthread_mutex_lock(&p->lock);
    if (p->count > 0)
        thing = p->idle[--p->count];
    pthread_mutex_unlock(&p->lock);
    return thing;
}

void pool_put(struct pool *p, void *thing)
{
    pthread_mutex_lock(&p->lock);
    if (p->count < POOL_MAX) {
        p->idle[p->count++] = thing;
        thing = NULL;
    }
    pthread_mutex_unlock(&p->lock);
    if (thing)
        p->drop(thing);
}
