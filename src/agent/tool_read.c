/*
 * read - a file, or the names in a folder.
 *
 * Tests: tests/unit/agent/test_tool_read.c
 */
#include "agent/seen.h"
#include "agent/tool.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#define FILE_MAX ((size_t)16 << 20)
#define LINES    2000
#define LINE_MAX 2000 /* bytes shown of one */
#define NAMES    1000

static void add_line(struct strbuf *out, size_t number, struct str line)
{
    bool cut = line.len > LINE_MAX;

    strbuf_printf(out, "%6zu\t%.*s%s\n", number, (int)(cut ? LINE_MAX : line.len), line.ptr,
                  cut ? " …" : "");
}

static void show_lines(const struct tool_call *c, struct str text, struct strbuf *out)
{
    size_t first = (size_t)tool_number(c, "offset", 1), number = 0;
    size_t most = (size_t)tool_number(c, "limit", LINES), shown = 0;
    struct str line;

    while (str_cut(&text, '\n', &line)) {
        number++;
        if (!str_is_set(text) && line.len == 0) { /* behind the last line break */
            number--;
            break;
        }
        if (number >= first && shown < most) {
            add_line(out, number, line);
            shown++;
        }
    }
    if (first + shown <= number)
        strbuf_printf(out, "(%zu more lines; go on with offset %zu)\n",
                      number - (first + shown) + 1, first + shown);
    if (number == 0)
        strbuf_addstr(out, "(the file is empty)\n");
    else if (first > number)
        strbuf_printf(out, "(the file has only %zu lines)\n", number);
}

static int by_name(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static int list_folder(const struct tool_call *c, const char *path, struct strbuf *out,
                       struct err *e)
{
    const char **names = arena_array(c->arena, const char *, NAMES);
    DIR *dir = opendir(path);
    const struct dirent *entry;
    size_t count = 0;

    if (!dir)
        return err_errno(e, "'%s'", path);
    while (count < NAMES && (entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            names[count++] =
                arena_printf(c->arena, "%s%s", entry->d_name, entry->d_type == DT_DIR ? "/" : "");
    closedir(dir);
    qsort(names, count, sizeof(const void *), by_name);
    for (size_t i = 0; i < count; i++)
        strbuf_printf(out, "%s\n", names[i]);
    if (count == NAMES)
        strbuf_printf(out, "(only the first %d names)\n", NAMES);
    return 0;
}

static int read_file(const struct tool_call *c, const char *path, struct strbuf *out, struct err *e)
{
    struct str text;
    int r = file_read(c->arena, path, FILE_MAX, &text, e);

    if (r < 0)
        return r;
    if (memchr(text.ptr, '\0', text.len))
        return err_set(e, -EINVAL, "'%s' is no text: it holds NUL bytes", path);
    show_lines(c, text, out);
    seen_note(c->seen, path);
    return 0;
}

static int run(const struct tool_call *c, struct tool_result *result, struct err *e)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    struct stat st;
    char *path;
    int r = tool_path(c, tool_text(c, "path"), &path, e);

    if (r < 0)
        return r;
    if (stat(path, &st) < 0)
        return err_set(e, -errno, "there is no file '%s'", tool_text(c, "path"));
    if (S_ISDIR(st.st_mode))
        r = list_folder(c, path, &out, e);
    else if (S_ISREG(st.st_mode))
        r = read_file(c, path, &out, e);
    else
        r = err_set(e, -EINVAL, "'%s' is neither a file nor a folder", path);
    if (r < 0)
        return r;
    result->title = tool_text(c, "path");
    result->output = (struct str){ arena_cstr(c->arena, strbuf_str(&out)), out.len };
    return 0;
}

const struct tool read_tool = {
    .name = "read",
    .description =
        "Read a text file of the workspace, with line numbers, or list a folder. Long files come in "
        "pieces: use offset and limit.",
    .parameters =
        "{\"type\":\"object\",\"properties\":{"
        "\"path\":{\"type\":\"string\",\"description\":\"the file or folder\"},"
        "\"offset\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"first line, from 1\"},"
        "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":5000,\"description\":\"lines at "
        "most\"}},\"required\":[\"path\"]}",
    .read_only = true,
    .run = run,
};
