#include "serve/watch.h"

#include "base/clock.h"
#include "base/mem.h"

/* How coarse the times of files may be. */
#define SETTLED_MS 100

void watch_set(struct watch *w, const struct config *config, int64_t before_ms)
{
    int64_t now = clock_wall_ms(), changed;

    watch_release(w);
    w->list = xcalloc(config->watched_count + 1, sizeof(*w->list));
    for (size_t i = 0; i < config->watched_count; i++) {
        struct watched *one = &w->list[w->count++];

        one->path = xstrdup(config->watched[i]);
        one->id = file_identify(one->path);
        changed = one->id.ctime_ns / 1000000; /* in the future: a clock is wrong, do not insist */
        one->unsure = changed >= before_ms - SETTLED_MS && changed <= now;
    }
}

static bool is_same(const struct file_identity *x, const struct file_identity *y)
{
    return x->exists == y->exists && x->mtime_ns == y->mtime_ns && x->ctime_ns == y->ctime_ns &&
           x->size == y->size && x->inode == y->inode && x->device == y->device &&
           x->mode == y->mode;
}

bool watch_changed(const struct watch *w)
{
    for (size_t i = 0; i < w->count; i++) {
        struct file_identity now = file_identify(w->list[i].path);

        if (w->list[i].unsure || !is_same(&now, &w->list[i].id))
            return true;
    }
    return false;
}

void watch_release(struct watch *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->list[i].path);
    free(w->list);
    *w = (struct watch){ 0 };
}
