#include "serve/tenant.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/vars.h"
#include "hook/registry.h"
#include "serve/inside.h"
#include "serve/watch.h"

#include <errno.h>
#include <stdatomic.h>

struct tenant {
    struct tenants *all;
    struct tenant *next;
    size_t users;  /* guarded by the lock of all */
    bool leaves;   /* nobody will find it again */
    uint64_t hash; /* of the key */
    char *key;
    struct arena arena; /* of the copies */
    const char *cwd, *answering;
    char *const *vars;
    char *refusal; /* of the last change; NULL: it is in force; guarded by the lock of all */
    atomic_bool open;
    pthread_mutex_t lock; /* of opening, and of what follows; not of using the runtime */
    struct runtime rt;
    struct watch watch;
};

void tenants_init(struct tenants *all, struct log *log, int abort_fd)
{
    *all = (struct tenants){ .log = log, .abort_fd = abort_fd };
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->left, NULL);
}

static void tenant_free(struct tenant *t)
{
    if (t->open)
        runtime_close(&t->rt);
    watch_release(&t->watch);
    pthread_mutex_destroy(&t->lock);
    arena_release(&t->arena);
    free(t->refusal);
    free(t->key);
    free(t);
}

static void *see_off(void *context)
{
    struct tenant *t = context;
    struct tenants *all = t->all;

    tenant_free(t);
    pthread_mutex_lock(&all->lock);
    all->leaving--;
    pthread_cond_signal(&all->left);
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

/* It has been counted among the leaving. */
static void part_with(struct tenant *t)
{
    if (serve_thread(see_off, t) != 0)
        see_off(t);
}

void tenants_release(struct tenants *all)
{
    struct tenant *next;

    pthread_mutex_lock(&all->lock);
    while (all->leaving)
        pthread_cond_wait(&all->left, &all->lock);
    pthread_mutex_unlock(&all->lock);
    for (struct tenant *t = all->first; t; t = next) {
        next = t->next;
        tenant_free(t);
    }
    pthread_cond_destroy(&all->left);
    pthread_mutex_destroy(&all->lock);
    *all = (struct tenants){ 0 };
}

/* Finding -------------------------------------------------------------------------------------- */

static bool is_relevant(const char *entry)
{
    return strncmp(entry, "HOME=", 5) == 0 || strncmp(entry, "PATH=", 5) == 0 ||
           strncmp(entry, "XDG_", 4) == 0 || strncmp(entry, "HOOKE_", 6) == 0;
}

/* Two orders of the same variables make two tenants, which costs memory and nothing else. */
static void write_key(struct strbuf *out, const struct tenant_key *key)
{
    CLEANUP(arena) struct arena a = { 0 };
    char *const *vars = key->vars ? key->vars : vars_all();

    strbuf_printf(out, "%s\n%s\n", path_workspace(&a, key->cwd),
                  key->answering ? key->answering : "");
    for (; vars && *vars; vars++)
        if (is_relevant(*vars))
            strbuf_printf(out, "%zu:%s\n", strlen(*vars), *vars);
}

static struct tenant *tenant_new(struct tenants *all, const struct tenant_key *key, struct str text,
                                 uint64_t hash)
{
    struct tenant *t = xcalloc(1, sizeof(*t));

    t->all = all;
    t->hash = hash;
    t->key = xcalloc(1, text.len + 1);
    memcpy(t->key, text.ptr, text.len);
    t->cwd = arena_strdup(&t->arena, key->cwd);
    t->answering = arena_strdup(&t->arena, key->answering);
    t->vars = vars_copy(&t->arena, key->vars ? key->vars : vars_all());
    pthread_mutex_init(&t->lock, NULL);
    return t;
}

/* Called with the lock held, as are the next two. It comes first from now on. */
static struct tenant *find(struct tenants *all, struct str text, uint64_t hash)
{
    for (struct tenant **at = &all->first; *at; at = &(*at)->next) {
        struct tenant *t = *at;

        if (t->hash != hash || strcmp(t->key, text.ptr) != 0)
            continue;
        *at = t->next;
        t->next = all->first;
        all->first = t;
        return t;
    }
    return NULL;
}

/*
 * The last one of the list when there are too many; freed by who gets it, or by its last user. The
 * one to keep is in use, and first.
 */
static struct tenant *drop_oldest(struct tenants *all, const struct tenant *keep)
{
    struct tenant **at = &all->first, *t;

    if (all->count <= TENANTS_MAX)
        return NULL;
    while ((*at)->next)
        at = &(*at)->next;
    t = *at;
    *at = NULL;
    all->count--;
    t->leaves = true;
    if (t->users || t == keep)
        return NULL;
    all->leaving++;
    return t;
}

static struct tenant *find_or_make(struct tenants *all, const struct tenant_key *key)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };
    struct tenant *t, *gone;
    uint64_t hash;

    write_key(&text, key);
    hash = map_hash(0, strbuf_str(&text));
    pthread_mutex_lock(&all->lock);
    t = find(all, strbuf_str(&text), hash);
    if (!t) {
        t = tenant_new(all, key, strbuf_str(&text), hash);
        t->next = all->first;
        all->first = t;
        all->count++;
    }
    t->users++;
    gone = drop_oldest(all, t);
    pthread_mutex_unlock(&all->lock);
    if (gone)
        part_with(gone);
    return t;
}

/* Configuring ---------------------------------------------------------------------------------- */

static void look(struct tenant *t, int64_t before_ms)
{
    struct registry *reg = engine_look(t->rt.engine);

    watch_set(&t->watch, registry_config(reg), before_ms);
    registry_unref(reg);
}

static int move_in(struct tenants *all, struct tenant *t, struct err *e)
{
    struct runtime_options o = { .log = all->log,
                                 .cwd = t->cwd,
                                 .answering = t->answering,
                                 .crowded = true,
                                 .abort_fd = all->abort_fd };
    int64_t before = clock_wall_ms();
    int r = runtime_open(&t->rt, &o, e);

    if (r < 0) {
        runtime_close(&t->rt);
        return r;
    }
    t->open = true;
    look(t, before);
    return 0;
}

static void set_refusal(struct tenant *t, const char *why)
{
    char *now = why ? xstrdup(why) : NULL, *before;

    pthread_mutex_lock(&t->all->lock);
    before = t->refusal;
    t->refusal = now;
    pthread_mutex_unlock(&t->all->lock);
    free(before);
}

/* A configuration that is refused leaves the one before in force, until the files change again. */
static void reconfigure(struct tenants *all, struct tenant *t)
{
    struct runtime_options o = {
        .log = all->log, .cwd = t->cwd, .answering = t->answering, .crowded = true
    };
    int64_t before = clock_wall_ms();
    struct err e = { 0 };
    int r = runtime_configure(&t->rt, &o, &e);

    set_refusal(t, r < 0 ? e.msg : NULL);
    if (r < 0)
        log_warn(all->log, "the configuration of '%s' stays as it was: %s", t->cwd, e.msg);
    if (r != -EMFILE) /* else the next event tries again */
        look(t, before);
}

static int be_ready(struct tenants *all, struct tenant *t, struct err *e)
{
    char *const *before;
    int r = 0;

    if (pthread_mutex_trylock(&t->lock) != 0) {
        if (t->open)
            return 0; /* somebody else looks */
        pthread_mutex_lock(&t->lock);
    }
    before = vars_use(t->vars);
    if (!t->open)
        r = move_in(all, t, e);
    else if (watch_changed(&t->watch))
        reconfigure(all, t);
    vars_use(before);
    pthread_mutex_unlock(&t->lock);
    return r;
}

int tenants_take(struct tenants *all, const struct tenant_key *key, struct tenant **out,
                 struct err *e)
{
    struct tenant *t = find_or_make(all, key);
    int r = be_ready(all, t, e);

    if (r < 0)
        tenants_give(all, t);
    else
        *out = t;
    return r;
}

void tenants_give(struct tenants *all, struct tenant *t)
{
    bool last;

    pthread_mutex_lock(&all->lock);
    last = --t->users == 0 && t->leaves;
    all->leaving += last;
    pthread_mutex_unlock(&all->lock);
    if (last)
        part_with(t);
}

struct runtime *tenant_runtime(struct tenant *t)
{
    return &t->rt;
}

const char *tenant_refusal(struct tenant *t, struct arena *a)
{
    const char *text = NULL;

    pthread_mutex_lock(&t->all->lock);
    if (t->refusal)
        text = arena_printf(a,
                            "the configuration has changed and is refused, the one before is "
                            "in force: %s",
                            t->refusal);
    pthread_mutex_unlock(&t->all->lock);
    return text;
}
