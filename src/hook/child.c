#include "hook/child.h"

#include "base/vars.h"

#include <stdlib.h>

const char *const child_keys[] = {
    "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", NULL,
};

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

const char **child_env(struct arena *a, const struct setting *common, const struct setting *own,
                       size_t more, size_t *count)
{
    size_t most = ARRAY_LEN(child_keys) + setting_count(common) + setting_count(own) + more;
    const char **changes = arena_array(a, const char *, most + 1);

    *count = 0;
    for (size_t i = 0; child_keys[i]; i++)
        if (!names(common, child_keys[i]) && !names(own, child_keys[i]))
            changes[(*count)++] = child_keys[i];
    add_values(a, common, changes, count);
    add_values(a, own, changes, count);
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
