#include "agent/tool.h"

#include "base/path.h"
#include "hook/spill.h"

#include <errno.h>
#include <sys/stat.h>

#define TOOL(symbol) extern const struct tool symbol##_tool;
#include "agent/tool.def"
#undef TOOL

static const struct tool *const tools[] = {
#define TOOL(symbol) &symbol##_tool,
#include "agent/tool.def"
#undef TOOL
};

const struct tool *const *tool_list(size_t *count)
{
    *count = ARRAY_LEN(tools);
    return tools;
}

const struct tool *tool_find(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(tools); i++)
        if (str_is(name, tools[i]->name))
            return tools[i];
    return NULL;
}

int tool_run(const struct tool *t, const struct tool_call *c, struct tool_result *r, struct err *e)
{
    const struct json *schema;
    int ret = json_parse(c->arena, str_of(t->parameters), NULL, &schema, e);

    if (ret == 0)
        ret = tool_check_args(t->name, schema, c->args, e);
    return ret < 0 ? ret : t->run(c, r, e);
}

const char *tool_text(const struct tool_call *c, const char *name)
{
    return json_cstr(c->arena, json_get(c->args, str_of(name)));
}

int64_t tool_number(const struct tool_call *c, const char *name, int64_t otherwise)
{
    int64_t n;

    return json_to_int64(json_get(c->args, str_of(name)), &n) == 0 ? n : otherwise;
}

bool tool_flag(const struct tool_call *c, const char *name)
{
    return json_is_true(json_get(c->args, str_of(name)));
}

/* The path without symbolic links; what does not exist is added to its nearest folder that does. */
static char *resolve(struct arena *a, const char *path)
{
    CLEANUP(mem) char *real = realpath(path, NULL);
    const char *name = strrchr(path, '/');

    if (real)
        return arena_strdup(a, real);
    if (!name || name == path)
        return arena_strdup(a, path);
    return path_join(a, resolve(a, path_dirname(a, path)), name + 1);
}

int tool_path(const struct tool_call *c, const char *path, char **out, struct err *e)
{
    char *full = path_normalize(c->arena, path_join(c->arena, c->cwd, path));
    char *real = resolve(c->arena, full);
    struct stat st;

    if (path[0] == '\0')
        return err_set(e, -EINVAL, "'path' is empty: name a file");
    if (!path_within(c->workspace, real))
        return err_set(e, -EPERM, "'%s' is outside the workspace '%s'", path, c->workspace);
    /* Whatever is made through it would appear where it leads, which nobody has looked at. */
    if (lstat(real, &st) == 0 && S_ISLNK(st.st_mode))
        return err_set(e, -EPERM, "'%s' is a symbolic link that leads nowhere", path);
    *out = real;
    return 0;
}

int tool_path_to_read(const struct tool_call *c, const char *path, char **out, struct err *e)
{
    CLEANUP(mem) char *real = realpath(path_join(c->arena, c->cwd, path), NULL);

    if (!real || path_within(c->workspace, real) || !spill_is(c->arena, c->session, real))
        return tool_path(c, path, out, e);
    *out = arena_strdup(c->arena, real);
    return 0;
}

size_t tool_fit(struct str text, size_t max)
{
    return str_fit(text, max);
}

struct str tool_copy(const struct tool_call *c, const struct strbuf *text)
{
    return (struct str){ arena_cstr(c->arena, strbuf_str(text)), text->len };
}
