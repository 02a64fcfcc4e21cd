#include "find/found.h"

#include "base/map.h"

#define NAME_MAX_LEN ((size_t)128)

static bool may_be_in_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
}

const char *found_name(struct config_finding *f, const struct origin *where, const char *prefix,
                       struct str file)
{
    char *name = arena_printf(f->arena, "%s/%.*s", prefix, STR_ARG(file));

    /* what a find may be called besides must fit too */
    if (strlen(name) + strlen("/after/workspace") > NAME_MAX_LEN) {
        problem_warn(f->problems, where, "it is not used: its name is too long");
        return NULL;
    }
    for (char *c = name + strlen(prefix) + 1; *c; c++)
        if (!may_be_in_name(*c))
            *c = '-';
    return name;
}

void found_add(struct found *found, struct setting *entry)
{
    if (found->last)
        found->last->next = entry;
    else
        found->first = entry;
    found->last = entry;
}

static struct setting *name_of(const struct setting *entry)
{
    return entry->first; /* entry_new() begins with it */
}

/* The first of the user by each name; later ones are left out. */
static void claim_for_user(struct found *found, struct map *users)
{
    for (struct setting *e = found->first; e; e = e->next)
        if (e->origin.source != SOURCE_WORKSPACE && !map_get(users, name_of(e)->text))
            map_put(users, name_of(e)->text, e);
}

static void rename_for_workspace(struct config_finding *f, struct setting *e,
                                 const struct setting *user)
{
    const char *was = name_of(e)->text.ptr;

    name_of(e)->text = str_of(arena_printf(f->arena, "%s/workspace", was));
    problem_warn(f->problems, &e->origin,
                 "it does not replace the user's hook '%s' at %s: both run, this one as '%s'", was,
                 origin_text(f->arena, &user->origin), name_of(e)->text.ptr);
}

void found_hand_over(struct found *found)
{
    struct config_finding *f = found->finding;
    CLEANUP(map) struct map users = { 0 };
    CLEANUP(map) struct map taken = { 0 };
    struct setting *next;

    claim_for_user(found, &users);
    for (struct setting *e = found->first; e; e = next) {
        struct setting *user = map_get(&users, name_of(e)->text);
        const struct setting *other;

        next = e->next;
        if (user && e->origin.source == SOURCE_WORKSPACE)
            rename_for_workspace(f, e, user);
        other = map_get(&taken, name_of(e)->text);
        if (!other) {
            map_put(&taken, name_of(e)->text, e);
            config_found_entry(f, e);
            continue;
        }
        problem_warn(f->problems, &e->origin,
                     "it is not used, because the hook '%s' is at %s already: rename it",
                     name_of(e)->text.ptr, origin_text(f->arena, &other->origin));
    }
}
