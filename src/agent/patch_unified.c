/* Unified diffs. */
#include "agent/patch_parse.h"

static struct str next_line(const struct patch_parsing *p)
{
    struct str rest = p->rest, line = { 0 };

    (void)str_cut(&rest, '\n', &line);
    return line;
}

static bool is_header(const struct patch_parsing *p)
{
    return patch_begins(p, STR("--- "), NULL) && str_starts(next_line(p), STR("+++ "));
}

/* The name without its time, and without what git puts before it. */
static struct str name_in(struct str text, const char *side)
{
    struct str name = { 0 }, before = str_of(side);

    (void)str_cut(&text, '\t', &name);
    name = str_trim(name);
    if (str_starts(name, before))
        name = (struct str){ name.ptr + before.len, name.len - before.len };
    return name;
}

static int read_names(struct patch_parsing *p)
{
    struct str from = { 0 }, to = { 0 };
    bool fresh, gone;

    (void)patch_begins(p, STR("--- "), &from);
    patch_advance(p);
    (void)patch_begins(p, STR("+++ "), &to);
    fresh = str_is(name_in(from, ""), "/dev/null");
    gone = str_is(name_in(to, ""), "/dev/null");
    from = name_in(from, "a/");
    to = name_in(to, "b/");
    if ((fresh && gone) || from.len == 0 || to.len == 0)
        return patch_refuse(p, "the two lines name no file");
    patch_add_file(p, fresh ? PATCH_ADD : gone ? PATCH_DELETE : PATCH_UPDATE, fresh ? to : from);
    if (!fresh && !gone && !str_eq(from, to))
        p->file->move_to = arena_cstr(p->arena, to);
    patch_advance(p);
    return 0;
}

static bool is_more(const struct patch_parsing *p, long old_left, long new_left)
{
    if (patch_begins(p, STR("@@"), NULL) || patch_begins(p, STR("diff "), NULL))
        return false;
    /* What looks like the next file is a change of lines while lines of both sides are missing. */
    return !is_header(p) || (old_left > 0 && new_left > 0);
}

static int read_unified_hunk(struct patch_parsing *p)
{
    struct str text = { 0 };
    long old_left = 0, new_left = 0;

    patch_begin_hunk(p);
    (void)patch_begins(p, STR("@@"), &text);
    if (!patch_read_numbers(text, &p->hunk->old_line, &old_left, &new_left))
        return patch_refuse(p, "expected '@@ -line,count +line,count @@'");
    patch_advance(p);
    while (!patch_at_end(p) && is_more(p, old_left, new_left)) {
        char kind = patch_line_kind(p->line);

        if (kind == '\\') {
            if (p->last_line)
                p->last_line->it.open = true;
            patch_advance(p);
            continue;
        }
        if ((p->line.len == 0 && old_left <= 0 && new_left <= 0) || !patch_take_line(p))
            break;
        old_left -= kind != '+';
        new_left -= kind != '-';
    }
    patch_end_hunk(p, old_left != 0 || new_left != 0);
    return patch_check_hunk(p);
}

static bool is_of_git(const struct patch_parsing *p)
{
    static const char *const words[] = { "diff ",       "index ",         "old mode ",
                                         "new mode ",   "new file mode ", "deleted file mode ",
                                         "similarity ", "dissimilarity ", "rename from ",
                                         "rename to " };

    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (patch_begins(p, str_of(words[i]), NULL))
            return true;
    return false;
}

/* A file that git renames without changing it has no "---". */
static void end_renames(struct patch_parsing *p)
{
    if (p->rename_from && p->rename_to) {
        patch_add_file(p, PATCH_UPDATE, str_of(p->rename_from));
        p->file->move_to = p->rename_to;
        p->file->unified = true;
    }
    p->rename_from = p->rename_to = NULL;
}

static int note_rename(struct patch_parsing *p)
{
    struct str name = STR("unsaid");

    if (patch_begins(p, STR("diff "), NULL))
        end_renames(p);
    if (patch_begins(p, STR("rename from "), &name))
        p->rename_from = arena_cstr(p->arena, name);
    else if (patch_begins(p, STR("rename to "), &name))
        p->rename_to = arena_cstr(p->arena, name);
    return name.len ? 0 : patch_refuse(p, "it names no file");
}

static int read_unified_file(struct patch_parsing *p)
{
    int r = read_names(p);

    p->rename_from = p->rename_to = NULL;
    if (r < 0)
        return r;
    p->file->unified = true;
    while (r == 0 && patch_begins(p, STR("@@"), NULL))
        r = read_unified_hunk(p);
    if (r == 0 && !p->file->hunks)
        return patch_refuse(p, "expected '@@ -line,count +line,count @@'");
    return r;
}

int patch_read_unified(struct patch_parsing *p)
{
    int r = 0;

    while (r == 0 && !patch_at_end(p)) {
        if (is_header(p)) {
            r = read_unified_file(p);
        } else if (is_of_git(p) || patch_is_blank(p->line)) {
            r = note_rename(p);
            patch_advance(p);
        } else {
            return patch_refuse(
                p, "expected '--- file' and '+++ file', or '*** Begin Patch' before all");
        }
    }
    end_renames(p);
    return r;
}
