#include "hook/config_merge.h"

#include "base/strbuf.h"

/* Locks -------------------------------------------------------------------------------------- */

/* Whether `path` is `lock` or lies below it. */
static bool is_at_or_below(const char *lock, const char *path)
{
    size_t len = strlen(lock);

    return strncmp(path, lock, len) == 0 && (path[len] == '\0' || path[len] == '.');
}

static const struct setting *find_lock(const struct config_merge *m, const char *path)
{
    if (!m->locked)
        return NULL;
    for (const struct setting *lock = m->locked->first; lock; lock = lock->next)
        if (lock->kind == SETTING_STRING && is_at_or_below(lock->text.ptr, path))
            return lock;
    return NULL;
}

/* A lock on something inside a map holds against replacing the map by something else. */
static const struct setting *find_lock_below(const struct config_merge *m, const char *path)
{
    if (!m->locked)
        return NULL;
    for (const struct setting *lock = m->locked->first; lock; lock = lock->next)
        if (lock->kind == SETTING_STRING && is_at_or_below(path, lock->text.ptr))
            return lock;
    return NULL;
}

static bool is_locked(struct config_merge *m, const char *path, const struct setting *s)
{
    const struct setting *lock = NULL;
    struct origin where = setting_key_origin(s);

    if (s->origin.source != SOURCE_MANAGED)
        lock = find_lock(m, path);
    /* `hooks` is added to, never replaced */
    if (!lock && s->origin.source != SOURCE_MANAGED && s->kind != SETTING_MAP &&
        strcmp(path, "hooks") != 0)
        lock = find_lock_below(m, path);
    if (!lock)
        return false;
    problem_warn(m->problems, &where, "'%s' is locked at %s and stays as it is there", path,
                 origin_text(m->arena, &lock->origin));
    return true;
}

/* Whether a hook is locked by name: "hooks.no-force-push". */
static bool is_hook_locked(struct config_merge *m, const char *hook, const struct setting *s)
{
    const char *path = arena_printf(m->arena, "hooks.%s", hook);
    const struct setting *lock = NULL;

    if (s->origin.source != SOURCE_MANAGED)
        lock = find_lock(m, path);
    if (!lock)
        return false;
    problem_warn(m->problems, &s->origin, "the hook '%s' is locked at %s", hook,
                 origin_text(m->arena, &lock->origin));
    return true;
}

/* The tree ----------------------------------------------------------------------------------- */

static struct setting *find_member(struct setting *map, struct str key)
{
    for (struct setting *s = map->first; s; s = s->next)
        if (str_eq(s->key, key))
            return s;
    return NULL;
}

static struct setting *append(struct arena *a, struct setting *parent, const struct setting *s)
{
    struct setting *copy = arena_new(a, struct setting), **end = &parent->first;

    *copy = *s;
    copy->next = NULL;
    while (*end)
        end = &(*end)->next;
    *end = copy;
    return copy;
}

/* The member of `parent` with the key of `s`, made to be of its kind and empty if it is not. */
static struct setting *member_like(struct arena *a, struct setting *parent, const struct setting *s)
{
    struct setting *now = find_member(parent, s->key), *next;

    if (now && now->kind == s->kind)
        return now;
    if (!now)
        now = append(a, parent, s);
    next = now->next;
    *now = *s;
    now->first = NULL;
    now->next = next;
    return now;
}

/* A key without a value says nothing about a map or a list. */
static bool says_nothing(const struct setting *s, const struct setting *now)
{
    return s->kind == SETTING_NULL && now &&
           (now->kind == SETTING_MAP || now->kind == SETTING_LIST);
}

/* Put `s` into the map `parent`, without asking. */
static void overlay(struct arena *a, struct setting *parent, const struct setting *s)
{
    struct setting *now = find_member(parent, s->key), *next;

    if (says_nothing(s, now))
        return;
    if (s->kind == SETTING_MAP) {
        now = member_like(a, parent, s);
        for (const struct setting *c = s->first; c; c = c->next)
            overlay(a, now, c);
        return;
    }
    if (!now) {
        append(a, parent, s);
        return;
    }
    next = now->next;
    *now = *s;
    now->next = next;
}

static void merge_value(struct config_merge *m, struct setting *parent, const char *path,
                        const struct setting *s)
{
    struct setting *now = find_member(parent, s->key);

    if (says_nothing(s, now))
        return;
    if (is_locked(m, path, s) || !config_check_value(m, path, s))
        return;
    if (s->origin.source == SOURCE_WORKSPACE && !config_workspace_may(m, path, s, now))
        return;
    if (s->kind != SETTING_MAP) {
        config_store_value(m, path, s);
        overlay(m->arena, parent, s);
        return;
    }
    now = member_like(m->arena, parent, s);
    for (const struct setting *c = s->first; c; c = c->next)
        merge_value(m, now, arena_printf(m->arena, "%s.%s", path, c->key.ptr), c);
}

/* The name a lock would have: a foreign event name stands for its point. */
static const char *cadence_name(struct str key)
{
    struct subscription on;

    return point_resolve(key, &on) ? point_info(on.point)->name : key.ptr;
}

/* The cadence of one name is allowed or refused as a whole. */
static void merge_cadences(struct config_merge *m, const struct setting *s)
{
    struct setting *cadences;

    if (is_locked(m, "hook_cadence", s))
        return;
    cadences = member_like(m->arena, m->root, s);
    for (const struct setting *c = s->first; c; c = c->next) {
        const char *path = arena_printf(m->arena, "hook_cadence.%s", cadence_name(c->key));

        if (is_locked(m, path, c) || is_hook_locked(m, c->key.ptr, c))
            continue;
        if (c->origin.source == SOURCE_WORKSPACE &&
            !config_workspace_may(m, path, c, find_member(cadences, c->key)))
            continue;
        overlay(m->arena, cadences, c);
    }
}

/* Lists that add up -------------------------------------------------------------------------- */

static void merge_hooks(struct config_merge *m, const struct setting *s)
{
    struct setting *hooks;

    if (is_locked(m, "hooks", s))
        return;
    hooks = member_like(m->arena, m->root, s);
    for (const struct setting *entry = s->first; entry; entry = entry->next) {
        const struct setting *name = setting_get(entry, "name");

        if (!name || name->kind != SETTING_STRING || !is_hook_locked(m, name->text.ptr, entry))
            append(m->arena, hooks, entry);
    }
}

static bool has_text(const struct setting *list, struct str text)
{
    for (const struct setting *s = list->first; s; s = s->next)
        if (str_eq(s->text, text))
            return true;
    return false;
}

static void merge_disabled(struct config_merge *m, const struct setting *s)
{
    struct setting *disabled;

    if (is_locked(m, "disabled_hooks", s))
        return;
    disabled = member_like(m->arena, m->root, s);
    for (const struct setting *name = s->first; name; name = name->next) {
        if (name->kind != SETTING_STRING || name->text.len == 0) {
            problem_add(m->problems, &name->origin, "expected the name of a hook, not %s",
                        setting_kind_name(name->kind));
            continue;
        }
        if (has_text(disabled, name->text) || is_hook_locked(m, name->text.ptr, name))
            continue;
        if (name->origin.source == SOURCE_WORKSPACE &&
            !config_workspace_may(m, "disabled_hooks", name, NULL))
            continue;
        append(m->arena, disabled, name);
    }
}

static void merge_locked(struct config_merge *m, const struct setting *s)
{
    struct origin where = setting_key_origin(s);

    if (s->origin.source != SOURCE_MANAGED) {
        problem_add(m->problems, &where, "'locked' works in the managed configuration only");
        return;
    }
    for (const struct setting *path = s->first; path; path = path->next)
        if (path->kind != SETTING_STRING)
            problem_add(m->problems, &path->origin, "expected the path of a key, not %s",
                        setting_kind_name(path->kind));
    m->locked = append(m->arena, m->root, s);
}

void config_merge_init(struct config_merge *m)
{
    m->root = arena_new(m->arena, struct setting);
    m->root->kind = SETTING_MAP;
    config_store_defaults(m);
}

void config_merge(struct config_merge *m, const struct setting *tree)
{
    static const struct {
        const char *key;
        void (*merge)(struct config_merge *m, const struct setting *s);
    } special[] = {
        { "hooks", merge_hooks },
        { "disabled_hooks", merge_disabled },
        { "locked", merge_locked },
        { "hook_cadence", merge_cadences },
    };

    for (const struct setting *s = tree->first; s; s = s->next) {
        size_t i = 0;

        if (s->kind == SETTING_NULL)
            continue;
        while (i < ARRAY_LEN(special) && !str_is(s->key, special[i].key))
            i++;
        if (i == ARRAY_LEN(special))
            merge_value(m, m->root, s->key.ptr, s);
        else if (config_check_value(m, s->key.ptr, s))
            special[i].merge(m, s);
    }
}
