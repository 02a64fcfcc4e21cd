/*
 * edit - replace a piece of a file by another.
 *
 * Tests: tests/unit/agent/test_tool_edit.c
 */
#include "agent/edit.h"

#include <errno.h>

struct edit {
    struct str text, old, new;
    bool all;
};

static size_t count_of(struct str text, struct str piece)
{
    size_t count = 0;
    const char *at = text.ptr, *end = at + text.len;

    while (at && (at = memmem(at, (size_t)(end - at), piece.ptr, piece.len))) {
        count++;
        at += piece.len;
    }
    return count;
}

static unsigned line_of(struct str text, const char *at)
{
    unsigned line = 1;

    for (const char *p = text.ptr; p < at; p++)
        line += *p == '\n';
    return line;
}

/* Where the pieces stand, so that the model can tell them apart. */
static int ambiguous(const struct edit *d, size_t count, struct err *e)
{
    CLEANUP(strbuf) struct strbuf lines = { 0 };
    const char *at = d->text.ptr, *end = d->text.ptr + d->text.len;

    for (size_t i = 0; i < 5 && (at = memmem(at, (size_t)(end - at), d->old.ptr, d->old.len));
         i++) {
        strbuf_printf(&lines, "%s%u", i ? ", " : "", line_of(d->text, at));
        at += d->old.len;
    }
    return err_set(
        e, -EINVAL,
        "old_string stands there %zu times (lines %s%s): give more of what is around it, "
        "or set replace_all",
        count, strbuf_cstr(&lines), count > 5 ? ", …" : "");
}

/* Where the first piece stands. */
static unsigned first_line(const struct edit *d)
{
    const char *at = d->text.len ? memmem(d->text.ptr, d->text.len, d->old.ptr, d->old.len) : NULL;

    return at ? line_of(d->text, at) : 1;
}

static void replace(const struct edit *d, struct strbuf *out)
{
    const char *at = d->text.ptr, *end = d->text.ptr + d->text.len, *found;

    while (at && (found = memmem(at, (size_t)(end - at), d->old.ptr, d->old.len))) {
        strbuf_add(out, at, (size_t)(found - at));
        strbuf_add(out, d->new.ptr, d->new.len);
        at = found + d->old.len;
        if (!d->all)
            break;
    }
    strbuf_add(out, at, (size_t)(end - at));
}

static int check(const struct edit *d, const char *path, struct err *e)
{
    size_t count = d->old.len ? count_of(d->text, d->old) : 0;

    if (d->old.len == 0)
        return err_set(e, -EINVAL, "old_string is empty: use write for a whole file");
    if (str_eq(d->old, d->new))
        return err_set(e, -EINVAL, "old_string and new_string are the same");
    if (count == 0)
        return err_set(e, -ENOENT,
                       "old_string is not in '%s': read it again, white space counts too", path);
    return count > 1 && !d->all ? ambiguous(d, count, e) : 0;
}

static int run(const struct tool_call *c, struct tool_result *result, struct err *e)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    const char *end, *name = tool_text(c, "path");
    struct edit d = { .text = STR(""), .all = tool_flag(c, "replace_all") };
    char *path;
    int r = tool_path(c, name, &path, e);

    if (r == 0)
        r = edit_read(c, path, &d.text, e);
    if (r < 0)
        return r;
    end = edit_line_end(d.text);
    d.old = edit_with_line_end(c->arena, str_of(tool_text(c, "old_string")), end);
    d.new = edit_with_line_end(c->arena, str_of(tool_text(c, "new_string")), end);
    r = check(&d, name, e);
    if (r < 0)
        return r;
    replace(&d, &out);
    r = edit_write(c, path, strbuf_str(&out), 0, e);
    if (r < 0)
        return r;
    result->title = name;
    result->metadata = edit_count(c->arena, d.text, strbuf_str(&out));
    result->output = str_of(arena_printf(c->arena, "edited '%s' at line %u", name, first_line(&d)));
    return 0;
}

const struct tool edit_tool = {
    .name = "edit",
    .description =
        "Replace a piece of a file that was read in this session. old_string must be in the file "
        "exactly once, unless replace_all is true.",
    .parameters =
        "{\"type\":\"object\",\"properties\":{"
        "\"path\":{\"type\":\"string\"},"
        "\"old_string\":{\"type\":\"string\",\"description\":\"as it stands in the file\"},"
        "\"new_string\":{\"type\":\"string\"},"
        "\"replace_all\":{\"type\":\"boolean\"}},"
        "\"required\":[\"path\",\"old_string\",\"new_string\"]}",
    .run = run,
};
