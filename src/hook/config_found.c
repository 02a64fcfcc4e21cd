/* Hooks that were found, and what the configuration says of them. */
#include "base/path.h"
#include "hook/config_entry.h"
#include "hook/config_merge.h"
#include "hook/config_source.h"

void config_found_file(struct config_finding *f, const struct config_file *file)
{
    f->files = arena_grow(f->arena, f->files, f->file_count, &f->file_room, sizeof(*f->files));
    f->files[f->file_count] = *file;
    f->files[f->file_count++].found = true;
}

void config_found_watch(struct config_finding *f, const char *path)
{
    f->watched =
        arena_grow(f->arena, f->watched, f->watched_count, &f->watched_room, sizeof(*f->watched));
    f->watched[f->watched_count++] = path;
}

void config_found_entry(struct config_finding *f, struct setting *entry)
{
    struct setting **end = &f->first_entry;

    while (*end)
        end = &(*end)->next;
    entry->found = true;
    entry->next = NULL;
    *end = entry;
}

/* What is configured under the name of a find -------------------------------------------------- */

static const char *name_of(const struct setting *entry)
{
    const struct setting *name = setting_get(entry, "name");

    return name && name->kind == SETTING_STRING ? name->text.ptr : NULL;
}

static bool has_name(const struct setting *entry, const char *name)
{
    const char *own = name_of(entry);

    return own && strcmp(own, name) == 0;
}

/* Whether it says itself what runs, instead of saying something of a hook that is there. */
static bool has_runner(const struct setting *entry)
{
    for (const struct setting *s = entry->first; s; s = s->next)
        if (config_is_runner_key(s->key))
            return true;
    return false;
}

static void put_member(struct arena *a, struct setting *map, const struct setting *s)
{
    struct setting **link = &map->first, *copy = arena_new(a, struct setting);

    while (*link && !str_eq((*link)->key, s->key))
        link = &(*link)->next;
    *copy = *s;
    copy->next = *link ? (*link)->next : NULL;
    *link = copy;
}

/* A key that cannot be read must not take the hook with it. */
static void lay_over(struct config_merge *m, struct setting *found, const struct setting *entry)
{
    for (const struct setting *s = entry->first; s; s = s->next) {
        const struct setting *now = setting_get(found, s->key.ptr);
        struct origin where = setting_key_origin(s);

        if (str_is(s->key, "name"))
            continue;
        if (str_is(s->key, "dialect"))
            problem_add(m->problems, &where, "'dialect' of the found hook '%s' can't be changed",
                        name_of(found));
        else if (s->origin.source == SOURCE_WORKSPACE && now &&
                 now->origin.source < SOURCE_WORKSPACE)
            problem_add(m->problems, &where, "a workspace may not change '%s', it is set at %s",
                        s->key.ptr, origin_text(m->arena, &now->origin));
        else if (config_entry_check(m->arena, m->problems, s))
            put_member(m->arena, found, s);
    }
}

static void refuse_workspace(struct config_merge *m, const struct setting *entry,
                             const struct setting *found)
{
    problem_add(m->problems, &entry->origin, "a workspace file cannot %s '%s', found at %s",
                has_runner(entry) ? "replace the hook" : "set options of the hook", name_of(entry),
                origin_text(m->arena, &found->origin));
}

/* False: the configuration has a hook of its own by that name. */
static bool settle(struct config_merge *m, struct setting *hooks, struct setting *found)
{
    struct setting **link = hooks ? &hooks->first : NULL;

    while (link && *link) {
        struct setting *entry = *link;

        if (entry->found || !has_name(entry, name_of(found))) {
            link = &entry->next;
            continue;
        }
        if (entry->origin.source == SOURCE_WORKSPACE && found->origin.source < SOURCE_WORKSPACE) {
            refuse_workspace(m, entry, found);
        } else if (has_runner(entry)) {
            problem_warn(m->problems, &found->origin,
                         "it is not used, because the hook '%s' is configured at %s",
                         name_of(found), origin_text(m->arena, &entry->origin));
            return false;
        } else {
            lay_over(m, found, entry);
        }
        *link = entry->next;
    }
    return true;
}

static void merge_found(struct config_merge *m, const struct setting *found)
{
    struct setting entry = *found;
    struct setting list = { .kind = SETTING_LIST, .key = STR("hooks"), .origin = found->origin };
    struct setting tree = { .kind = SETTING_MAP, .origin = found->origin, .first = &list };

    entry.next = NULL;
    list.text = STR("");
    list.first = &entry;
    config_merge(m, &tree);
    if (setting_get(found, "when")) /* nobody has checked that one before */
        m->problems->known = false;
}

/* What is configured for nothing that was found ------------------------------------------------ */

static struct setting *member(struct setting *map, const char *key)
{
    for (struct setting *s = map->first; s; s = s->next)
        if (str_is(s->key, key))
            return s;
    return NULL;
}

/* Only finds have a slash in their names unless somebody chose so. */
static bool is_for_nothing(const struct setting *entry)
{
    const char *name = name_of(entry);

    return !entry->found && name && strchr(name, '/') && entry->kind == SETTING_MAP &&
           !setting_get(entry, "on") && !has_runner(entry);
}

static void drop_options_for_nothing(struct config_merge *m, struct setting *hooks)
{
    struct setting **link = &hooks->first;

    while (*link) {
        if (!is_for_nothing(*link)) {
            link = &(*link)->next;
            continue;
        }
        problem_warn(m->problems, &(*link)->origin,
                     "there is no hook '%s' to set options of: no such file is found and trusted",
                     name_of(*link));
        *link = (*link)->next;
    }
}

static const struct setting *found_of_user(const struct setting *hooks, struct str name)
{
    for (const struct setting *h = hooks->first; h; h = h->next)
        if (h->found && h->origin.source < SOURCE_WORKSPACE && has_name(h, name.ptr))
            return h;
    return NULL;
}

/* The files were merged before anybody knew of these hooks. */
static void drop_cadences_of_workspace(struct config_merge *m, const struct setting *hooks,
                                       struct setting *cadences)
{
    struct setting **link = &cadences->first;

    while (*link) {
        if ((*link)->origin.source != SOURCE_WORKSPACE || !found_of_user(hooks, (*link)->key)) {
            link = &(*link)->next;
            continue;
        }
        problem_add(m->problems, &(*link)->origin,
                    "a workspace file cannot set 'hook_cadence.%s': the hook is not the "
                    "workspace's",
                    (*link)->key.ptr);
        *link = (*link)->next;
    }
}

void config_find_hooks(struct config *c, const struct config_where *where,
                       const struct config_sources *sources, struct config_merge *m)
{
    struct config_finding f = {
        .arena = &c->arena,
        .problems = &c->problems,
        .workspace = sources->workspace,
        .home = where->home ? where->home : path_home(),
        .user_dir = sources->user_dir,
        .state_dir = sources->state_dir,
        .trust = sources->trust,
        .answering = where->answering,
        .max_hooks = c->max_hooks,
        .afresh = where->recompile,
        .root = m->root,
    };
    struct setting *hooks, *cadences;

    if (!where->find)
        return;
    where->find(&f);
    for (size_t i = 0; i < f.file_count; i++)
        config_add_file(c, &f.files[i]);
    for (size_t i = 0; i < f.watched_count; i++)
        config_watch(c, f.watched[i]);
    for (struct setting *found = f.first_entry; found; found = found->next)
        if (settle(m, member(m->root, "hooks"), found))
            merge_found(m, found);
    hooks = member(m->root, "hooks");
    cadences = member(m->root, "hook_cadence");
    if (hooks)
        drop_options_for_nothing(m, hooks);
    if (hooks && cadences)
        drop_cadences_of_workspace(m, hooks, cadences);
}
