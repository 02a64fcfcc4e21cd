/* Settings that come as HOOKE_* variables and as flags. */
#include "base/strbuf.h"
#include "base/vars.h"
#include "hook/config_merge.h"

#include <stdlib.h>

static const struct {
    const char *variable, *path;
} variables[] = {
    { "HOOKE_STRICT", "strict" },
    { "HOOKE_MAX_HOOKS", "max_hooks" },
    { "HOOKE_EVENT_TIMEOUT", "event_timeout" },
    { "HOOKE_DISABLED_HOOKS", "disabled_hooks" },
    { "HOOKE_COMPACT_AUTO", "compact.auto" },
    { "HOOKE_COMPACT_RATIO", "compact.ratio" },
    { "HOOKE_LIMITS_TURNS", "limits.turns" },
    { "HOOKE_LIMITS_CONTINUATIONS", "limits.continuations" },
    { "HOOKE_LIMITS_TOKENS", "limits.tokens" },
    { "HOOKE_LIMITS_COST", "limits.cost" },
    { "HOOKE_LIMITS_PROCESSES", "limits.processes" },
};

static struct setting *new_setting(struct arena *a, const struct origin *origin,
                                   enum setting_kind kind)
{
    struct setting *s = arena_new(a, struct setting);

    s->kind = kind;
    s->text = STR("");
    s->origin = *origin;
    return s;
}

/* One value, read as YAML would read it; what is no scalar there is a text. */
static struct setting *scalar(struct arena *a, const struct origin *origin, const char *text)
{
    const struct origin plain = { .source = origin->source };
    struct setting *s;

    if (setting_parse(a, &plain, str_of(text), &s, NULL, NULL) < 0 || s->kind == SETTING_LIST ||
        s->kind == SETTING_MAP) {
        s = new_setting(a, origin, SETTING_STRING);
        s->text = str_of(arena_strdup(a, text));
    }
    s->origin = *origin;
    return s;
}

static struct setting *names(struct arena *a, const struct origin *origin, const char *text)
{
    struct setting *list = new_setting(a, origin, SETTING_LIST), **end = &list->first;
    struct str rest = str_of(text), name;

    while (str_cut(&rest, ',', &name)) {
        name = str_trim(name);
        if (name.len == 0)
            continue;
        *end = new_setting(a, origin, SETTING_STRING);
        (*end)->text = str_of(arena_cstr(a, name));
        end = &(*end)->next;
    }
    return list;
}

/* A tree with one value in it: {"compact": {"ratio": 0.7}}. A name in hook_cadence has dots. */
static void merge_path(struct config_merge *m, const struct origin *origin, const char *path,
                       const char *text)
{
    struct setting *root = new_setting(m->arena, origin, SETTING_MAP), *parent = root, *value;
    struct str rest = str_of(path), key;

    value = strcmp(path, "disabled_hooks") == 0 ? names(m->arena, origin, text)
                                                : scalar(m->arena, origin, text);
    while (str_cut(&rest, '.', &key)) {
        struct setting *s = new_setting(m->arena, origin, SETTING_MAP);

        if (parent != root && str_is(parent->key, "hook_cadence") && str_is_set(rest)) {
            key.len += rest.len + 1;
            rest = (struct str){ 0 };
        }
        if (!str_is_set(rest))
            s = value;
        s->key = str_of(arena_cstr(m->arena, key));
        parent->first = s;
        parent = s;
    }
    config_merge(m, root);
}

void config_environment(struct config_merge *m)
{
    for (size_t i = 0; i < ARRAY_LEN(variables); i++) {
        const struct origin origin = { .source = SOURCE_ENVIRONMENT,
                                       .file = variables[i].variable };
        const char *text = vars_get(variables[i].variable);

        if (text && text[0])
            merge_path(m, &origin, variables[i].path, text);
    }
}

void config_flags(struct config_merge *m, const struct config_flag *flags)
{
    for (const struct config_flag *f = flags; f && f->key; f++) {
        const struct origin origin = { .source = SOURCE_FLAG,
                                       .file = arena_strdup(m->arena, f->key) };

        merge_path(m, &origin, f->key, f->value ? f->value : "");
    }
}
