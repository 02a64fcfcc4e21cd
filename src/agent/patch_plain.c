/* The form of patches that says no line numbers. */
#include "agent/patch_parse.h"

#include <errno.h>

static int read_added(struct patch_parsing *p)
{
    patch_begin_hunk(p);
    while (patch_begins(p, STR("+"), NULL))
        (void)patch_take_line(p);
    while (!patch_at_end(p) && patch_is_blank(p->line))
        patch_advance(p);
    patch_end_hunk(p, false);
    return patch_begins(p, STR("*** "), NULL)
               ? 0
               : patch_refuse(p, "lines of an added file must begin with '+'");
}

static void read_anchors(struct patch_parsing *p)
{
    struct str text;
    long unused;

    while (patch_begins(p, STR("@@"), &text)) {
        if (!patch_read_numbers(text, &p->hunk->old_line, &unused, &unused) && text.len)
            patch_add_anchor(p, text);
        patch_advance(p);
    }
}

static int read_hunk(struct patch_parsing *p)
{
    patch_begin_hunk(p);
    read_anchors(p);
    while (patch_take_line(p))
        ;
    patch_end_hunk(p, true);
    if (patch_begins(p, STR("*** End of File"), NULL)) {
        p->hunk->at_end = true;
        patch_advance(p);
        while (!patch_at_end(p) && patch_is_blank(p->line))
            patch_advance(p);
    }
    return patch_check_hunk(p);
}

static int read_updated(struct patch_parsing *p)
{
    struct str to;
    int r = 0;

    if (patch_begins(p, STR("*** Move to:"), &to)) {
        p->file->move_to = arena_cstr(p->arena, to);
        patch_advance(p);
        if (to.len == 0)
            return patch_refuse(p, "the line before it names no file");
    }
    while (r == 0 && !patch_at_end(p) && !patch_begins(p, STR("*** "), NULL)) {
        if (patch_is_blank(p->line))
            patch_advance(p);
        else if (patch_begins(p, STR("@"), NULL) || patch_begins_line(p))
            r = read_hunk(p);
        else
            return patch_refuse(p, "lines must begin with '@@', a space, '+' or '-'");
    }
    if (r == 0 && !p->file->hunks && !p->file->move_to)
        return err_set(p->e, -EINVAL, "'%s': the patch says no change", p->file->path);
    return r;
}

static int read_section(struct patch_parsing *p)
{
    static const struct {
        struct str words;
        enum patch_kind kind;
        int (*read)(struct patch_parsing *p);
    } kinds[] = {
        { { "*** Update File:", 16 }, PATCH_UPDATE, read_updated },
        { { "*** Add File:", 13 }, PATCH_ADD, read_added },
        { { "*** Delete File:", 16 }, PATCH_DELETE, NULL },
    };
    struct str path;

    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (!patch_begins(p, kinds[i].words, &path))
            continue;
        if (path.len == 0)
            return patch_refuse(p, "it names no file");
        patch_add_file(p, kinds[i].kind, path);
        patch_advance(p);
        return kinds[i].read ? kinds[i].read(p) : 0;
    }
    return patch_refuse(p, "expected '*** Update File:', '*** Add File:', '*** Delete File:' or "
                           "'*** End Patch'");
}

int patch_read_plain(struct patch_parsing *p)
{
    int r = 0;

    patch_advance(p);
    while (r == 0 && !patch_begins(p, STR("*** End Patch"), NULL)) {
        if (!patch_at_end(p) && patch_is_blank(p->line))
            patch_advance(p);
        else
            r = read_section(p);
    }
    return r;
}
