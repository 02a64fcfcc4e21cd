/*
 * grep - lines that match a regular expression.
 *
 * Tests: tests/unit/agent/test_tool_grep.c
 */
#include "agent/tool.h"
#include "agent/walk.h"
#include "base/file.h"
#include "base/glob.h"
#include "base/path.h"
#include "base/regex.h"

#include <errno.h>
#include <sys/stat.h>

#define FILE_MAX ((size_t)4 << 20) /* larger ones are data */
#define LINES    200
#define LINE_MAX 300

struct looking {
    const char *root;
    const char *where; /* what names begin with; "" for the working folder */
    struct regex *regex;
    const char *files; /* pattern of names; NULL: all */
    struct strbuf out;
    size_t found, in_files;
    bool gave_up; /* the pattern takes too long on some line */
};

static void add_line(struct looking *l, const char *path, size_t number, struct str line)
{
    size_t len = tool_fit(line, LINE_MAX);

    if (l->found++ < LINES)
        strbuf_printf(&l->out, "%s:%zu:%.*s%s\n", path, number, (int)len, line.ptr,
                      len < line.len ? " …" : "");
}

static void look_into(struct looking *l, const char *path, struct str text)
{
    struct str line;
    size_t number = 0, before = l->found;

    if (memchr(text.ptr, '\0', text.len))
        return;
    while (str_cut(&text, '\n', &line)) {
        int r;

        number++;
        if (line.len && line.ptr[line.len - 1] == '\r')
            line.len--;
        if (!str_is_set(text) && line.len == 0) /* behind the last line break */
            break;
        r = regex_match(l->regex, line, NULL);
        if (r == 1)
            add_line(l, path, number, line);
        l->gave_up = l->gave_up || r < 0;
    }
    l->in_files += l->found > before;
}

static bool wanted(const struct looking *l, const char *path)
{
    const char *name = strrchr(path, '/');

    return !l->files || glob_match(str_of(l->files), str_of(path)) == 1 ||
           glob_match(str_of(l->files), str_of(name ? name + 1 : path)) == 1;
}

static int look(void *context, const char *path)
{
    struct looking *l = context;
    CLEANUP(arena) struct arena a = { 0 };
    struct str text;

    if (wanted(l, path) && file_read(&a, path_join(&a, l->root, path), FILE_MAX, &text, NULL) == 0)
        look_into(l, path_join(&a, l->where, path), text);
    return 0;
}

static int look_around(const struct tool_call *c, struct looking *l, struct err *e)
{
    struct str text;
    struct stat st;
    int r;

    if (stat(l->root, &st) < 0)
        return err_set(e, -errno, "there is no '%s'", tool_text(c, "path"));
    if (S_ISDIR(st.st_mode))
        return walk_files(&(struct walk){ c->workspace, l->root, c->abort_fd, look, l }, e);
    r = file_read(c->arena, l->root, FILE_MAX, &text, e);
    if (r == 0)
        look_into(l, tool_text(c, "path"), text);
    return r;
}

static int run(const struct tool_call *c, struct tool_result *result, struct err *e)
{
    const char *where = tool_text(c, "path");
    struct looking l = { .files = tool_text(c, "files"), .where = where ? where : "" };
    char *root;
    int r = tool_path_to_read(c, where ? where : ".", &root, e);

    if (r == 0)
        r = regex_new(str_of(tool_text(c, "pattern")), &l.regex, e);
    if (r < 0)
        return r;
    l.root = root;
    r = look_around(c, &l, e);
    if (r == 0) {
        if (l.found > LINES)
            strbuf_printf(&l.out, "(%zu more lines; narrow the pattern)\n", l.found - LINES);
        if (l.found == 0)
            strbuf_addstr(&l.out, "(no line matches)\n");
        if (l.gave_up)
            strbuf_addstr(&l.out, "(some lines take the pattern too long: they were left out)\n");
        result->title = arena_printf(c->arena, "%s: %zu lines in %zu files",
                                     tool_text(c, "pattern"), l.found, l.in_files);
        result->output = tool_copy(c, &l.out);
    }
    strbuf_release(&l.out);
    regex_free(l.regex);
    return r;
}

const struct tool grep_tool = {
    .name = "grep",
    .description = "Find lines that match a regular expression, as path:line:text. What .gitignore "
                   "leaves out is left out.",
    .parameters =
        "{\"type\":\"object\",\"properties\":{"
        "\"pattern\":{\"type\":\"string\",\"description\":\"PCRE2\"},"
        "\"path\":{\"type\":\"string\",\"description\":\"file or folder to look in\"},"
        "\"files\":{\"type\":\"string\",\"description\":\"only files with such names: *.c\"}},"
        "\"required\":[\"pattern\"]}",
    .read_only = true,
    .run = run,
};
