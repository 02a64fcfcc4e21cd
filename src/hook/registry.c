#include "hook/registry.h"

#include "base/map.h"
#include "base/mem.h"
#include "hook/chain.h"
#include "hook/hook_make.h"
#include "hook/receipt.h"

#include <errno.h>
#include <stdatomic.h>

#define CALLBACK_ORDER (1u << 24) /* after every entry of the configuration */

/* A configuration outlives its first registry when hooks are added to it later. */
struct shared_config {
    atomic_uint references;
    struct config *config;
};

struct registry {
    atomic_uint references;
    struct arena arena;
    struct shared_config *shared;
    struct config *config;     /* NULL: none */
    struct problems *problems; /* the configuration's, when this is its first registry */
    struct problems repeated;  /* else: what was said then already */
    struct hook **hooks;
    size_t count, room;
    uint64_t generation;
    struct map by_name;
    const struct hook **at[POINT_COUNT];
    size_t at_count[POINT_COUNT];
    const struct cadence *cadences[POINT_COUNT];
    const struct runner *const *runners;
    struct chain_cache chains;
};

static const struct hook_def *find_def(const struct hook_def *const *defs, const char *name)
{
    for (; defs && *defs; defs++)
        if (strcmp((*defs)->name, name) == 0)
            return *defs;
    return NULL;
}

static bool is_used(const char *const *used, const char *name)
{
    for (; used && *used; used++)
        if (strcmp(*used, name) == 0)
            return true;
    return false;
}

static void add_to_list(struct registry *reg, struct hook *h)
{
    reg->hooks = arena_grow(&reg->arena, reg->hooks, reg->count, &reg->room, sizeof(const void *));
    reg->hooks[reg->count++] = h;
}

/* With all its parts; the name is the first one's. */
static void add_hook(struct registry *reg, struct hook *h)
{
    struct str head = receipt_head(&reg->arena, h->name);

    map_put(&reg->by_name, str_of(h->name), h);
    for (; h; h = h->next_part) {
        h->receipt_head = head;
        add_to_list(reg, h);
    }
}

static struct hook_making making(struct registry *reg)
{
    return (struct hook_making){ &reg->arena, reg->config, reg->problems, reg->runners };
}

static void add_builtins(struct registry *reg, const struct registry_sources *from)
{
    const struct hook_making m = making(reg);

    for (const struct hook_def *const *d = from->builtins; d && *d; d++) {
        const struct hook_entry *entry = hook_entry_from(reg->config, 0, (*d)->name);

        if (entry || from->use_builtins || is_used(from->used, (*d)->name))
            add_hook(reg, hook_make_builtin(&m, *d, entry));
    }
}

static bool is_callback(const struct registry_sources *from, const char *name)
{
    for (size_t i = 0; i < from->callback_count; i++)
        if (strcmp(from->callbacks[i].name, name) == 0)
            return true;
    return false;
}

static void add_entries(struct registry *reg, const struct registry_sources *from)
{
    const struct hook_making m = making(reg);

    for (size_t i = 0; reg->config && i < reg->config->hook_count; i++) {
        const struct hook_entry *entry = &reg->config->hooks[i];

        if (entry->duplicate || find_def(from->builtins, entry->name))
            continue;
        if (is_callback(from, entry->name)) {
            problem_add(reg->problems, &entry->origin,
                        "the program has a hook '%s' of its own, choose another name", entry->name);
            continue;
        }
        add_hook(reg, hook_make(&m, entry, (unsigned)i + 1));
    }
}

static void add_callbacks(struct registry *reg, const struct registry_sources *from)
{
    for (size_t i = 0; i < from->callback_count; i++) {
        struct hook *h = arena_new(&reg->arena, struct hook);

        *h = from->callbacks[i];
        h->order = CALLBACK_ORDER + (unsigned)i;
        add_hook(reg, h);
    }
}

/* Switches ------------------------------------------------------------------------------------- */

/* A workspace may switch off what it brought, and built-ins that guard nothing and are nobody's. */
static bool may_disable(const struct registry *reg, const struct disabled_hook *d,
                        const struct hook *h)
{
    const struct hook_entry *entry = hook_entry_from(reg->config, 0, h->name);

    if (d->origin.source != SOURCE_WORKSPACE)
        return true;
    if (h->def && (h->traits.layer == LAYER_GUARD || h->traits.safety_critical))
        return false;
    return entry ? entry->origin.source == SOURCE_WORKSPACE : h->def != NULL;
}

static void apply_disabled(struct registry *reg)
{
    for (size_t i = 0; i < reg->config->disabled_count; i++) {
        const struct disabled_hook *d = &reg->config->disabled[i];
        struct hook *h = map_get(&reg->by_name, str_of(d->name));

        if (!h)
            continue; /* the configuration has said so */
        if (!may_disable(reg, d, h)) {
            problem_add(reg->problems, &d->origin, "a workspace may not disable hook '%s'",
                        d->name);
            continue;
        }
        for (; h; h = h->next_part)
            h->off_because = arena_printf(&reg->arena, "disabled_hooks at %s",
                                          origin_text(&reg->arena, &d->origin));
    }
}

/* What keeps people from harm, and what keeps a session going, is not a matter of taste. */
static void switch_off(struct registry *reg)
{
    for (size_t i = 0; i < reg->count; i++) {
        struct hook *h = reg->hooks[i];

        if (!h->traits.safety_critical && !(h->def && h->def->stays) && !h->off_because)
            h->off_because = "--no-hooks";
    }
}

static bool subscribes(const struct hook *h, enum point point)
{
    for (size_t i = 0; i < h->traits.on_count; i++)
        if (h->traits.on[i].point == point)
            return true;
    return false;
}

static void settle_always(struct registry *reg, struct hook *h)
{
    struct cadence *c = arena_new(&reg->arena, struct cadence);

    *c = *h->cadence;
    cadence_settle_always(c, h->name, reg->problems);
    h->cadence = c;
}

/* The configuration warns of entries; it does not know the points of a built-in. */
static void check_cache(struct registry *reg, const struct hook *h)
{
    const struct cadence *c = h->cadence;

    if (h->traits.place != PLACE_SYSTEM || !subscribes(h, POINT_SYSTEM_TRANSFORM))
        return;
    if (!c || !cadence_gates(c))
        c = reg->cadences[POINT_SYSTEM_TRANSFORM];
    if (c && cadence_gates(c))
        cadence_warn_of_cache(c, h->name, reg->problems);
}

/* "hooks.NAME" among the locked keys, or all of them. */
static bool is_locked(const struct registry *reg, const char *name)
{
    const struct setting *locked = setting_get(reg->config->root, "locked");

    for (const struct setting *l = locked ? locked->first : NULL; l; l = l->next)
        if (str_is(l->text, "hooks") || (str_starts(l->text, STR("hooks.")) &&
                                         strcmp(l->text.ptr + strlen("hooks."), name) == 0))
            return true;
    return false;
}

static void apply_locks(struct registry *reg)
{
    for (size_t i = 0; i < reg->count; i++)
        reg->hooks[i]->locked = is_locked(reg, reg->hooks[i]->name);
}

static void apply_cadences(struct registry *reg)
{
    for (size_t i = 0; i < reg->config->cadence_count; i++) {
        const struct cadence_entry *c = &reg->config->cadences[i];
        struct hook *h = c->is_point ? NULL : map_get(&reg->by_name, str_of(c->name));

        if (c->is_point)
            reg->cadences[c->point] = &c->cadence;
        for (; h; h = h->next_part)
            h->cadence = &c->cadence;
    }
    for (size_t i = 0; i < reg->count; i++) {
        struct hook *h = reg->hooks[i];

        if (!h->cadence && (h->traits.said & KEY_CADENCE))
            h->cadence = &h->traits.cadence;
        if (h->cadence && config_gating(&h->traits) == GATING_NEVER)
            settle_always(reg, h);
        if (h->def)
            check_cache(reg, h);
        if (h->def && h->def->always && h->cadence && cadence_gates(h->cadence))
            problem_warn(reg->problems, &h->cadence->origin,
                         "no cadence holds back '%s': what it has placed once has to be in every "
                         "request; gate the hooks that speak",
                         h->name);
    }
}

/* Order ---------------------------------------------------------------------------------------- */

static int compare_hooks(const void *x, const void *y)
{
    const struct hook *a = *(const struct hook *const *)x, *b = *(const struct hook *const *)y;

    if (a->traits.layer != b->traits.layer)
        return a->traits.layer < b->traits.layer ? -1 : 1;
    if (a->traits.priority != b->traits.priority)
        return a->traits.priority > b->traits.priority ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* The hooks of each point, in one walk over what they subscribe to: most points have none. */
static void list_points(struct registry *reg)
{
    size_t room[POINT_COUNT] = { 0 };

    for (size_t i = 0; i < reg->count; i++)
        for (size_t s = 0; s < reg->hooks[i]->traits.on_count; s++)
            room[reg->hooks[i]->traits.on[s].point]++;
    for (int p = 0; p < POINT_COUNT; p++)
        if (room[p])
            reg->at[p] = arena_array(&reg->arena, const struct hook *, room[p]);
    for (size_t i = 0; i < reg->count; i++) {
        const struct hook *h = reg->hooks[i];

        for (size_t s = 0; s < h->traits.on_count; s++) {
            enum point p = h->traits.on[s].point;
            size_t count = reg->at_count[p];

            if (count == 0 || reg->at[p][count - 1] != h) /* it may name a point twice */
                reg->at[p][reg->at_count[p]++] = h;
        }
    }
}

static void sort_hooks(struct registry *reg)
{
    if (reg->count)
        qsort(reg->hooks, reg->count, sizeof(const void *), compare_hooks);
    list_points(reg);
}

static void share_config(struct registry *reg, const struct registry_sources *from)
{
    reg->problems = &reg->repeated;
    reg->repeated = (struct problems){ .arena = &reg->arena, .end = &reg->repeated.first };
    if (from->same_config) {
        reg->shared = from->same_config->shared;
        atomic_fetch_add(&reg->shared->references, 1);
    } else {
        reg->shared = xcalloc(1, sizeof(*reg->shared));
        atomic_init(&reg->shared->references, 1);
        reg->shared->config = from->config;
        if (from->config)
            reg->problems = &from->config->problems;
    }
    reg->config = reg->shared->config;
}

static void unshare_config(struct registry *reg)
{
    if (atomic_fetch_sub(&reg->shared->references, 1) != 1)
        return;
    config_free(reg->shared->config);
    free(reg->shared);
}

struct registry *registry_new(const struct registry_sources *from)
{
    struct registry *reg = xcalloc(1, sizeof(*reg));

    atomic_init(&reg->references, 1);
    share_config(reg, from);
    reg->runners = from->runners;
    reg->generation = from->generation;
    add_builtins(reg, from);
    add_entries(reg, from);
    add_callbacks(reg, from);
    if (reg->config) {
        apply_disabled(reg);
        apply_locks(reg);
        apply_cadences(reg);
    }
    if (from->no_hooks)
        switch_off(reg);
    sort_hooks(reg);
    return reg;
}

struct registry *registry_ref(struct registry *reg)
{
    atomic_fetch_add_explicit(&reg->references, 1, memory_order_relaxed);
    return reg;
}

static void unload(const struct registry *reg, struct hook *h)
{
    const struct runner *runner = hook_runner(reg->runners, h->runner);

    if (runner && runner->unload && !h->broken)
        runner->unload(h);
}

void registry_unref(struct registry *reg)
{
    if (!reg || atomic_fetch_sub_explicit(&reg->references, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < reg->count; i++)
        if (map_get(&reg->by_name, str_of(reg->hooks[i]->name)) == reg->hooks[i])
            unload(reg, reg->hooks[i]);
    chain_cache_release(&reg->chains);
    map_release(&reg->by_name);
    unshare_config(reg);
    arena_release(&reg->arena);
    free(reg);
}

uint64_t registry_generation(const struct registry *reg)
{
    return reg->generation;
}

const struct config *registry_config(const struct registry *reg)
{
    return reg->config;
}

const struct hook *const *registry_hooks(const struct registry *reg, size_t *count)
{
    *count = reg->count;
    return (const struct hook *const *)reg->hooks;
}

const struct hook *registry_find(const struct registry *reg, const char *name)
{
    return map_get(&reg->by_name, str_of(name));
}

static const struct hook_callback *known_callback(const struct hook *h, const char *name)
{
    const struct hook_callback *cb = h->callbacks;

    while (cb && cb->name && strcmp(cb->name, name) != 0)
        cb++;
    return cb && cb->name ? cb : NULL;
}

const struct hook_callback *registry_callback(const struct registry *reg, const char *name,
                                              const struct hook **hook)
{
    for (size_t i = 0; i < reg->count; i++) {
        const struct hook *h = reg->hooks[i];
        const struct hook_callback *cb = NULL;

        if (!h->off_because)
            cb = h->offer ? h->offer(h, name) : known_callback(h, name);
        if (cb) {
            *hook = h;
            return cb;
        }
    }
    return NULL;
}

const struct hook *const *registry_at(const struct registry *reg, enum point point, size_t *count)
{
    *count = reg->at_count[point];
    return reg->at[point];
}

const struct hook *registry_critical(const struct hook *const *hooks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (hooks[i]->traits.safety_critical && !hooks[i]->off_because && !hooks[i]->traits.observe)
            return hooks[i];
    return NULL;
}

const struct cadence *registry_cadence(const struct registry *reg, const struct hook *h,
                                       enum point point)
{
    const struct cadence *c = reg->cadences[point];

    return c && h && h->locked && c->origin.source != SOURCE_MANAGED ? NULL : c;
}

const struct chain *registry_chain(struct registry *reg, const struct chain_key *key,
                                   struct arena *a)
{
    return chain_find(&reg->chains, key, reg->at[key->point], reg->at_count[key->point], a);
}
