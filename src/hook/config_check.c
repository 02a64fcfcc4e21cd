/* What may stand where at the top level, and what of it a workspace may say. */
#include "base/strbuf.h"
#include "hook/config_merge.h"
#include "hook/option.h"

#include <stdio.h>

#define LARGEST ((int64_t)1 << 53)

static const struct option scalars[] = {
    OPTION_BOOL("strict", struct config_values, strict, NULL, ""),
    OPTION_TEXT("model", struct config_values, model, NULL, ""),
    OPTION_INT("max_hooks", struct config_values, max_hooks, NULL, 0, 100000, ""),
    OPTION_TIME("event_timeout", struct config_values, event_timeout, NULL, ""),
    OPTION_BOOL("compact.auto", struct config_values, compact_auto, NULL, ""),
    OPTION_NUMBER("compact.ratio", struct config_values, compact_ratio, NULL, 0, 1, ""),
    OPTION_INT("limits.turns", struct config_values, turns, NULL, 1, UINT32_MAX, ""),
    OPTION_INT("limits.continuations", struct config_values, continuations, NULL, 0, UINT32_MAX,
               ""),
    OPTION_NUMBER("limits.cost", struct config_values, cost, NULL, 0, LARGEST, ""),
    OPTION_INT("limits.tokens", struct config_values, tokens, NULL, 1, LARGEST, ""),
    OPTION_INT("limits.processes", struct config_values, processes, NULL, 1, 100000, ""),
    OPTION_BOOL("web_fetch.allow_private", struct config_values, fetch_private, NULL, ""),
    OPTION_END,
};

static const struct {
    const char *key;
    enum setting_kind kind;
} containers[] = {
    { "hooks", SETTING_LIST },     { "disabled_hooks", SETTING_LIST },
    { "locked", SETTING_LIST },    { "hook_cadence", SETTING_MAP },
    { "compact", SETTING_MAP },    { "limits", SETTING_MAP },
    { "agents", SETTING_MAP },     { "providers", SETTING_MAP },
    { "permission", SETTING_MAP }, { "categories", SETTING_MAP },
    { "web_fetch", SETTING_MAP },
};

/* All keys beside `path`: those of the top level, or those of the map it is in. */
static const char *nearest_key(const char *path)
{
    const char *known[ARRAY_LEN(scalars) + ARRAY_LEN(containers)];
    const char *dot = strchr(path, '.');
    size_t count = 0, prefix = dot ? (size_t)(dot - path) + 1 : 0;

    for (const struct option *o = scalars; o->name; o++)
        if (prefix ? strncmp(o->name, path, prefix) == 0 : !strchr(o->name, '.'))
            known[count++] = o->name + prefix;
    for (size_t i = 0; !prefix && i < ARRAY_LEN(containers); i++)
        known[count++] = containers[i].key;
    return str_nearest(path + prefix, known, count);
}

static bool refuse_unknown(struct config_merge *m, const char *path, const struct setting *s)
{
    struct origin where = setting_key_origin(s);

    problem_add(m->problems, &where, "unknown key '%s'%s", path,
                config_did_you_mean(m->arena, nearest_key(path)));
    return false;
}

/* From the mildest to the strictest. */
static const char *const permissions[] = { "allow", "ask", "deny" };

static int strictness(const struct setting *s)
{
    for (size_t i = 0; s && s->kind == SETTING_STRING && i < ARRAY_LEN(permissions); i++)
        if (str_is(s->text, permissions[i]))
            return (int)i;
    return -1;
}

/* A word that means nothing would let everything through. */
static bool check_permission(struct config_merge *m, const char *path, const struct setting *s)
{
    if (strictness(s) >= 0)
        return true;
    problem_add(m->problems, &s->origin, "'%s' must be 'allow', 'ask' or 'deny', not %s", path,
                s->kind == SETTING_STRING ? arena_printf(m->arena, "'%s'", s->text.ptr)
                                          : setting_kind_name(s->kind));
    return false;
}

bool config_check_value(struct config_merge *m, const char *path, const struct setting *s)
{
    const struct option *o = option_find(scalars, str_of(path));
    struct config_values scratch = m->values;
    const char *dot = strchr(path, '.');

    /* Nothing is stored yet: a workspace may still be refused. */
    if (o)
        return option_set(m->arena, o, s, &scratch, m->problems);
    if (strncmp(path, "compact.", 8) == 0 || strncmp(path, "limits.", 7) == 0 ||
        strncmp(path, "web_fetch.", 10) == 0)
        return refuse_unknown(m, path, s);
    if (strncmp(path, "permission.", 11) == 0)
        return check_permission(m, path, s);
    if (dot)
        return true;
    for (size_t i = 0; i < ARRAY_LEN(containers); i++) {
        if (strcmp(path, containers[i].key) != 0)
            continue;
        if (s->kind == containers[i].kind)
            return true;
        problem_add(m->problems, &s->origin, "'%s' must be %s, not %s", path,
                    setting_kind_name(containers[i].kind), setting_kind_name(s->kind));
        return false;
    }
    return refuse_unknown(m, path, s);
}

void config_store_value(struct config_merge *m, const char *path, const struct setting *s)
{
    const struct option *o = option_find(scalars, str_of(path));

    if (o)
        (void)option_set(m->arena, o, s, &m->values, m->problems);
}

/* Workspace ---------------------------------------------------------------------------------- */

const struct setting *config_protected_hook(const struct config_merge *m, const char *name)
{
    const struct setting *hooks = setting_get(m->root, "hooks");

    for (const struct setting *h = hooks ? hooks->first : NULL; h; h = h->next) {
        const struct setting *known = setting_get(h, "name");

        if (h->origin.source < SOURCE_WORKSPACE && known && str_is(known->text, name))
            return h;
    }
    return NULL;
}

static bool refuse(struct config_merge *m, const struct setting *s, const char *what,
                   const char *why)
{
    problem_add(m->problems, &s->origin, "a workspace file cannot set '%s': %s", what, why);
    return false;
}

static bool may_disable(struct config_merge *m, const struct setting *s)
{
    const struct setting *hook = config_protected_hook(m, s->text.ptr);

    if (!hook)
        return true;
    problem_add(m->problems, &s->origin, "a workspace file cannot disable '%s', defined at %s",
                s->text.ptr, origin_text(m->arena, &hook->origin));
    return false;
}

static bool may_set_cadence(struct config_merge *m, const char *name, const struct setting *s,
                            const struct setting *now)
{
    const char *path = arena_printf(m->arena, "hook_cadence.%s", name);
    struct subscription on;
    int64_t every, before;

    if (point_resolve(str_of(name), &on))
        return refuse(m, s, path, "a point's cadence slows the hooks of everybody");
    if (config_protected_hook(m, name))
        return refuse(m, s, path, "the hook is not the workspace's");
    if (!now || now->origin.source >= SOURCE_WORKSPACE)
        return true;
    if (setting_to_int64(s, &every) && setting_to_int64(now, &before) && every <= before)
        return true;
    return refuse(m, s, path, "it may only be lowered there");
}

/* 0 is no limit. */
static bool is_tighter(double limit, double before)
{
    return limit > 0 && (before <= 0 || limit <= before);
}

static bool may_limit(struct config_merge *m, const char *path, const struct setting *s)
{
    double limit, before;

    if (!setting_to_double(s, &limit))
        return true;
    if (strcmp(path, "limits.turns") == 0)
        before = (double)m->values.turns;
    else if (strcmp(path, "limits.tokens") == 0)
        before = (double)m->values.tokens;
    else if (strcmp(path, "limits.cost") == 0)
        before = m->values.cost;
    else if (strcmp(path, "limits.continuations") == 0)
        return limit <= (double)m->values.continuations ||
               refuse(m, s, path, "it may only be lowered there");
    else
        return refuse(m, s, path, "it could keep hooks from running");
    return is_tighter(limit, before) || refuse(m, s, path, "it may only be lowered there");
}

/* Its files come in turn and lie over what was there: what counts is what others have said. */
static void keep_permission(struct config_merge *m)
{
    const struct setting *now = setting_get(m->root, "permission");
    struct setting *kept, **end;

    if (m->permission)
        return;
    kept = arena_new(m->arena, struct setting);
    kept->kind = SETTING_MAP;
    end = &kept->first;
    for (const struct setting *s = now ? now->first : NULL; s; s = s->next) {
        *end = arena_new(m->arena, struct setting);
        **end = *s;
        (*end)->next = NULL;
        end = &(*end)->next;
    }
    m->permission = kept;
}

static bool may_permit(struct config_merge *m, const char *path, const struct setting *s)
{
    const struct setting *before = setting_get(m->permission, path + 11);

    if (!before)
        before = setting_get(m->permission, "*");
    return strictness(s) >= strictness(before) ||
           refuse(m, s, path, "it may only be made stricter there");
}

bool config_workspace_may(struct config_merge *m, const char *path, const struct setting *s,
                          const struct setting *now)
{
    if (strcmp(path, "disabled_hooks") == 0)
        return may_disable(m, s);
    if (strncmp(path, "hook_cadence.", 13) == 0)
        return may_set_cadence(m, path + 13, s, now);
    if (strcmp(path, "strict") == 0 && !setting_is_true(s))
        return refuse(m, s, path, "it may only be switched on there");
    if (strcmp(path, "max_hooks") == 0 || strcmp(path, "event_timeout") == 0)
        return refuse(m, s, path, "it could keep hooks from running");
    if (strcmp(path, "web_fetch.allow_private") == 0 && str_is(s->text, "true"))
        return refuse(m, s, path, "it may only be switched off there");
    if (strncmp(path, "limits.", 7) == 0)
        return may_limit(m, path, s);
    if (strcmp(path, "permission") == 0)
        keep_permission(m);
    if (strncmp(path, "permission.", 11) == 0)
        return may_permit(m, path, s);
    return true;
}
