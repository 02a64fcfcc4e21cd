/*
 * read - a file, or the names in a folder. Pictures and PDF files the model gets as they are.
 *
 * Tests: tests/unit/agent/test_tool_read.c
 */
#include "agent/seen.h"
#include "agent/tool.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <sodium.h>
#include <sys/stat.h>

#define FILE_MAX   ((size_t)16 << 20)
#define LINES      2000
#define LINE_SHOWN 2000 /* bytes shown of one */
#define NAMES      1000
#define SHOW_MAX   ((size_t)3500000) /* bytes of a picture or PDF file: providers refuse more */

static void add_line(struct strbuf *out, size_t number, struct str line)
{
    size_t len = tool_fit(line, LINE_SHOWN);

    strbuf_printf(out, "%6zu\t%.*s%s\n", number, (int)len, line.ptr, len < line.len ? " …" : "");
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

/* What it is, by its first bytes: names lie. NULL: nothing that could be shown. */
static const char *media_type(struct str bytes)
{
    static const struct {
        struct str at_0, at_8;
        const char *type;
    } known[] = {
        { { "\x89PNG\r\n\x1a\n", 8 }, { 0 }, "image/png" },
        { { "\xff\xd8\xff", 3 }, { 0 }, "image/jpeg" },
        { { "GIF87a", 6 }, { 0 }, "image/gif" },
        { { "GIF89a", 6 }, { 0 }, "image/gif" },
        { { "RIFF", 4 }, { "WEBP", 4 }, "image/webp" },
        { { "%PDF-", 5 }, { 0 }, "application/pdf" },
    };
    struct str later = STR("");

    if (bytes.len > 8)
        later = (struct str){ bytes.ptr + 8, bytes.len - 8 };
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (str_starts(bytes, known[i].at_0) && str_starts(later, known[i].at_8))
            return known[i].type;
    return NULL;
}

static int show_file(const struct tool_call *c, const char *type, struct str bytes,
                     struct tool_result *result, struct err *e)
{
    const int variant = sodium_base64_VARIANT_ORIGINAL;
    const char *name = tool_text(c, "path");
    size_t size = sodium_base64_encoded_len(bytes.len, variant);
    char *data = arena_alloc(c->arena, size);
    struct json *part = json_object(c->arena);

    if (bytes.len > SHOW_MAX)
        return err_set(e, -EFBIG, "'%s' is %s of %zu bytes: at most %zu can be shown", name, type,
                       bytes.len, SHOW_MAX);
    sodium_bin2base64(data, size, (const unsigned char *)bytes.ptr, bytes.len, variant);
    json_add(c->arena, part, STR("type"), json_cstring(c->arena, "file"));
    json_add(c->arena, part, STR("media_type"), json_cstring(c->arena, type));
    json_add(c->arena, part, STR("data"), json_cstring(c->arena, data));
    json_add(c->arena, part, STR("name"), json_cstring(c->arena, name));
    result->file = part;
    return 0;
}

static int read_file(const struct tool_call *c, const char *path, struct strbuf *out,
                     struct tool_result *result, struct err *e)
{
    struct str text;
    const char *type;
    int r = file_read(c->arena, path, FILE_MAX, &text, e);

    if (r == -EFBIG)
        return err_set(e, r, "'%s' is larger than %zu bytes: look into it with grep or bash",
                       tool_text(c, "path"), FILE_MAX);
    if (r < 0)
        return r;
    type = media_type(text);
    if (type) {
        strbuf_printf(out, "(%s, %zu bytes, shown below)\n", type, text.len);
        return show_file(c, type, text, result, e);
    }
    if (memchr(text.ptr, '\0', text.len))
        return err_set(e, -EINVAL, "'%s' is no text: it holds NUL bytes", path);
    show_lines(c, text, out);
    return 0;
}

static int run(const struct tool_call *c, struct tool_result *result, struct err *e)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    struct stat st;
    char *path;
    int r = tool_path_to_read(c, tool_text(c, "path"), &path, e);

    if (r < 0)
        return r;
    if (stat(path, &st) < 0)
        return err_set(e, -errno, "there is no file '%s'", tool_text(c, "path"));
    if (S_ISDIR(st.st_mode))
        r = list_folder(c, path, &out, e);
    else if (S_ISREG(st.st_mode))
        r = read_file(c, path, &out, result, e);
    else
        r = err_set(e, -EINVAL, "'%s' is neither a file nor a folder", path);
    if (r < 0)
        return r;
    seen_note(c->seen, path, &st);
    result->title = tool_text(c, "path");
    result->output = tool_copy(c, &out);
    return 0;
}

const struct tool read_tool = {
    .name = "read",
    .description =
        "Read a text file of the workspace, with line numbers, look at a picture (png, jpeg, gif, "
        "webp) or a PDF file, or list a folder. Long files come in pieces: use offset and limit.",
    .parameters =
        "{\"type\":\"object\",\"properties\":{"
        "\"path\":{\"type\":\"string\",\"description\":\"the file or folder\"},"
        "\"offset\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"first line, from 1\"},"
        "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":5000,\"description\":\"lines at "
        "most\"}},\"required\":[\"path\"]}",
    .read_only = true,
    .run = run,
};
