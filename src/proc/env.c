#include "proc/env.h"

/* Where execvp() looks in an environment without PATH. */
#define DEFAULT_PATH "/bin:/usr/bin"

static size_t name_len(const char *entry)
{
    return strcspn(entry, "=");
}

static bool same_name(const char *x, const char *y)
{
    size_t len = name_len(x);

    return len == name_len(y) && memcmp(x, y, len) == 0;
}

static bool is_changed(const char *entry, const char *const *changes)
{
    for (size_t i = 0; changes[i]; i++)
        if (same_name(entry, changes[i]))
            return true;
    return false;
}

char *const *env_change(struct arena *a, char *const *base, const char *const *changes)
{
    size_t had = 0, more = 0, count = 0;
    const char **env;
    char **result;

    if (!changes || !changes[0])
        return base;
    while (base && base[had])
        had++;
    while (changes[more])
        more++;
    env = arena_array(a, const char *, had + more + 1);
    for (size_t i = 0; i < had; i++)
        if (!is_changed(base[i], changes))
            env[count++] = base[i];
    for (size_t i = 0; i < more; i++) /* of several changes to one name the last counts */
        if (strchr(changes[i], '=') && !is_changed(changes[i], changes + i + 1))
            env[count++] = changes[i];
    result = arena_array(a, char *, count + 1);
    memcpy(result, env, count * sizeof(*env));
    return result;
}

const char *env_get(char *const *env, const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; env && env[i]; i++)
        if (strncmp(env[i], name, len) == 0 && env[i][len] == '=')
            return env[i] + len + 1;
    return NULL;
}

static size_t count_folders(const char *path)
{
    size_t count = 1;

    for (; *path; path++)
        if (*path == ':')
            count++;
    return count;
}

char *const *env_candidates(struct arena *a, char *const *env, const char *program)
{
    const char *path = env_get(env, "PATH");
    struct str rest = str_of(path ? path : DEFAULT_PATH), folder;
    char **found;
    size_t count = 0;

    if (strchr(program, '/') || !program[0]) {
        found = arena_array(a, char *, 2);
        found[0] = arena_strdup(a, program);
        return found;
    }
    found = arena_array(a, char *, count_folders(rest.ptr) + 1);
    while (str_cut(&rest, ':', &folder)) /* an empty one is the current folder */
        found[count++] =
            arena_printf(a, "%.*s%s%s", STR_ARG(folder), folder.len ? "/" : "./", program);
    return found;
}
