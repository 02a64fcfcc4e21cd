/*
 * glob - files by name.
 *
 * Tests: tests/unit/agent/test_tool_glob.c
 */
#include "agent/tool.h"
#include "agent/walk.h"
#include "base/glob.h"
#include "base/path.h"

#include <errno.h>
#include <sys/stat.h>

#define NAMES 500

struct looking {
    struct arena *arena;
    const char *where; /* what names begin with; "" for the working folder */
    struct str pattern;
    struct strbuf out;
    size_t found;
};

static int look(void *context, const char *path)
{
    struct looking *l = context;
    const char *name = strrchr(path, '/');
    bool whole = memchr(l->pattern.ptr, '/', l->pattern.len);

    /* A pattern without a slash means names anywhere. */
    if (glob_match(l->pattern, str_of(whole || !name ? path : name + 1)) != 1)
        return 0;
    if (l->found++ < NAMES)
        strbuf_printf(&l->out, "%s\n", path_join(l->arena, l->where, path));
    return 0;
}

static int run(const struct tool_call *c, struct tool_result *result, struct err *e)
{
    const char *where = tool_text(c, "path");
    struct looking l = { c->arena, where ? where : "", str_of(tool_text(c, "pattern")), { 0 }, 0 };
    char *root;
    struct stat st;
    int r = tool_path(c, where ? where : ".", &root, e);

    if (r == 0 && (stat(root, &st) < 0 || !S_ISDIR(st.st_mode)))
        r = err_set(e, -ENOTDIR, "there is no folder '%s'", where);
    if (r == 0)
        r = walk_files(&(struct walk){ c->workspace, root, c->abort_fd, look, &l }, e);
    if (r == 0) {
        if (l.found > NAMES)
            strbuf_printf(&l.out, "(%zu more; narrow the pattern)\n", l.found - NAMES);
        if (l.found == 0)
            strbuf_addstr(&l.out, "(no file matches)");
        result->title = arena_printf(c->arena, "%s: %zu", tool_text(c, "pattern"), l.found);
        result->output = tool_copy(c, &l.out);
    }
    strbuf_release(&l.out);
    return r;
}

const struct tool glob_tool = {
    .name = "glob",
    .description = "Find files by name: *.c, src/**/*.py, {a,b}.md. What .gitignore leaves out is "
                   "left out.",
    .parameters = "{\"type\":\"object\",\"properties\":{"
                  "\"pattern\":{\"type\":\"string\"},"
                  "\"path\":{\"type\":\"string\",\"description\":\"folder to look in\"}},"
                  "\"required\":[\"pattern\"]}",
    .read_only = true,
    .run = run,
};
