#include "agent/edit.h"

#include "agent/seen.h"
#include "base/file.h"
#include "base/path.h"

#include <errno.h>
#include <sys/stat.h>

int edit_read(const struct tool_call *c, const char *path, struct str *text, struct err *e)
{
    struct stat st;
    int r;

    if (stat(path, &st) < 0)
        return err_set(e, -errno, "there is no file '%s'", path);
    if (!S_ISREG(st.st_mode))
        return err_set(e, -EINVAL, "'%s' is no file", path);
    r = seen_check(c->seen, path, e);
    if (r == 0)
        r = file_read(c->arena, path, EDIT_FILE_MAX, text, e);
    if (r == 0 && memchr(text->ptr, '\0', text->len))
        return err_set(e, -EINVAL, "'%s' is no text: it holds NUL bytes", path);
    return r;
}

/* Folders of the workspace are made as anybody's are, not only for us to read. */
static int make_folders(struct arena *a, const char *dir, struct err *e)
{
    int r;

    if (access(dir, F_OK) == 0)
        return 0;
    r = make_folders(a, path_dirname(a, dir), e);
    if (r == 0 && mkdir(dir, 0777) < 0 && errno != EEXIST)
        return err_errno(e, "making the folder '%s'", dir);
    return r;
}

int edit_write(const struct tool_call *c, const char *path, struct str text, mode_t mode,
               struct err *e)
{
    struct stat st;
    int r = make_folders(c->arena, path_dirname(c->arena, path), e);

    if (mode == 0)
        mode = stat(path, &st) == 0 ? st.st_mode & 07777 : 0644;
    if (r == 0)
        r = file_write(path, text, mode, e);
    if (r == 0)
        seen_note(c->seen, path, NULL);
    return r;
}

const char *edit_line_end(struct str text)
{
    const char *lf = memchr(text.ptr, '\n', text.len);

    return lf && lf > text.ptr && lf[-1] == '\r' ? "\r\n" : "\n";
}

struct str edit_with_line_end(struct arena *a, struct str text, const char *end)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };

    if (strcmp(end, "\n") == 0)
        return text;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\n' && (i == 0 || text.ptr[i - 1] != '\r'))
            strbuf_addch(&out, '\r');
        strbuf_addch(&out, text.ptr[i]);
    }
    return (struct str){ arena_cstr(a, strbuf_str(&out)), out.len };
}

struct str edit_in_form_of(struct arena *a, struct str before, struct str text)
{
    const struct str mark = EDIT_BYTE_ORDER_MARK;

    text = edit_with_line_end(a, text, edit_line_end(before));
    if (str_starts(before, mark) && !str_starts(text, mark))
        text = str_of(arena_printf(a, "%.*s%.*s", STR_ARG(mark), STR_ARG(text)));
    return text;
}

static int64_t lines_in(struct str text)
{
    int64_t lines = text.len && text.ptr[text.len - 1] != '\n';

    for (size_t i = 0; i < text.len; i++)
        lines += text.ptr[i] == '\n';
    return lines;
}

/* Without what both begin and end with. */
static void trim_common(struct str *x, struct str *y)
{
    struct str line_x, line_y, rest_x = *x, rest_y = *y;

    while (str_cut(&rest_x, '\n', &line_x) && str_cut(&rest_y, '\n', &line_y) &&
           str_is_set(rest_x) && str_is_set(rest_y) && str_eq(line_x, line_y)) {
        *x = rest_x;
        *y = rest_y;
    }
    while (x->len && y->len && x->ptr[x->len - 1] == y->ptr[y->len - 1]) {
        x->len--;
        y->len--;
    }
}

const struct json *edit_count(struct arena *a, struct str before, struct str after)
{
    struct json *j = json_object(a);

    trim_common(&before, &after);
    json_add(a, j, STR("added"), json_int(a, lines_in(after)));
    json_add(a, j, STR("removed"), json_int(a, lines_in(before)));
    return j;
}
