#include "agent/seen.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"

#include <errno.h>
#include <pthread.h>

struct version {
    bool exists;
    int64_t mtime_ns, size;
    uint64_t inode;
};

struct seen_files {
    pthread_mutex_t lock; /* guards the members below */
    struct arena arena;
    struct map versions; /* by path */
};

static struct version version_of(const struct stat *st)
{
    return (struct version){
        .exists = true,
        .mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec,
        .size = st->st_size,
        .inode = st->st_ino,
    };
}

static struct version version_now(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? version_of(&st) : (struct version){ 0 };
}

static bool same(const struct version *x, const struct version *y)
{
    return x->exists == y->exists && x->mtime_ns == y->mtime_ns && x->size == y->size &&
           x->inode == y->inode;
}

struct seen_files *seen_new(void)
{
    struct seen_files *s = xcalloc(1, sizeof(*s));

    pthread_mutex_init(&s->lock, NULL);
    return s;
}

void seen_free(struct seen_files *s)
{
    if (!s)
        return;
    map_release(&s->versions);
    arena_release(&s->arena);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

void seen_forget(struct seen_files *s)
{
    pthread_mutex_lock(&s->lock);
    map_release(&s->versions);
    arena_release(&s->arena);
    pthread_mutex_unlock(&s->lock);
}

void seen_note(struct seen_files *s, const char *path, const struct stat *st)
{
    struct version now = st ? version_of(st) : version_now(path), *known;

    pthread_mutex_lock(&s->lock);
    known = map_get(&s->versions, str_of(path));
    if (!known) {
        known = arena_new(&s->arena, struct version);
        map_put(&s->versions, str_of(arena_strdup(&s->arena, path)), known);
    }
    *known = now;
    pthread_mutex_unlock(&s->lock);
}

int seen_check(struct seen_files *s, const char *path, struct err *e)
{
    struct version now = version_now(path), known = { 0 };
    const struct version *found;

    pthread_mutex_lock(&s->lock);
    found = map_get(&s->versions, str_of(path));
    if (found)
        known = *found;
    pthread_mutex_unlock(&s->lock);
    if (!now.exists)
        return 0;
    if (!found)
        return err_set(e, -ENOENT, "'%s' was not read in this session: read it first", path);
    if (!same(&now, &known))
        return err_set(e, -ESTALE, "'%s' has changed since it was read: read it again", path);
    return 0;
}
