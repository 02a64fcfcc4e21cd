/* The values in force where nobody says otherwise: one list for the engine and for who looks. */
#include "hook/config_merge.h"

static const struct {
    const char *path;
    enum setting_kind kind;
    const char *text;
} defaults[] = {
    { "strict", SETTING_BOOL, "false" },
    { "max_hooks", SETTING_NUMBER, "100" },
    { "event_timeout", SETTING_STRING, "600s" },
    { "compact.auto", SETTING_BOOL, "true" },
    { "compact.ratio", SETTING_NUMBER, "0.80" },
    { "limits.continuations", SETTING_NUMBER, "8" },
    { "limits.processes", SETTING_NUMBER, "16" },
    { "web_fetch.allow_private", SETTING_BOOL, "false" },
};

/* The key inside of its map. */
static const char *key_of(const char *path)
{
    const char *dot = strchr(path, '.');

    return dot ? dot + 1 : path;
}

static struct setting default_setting(size_t i)
{
    return (struct setting){
        .kind = defaults[i].kind,
        .key = str_of(key_of(defaults[i].path)),
        .text = str_of(defaults[i].text),
        .origin = { .source = SOURCE_BUILTIN, .file = "default" },
    };
}

void config_store_defaults(struct config_merge *m)
{
    for (size_t i = 0; i < ARRAY_LEN(defaults); i++) {
        struct setting s = default_setting(i);

        config_store_value(m, defaults[i].path, &s);
    }
}

static struct setting *append(struct arena *a, struct setting *map, const struct setting *s)
{
    struct setting **end = &map->first, *copy = arena_new(a, struct setting);

    *copy = *s;
    copy->next = NULL;
    while (*end)
        end = &(*end)->next;
    *end = copy;
    return copy;
}

/* The map with members of its own, so that adding some leaves the original alone. */
static struct setting *copy_map(struct arena *a, const struct setting *s)
{
    struct setting *copy = arena_new(a, struct setting);

    *copy = *s;
    copy->first = NULL;
    for (const struct setting *c = s->first; c; c = c->next)
        append(a, copy, c);
    return copy;
}

static void copy_members(struct arena *a, struct setting *map)
{
    struct setting *copied = copy_map(a, map);

    map->first = copied->first;
}

/* The map that holds the value; the root itself where the path has no dot. */
static struct setting *find_or_add_map(struct arena *a, struct setting *root, const char *path)
{
    const char *dot = strchr(path, '.');
    struct setting made = { .kind = SETTING_MAP };

    if (!dot)
        return root;
    made.key = str_of(arena_cstr(a, (struct str){ path, (size_t)(dot - path) }));
    for (struct setting *c = root->first; c; c = c->next)
        if (str_eq(c->key, made.key)) {
            copy_members(a, c);
            return c;
        }
    return append(a, root, &made);
}

const struct setting *config_effective(struct arena *a, const struct config *c)
{
    static const struct setting nothing = { .kind = SETTING_MAP };
    struct setting *root = copy_map(a, c->root ? c->root : &nothing);

    for (size_t i = 0; i < ARRAY_LEN(defaults); i++) {
        struct setting s = default_setting(i);
        struct setting *map = find_or_add_map(a, root, defaults[i].path);

        if (!setting_get(map, s.key.ptr))
            append(a, map, &s);
    }
    return root;
}
