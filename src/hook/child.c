#include "hook/child.h"

#include "base/vars.h"

#include <stdlib.h>

static const char *const usual_keys[] = {
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
};

/* A workspace may describe providers; it must not take away what the hooks of others run with. */
static const char *const no_keys[] = { "PATH", "HOME" };

static bool is_key(const struct setting *variable)
{
    if (!variable || variable->kind != SETTING_STRING || !variable->text.len)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(no_keys); i++)
        if (str_is(variable->text, no_keys[i]))
            return false;
    return true;
}

const char *const *child_keys(struct arena *a, const struct setting *root)
{
    const struct setting *providers = setting_get(root, "providers");
    size_t count = ARRAY_LEN(usual_keys);
    const char **keys = arena_array(a, const char *, count + setting_count(providers) + 1);

    memcpy(keys, usual_keys, sizeof(usual_keys));
    for (const struct setting *p = providers ? providers->first : NULL; p; p = p->next) {
        const struct setting *named = setting_get(p, "key_variable");

        if (is_key(named))
            keys[count++] = arena_cstr(a, named->text);
    }
    return keys;
}

static bool names(const struct setting *env, const char *variable)
{
    for (const struct setting *item = env ? env->first : NULL; item; item = item->next)
        if (str_is(env->kind == SETTING_MAP ? item->key : item->text, variable))
            return true;
    return false;
}

static void add_values(struct arena *a, const struct setting *env, const char **changes,
                       size_t *count)
{
    for (const struct setting *item = env ? env->first : NULL; item; item = item->next)
        if (env->kind == SETTING_MAP)
            changes[(*count)++] = arena_printf(a, "%s=%s", item->key.ptr, item->text.ptr);
}

const char **child_env(struct arena *a, const struct child_needs *needs, size_t more, size_t *count)
{
    const char *const *keys = child_keys(a, needs->root);
    size_t most = setting_count(needs->common) + setting_count(needs->own) + more;
    const char **changes;

    for (const char *const *key = keys; *key; key++)
        most++;
    changes = arena_array(a, const char *, most + 1);
    *count = 0;
    for (; *keys; keys++)
        if (!names(needs->common, *keys) && !names(needs->own, *keys))
            changes[(*count)++] = *keys;
    add_values(a, needs->common, changes, count);
    add_values(a, needs->own, changes, count);
    return changes;
}

unsigned child_depth_here(void)
{
    const char *depth = vars_get("HOOKE_DEPTH");

    return depth ? (unsigned)strtoul(depth, NULL, 10) : 0;
}

const char *child_depth(struct arena *a)
{
    return arena_printf(a, "HOOKE_DEPTH=%u", child_depth_here() + 1);
}
