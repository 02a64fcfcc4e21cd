#include "agent/shell_env.h"

#include "base/vars.h"
#include "hook/child.h"

#include <unistd.h>

struct listing {
    struct arena *arena;
    const char **list; /* NULL: only counted */
    size_t count;
};

static void add(struct listing *l, const char *entry)
{
    if (l->list)
        l->list[l->count] = entry;
    l->count++;
}

static void remove_secrets(struct listing *l, const struct config *config)
{
    const char *const *key = child_keys(l->arena, config ? config->root : NULL);

    for (; *key; key++)
        add(l, *key);
}

static void remove_own(struct listing *l)
{
    for (char *const *entry = vars_all(); entry && *entry; entry++)
        if (strncmp(*entry, "HOOKE_", 6) == 0)
            add(l, arena_cstr(l->arena, (struct str){ *entry, strcspn(*entry, "=") }));
}

static void add_said(struct listing *l, const struct json *said)
{
    for (const struct json *v = json_first(said); v; v = json_next(v))
        if (json_type(v) == JSON_STRING)
            add(l, arena_printf(l->arena, "%.*s=%s", STR_ARG(json_key(l->arena, v)),
                                json_cstr(l->arena, v)));
}

static void list_all(struct listing *l, const struct config *config, const char *session,
                     const struct json *said)
{
    remove_secrets(l, config);
    remove_own(l);
    add(l, arena_printf(l->arena, "HOOKE_SESSION=%s", session));
    add_said(l, said);
}

const char *const *shell_env(struct arena *a, const struct config *config, const char *session,
                             const struct json *added)
{
    struct listing l = { .arena = a };

    list_all(&l, config, session, added);
    l.list = arena_array(a, const char *, l.count + 1);
    l.count = 0;
    list_all(&l, config, session, added);
    return l.list;
}
