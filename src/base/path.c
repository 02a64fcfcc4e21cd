#include "base/path.h"

#include "base/vars.h"

#include <stdlib.h>
#include <unistd.h>

char *path_join(struct arena *a, const char *dir, const char *name)
{
    struct str head = str_of(dir), tail = str_of(name);
    char *path;

    if (name[0] == '/' || head.len == 0)
        return arena_strdup(a, name);
    if (dir[head.len - 1] == '/')
        head.len--; /* or it would stand there twice */
    path = arena_alloc(a, head.len + 1 + tail.len + 1);
    memcpy(path, head.ptr, head.len);
    path[head.len] = '/';
    memcpy(path + head.len + 1, tail.ptr, tail.len + 1);
    return path;
}

char *path_dirname(struct arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return arena_strdup(a, ".");
    if (slash == path)
        return arena_strdup(a, "/");
    return arena_cstr(a, (struct str){ path, (size_t)(slash - path) });
}

const char *path_basename(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static struct str last_component(const char *out, size_t len)
{
    size_t start = len;

    while (start > 0 && out[start - 1] != '/')
        start--;
    return (struct str){ out + start, len - start };
}

/* The length of `out` without its last component; the root stays. */
static size_t drop_last_component(const char *out, size_t len)
{
    len -= last_component(out, len).len;
    return len > 1 ? len - 1 : len;
}

char *path_normalize(struct arena *a, const char *path)
{
    bool absolute = path[0] == '/', leads_up;
    char *out = arena_alloc(a, strlen(path) + 2);
    struct str rest = str_of(path), part;
    size_t len = 0;

    if (absolute)
        out[len++] = '/';
    while (str_cut(&rest, '/', &part)) {
        if (part.len == 0 || str_is(part, "."))
            continue;
        /* A relative path may begin with any number of ".."; there is nothing to drop there. */
        leads_up = !absolute && (len == 0 || str_is(last_component(out, len), ".."));
        if (str_is(part, "..") && !leads_up) {
            len = drop_last_component(out, len);
            continue;
        }
        if (len > 0 && out[len - 1] != '/')
            out[len++] = '/';
        memcpy(out + len, part.ptr, part.len);
        len += part.len;
    }
    if (len == 0)
        out[len++] = '.';
    out[len] = '\0';
    return out;
}

bool path_within(const char *root, const char *path)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct str inside = str_of(path_normalize(&a, path));
    struct str outside = str_of(path_normalize(&a, root));

    if (str_is(outside, "."))
        return inside.ptr[0] != '/' && !str_is(inside, "..") && !str_starts(inside, STR("../"));
    if (str_is(outside, "/"))
        return inside.ptr[0] == '/';
    return str_starts(inside, outside) &&
           (inside.len == outside.len || inside.ptr[outside.len] == '/');
}

const char *path_home(void)
{
    const char *home = vars_get("HOME");

    return home && home[0] == '/' ? home : "/";
}

char *path_xdg(struct arena *a, enum path_kind kind)
{
    static const struct {
        const char *variable, *fallback;
    } kinds[] = {
        [PATH_CONFIG] = { "XDG_CONFIG_HOME", ".config" },
        [PATH_DATA] = { "XDG_DATA_HOME", ".local/share" },
        [PATH_STATE] = { "XDG_STATE_HOME", ".local/state" },
    };
    const char *base = vars_get(kinds[kind].variable);

    if (!base || base[0] != '/') /* the specification: relative values are ignored */
        base = path_join(a, path_home(), kinds[kind].fallback);
    return path_join(a, base, "hooke");
}

char *path_workspace(struct arena *a, const char *cwd)
{
    char *start = path_normalize(a, cwd);
    const char *dir = start;

    for (;;) {
        if (access(path_join(a, dir, ".hooke"), F_OK) == 0 ||
            access(path_join(a, dir, ".git"), F_OK) == 0)
            return arena_strdup(a, dir);
        if (strcmp(dir, "/") == 0 || strcmp(dir, ".") == 0)
            return start;
        dir = path_dirname(a, dir);
    }
}
