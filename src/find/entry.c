#include "find/entry.h"

static struct setting *append(struct setting *to, struct setting *s, const char *key)
{
    struct setting **end = &to->first;

    while (*end)
        end = &(*end)->next;
    *end = s;
    s->key = str_of(key ? key : "");
    s->next = NULL;
    return s;
}

static struct setting *add(struct arena *a, struct setting *to, const char *key,
                           enum setting_kind kind)
{
    struct setting *s = arena_new(a, struct setting);

    s->kind = kind;
    s->text = STR("");
    s->origin = to->origin;
    return append(to, s, key);
}

struct setting *entry_new(struct arena *a, const struct origin *file, const char *name)
{
    struct setting *entry = arena_new(a, struct setting);

    entry->kind = SETTING_MAP;
    entry->text = STR("");
    entry->key = STR("");
    entry->origin = *file;
    entry_text(a, entry, "name", name);
    return entry;
}

struct setting *entry_text(struct arena *a, struct setting *to, const char *key, const char *text)
{
    struct setting *s = add(a, to, key, SETTING_STRING);

    s->text = str_of(text);
    return s;
}

struct setting *entry_list(struct arena *a, struct setting *to, const char *key)
{
    return add(a, to, key, SETTING_LIST);
}

struct setting *entry_copy(struct arena *a, struct setting *to, const char *key,
                           const struct setting *value)
{
    struct setting *s = arena_new(a, struct setting);

    *s = *value;
    return append(to, s, key);
}
