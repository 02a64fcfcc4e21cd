#include "agent/patch.h"

#include "agent/tool.h"

#include <errno.h>
#include <stdlib.h>

#define SHOWN 60 /* bytes of a line in a message */

struct line {
    struct line *next;
    struct patch_line it;
};

struct anchor {
    struct anchor *next;
    struct str text;
};

struct parsing {
    struct arena *arena;
    struct str rest; /* unset at the end */
    struct str line; /* the one looked at, without its end; unset at the end */
    unsigned place;  /* its number */
    struct patch *patch;
    struct patch_file *file, **file_end;
    struct patch_hunk *hunk, **hunk_end;
    struct line *lines, *last_line;
    struct anchor *anchors, **anchor_end;
    size_t line_count, anchor_count;
    const char *rename_from, *rename_to; /* what git says before "---" */
    struct err *e;
};

static void advance(struct parsing *p)
{
    if (!str_cut(&p->rest, '\n', &p->line)) {
        p->line = (struct str){ 0 };
        return;
    }
    p->place++;
    if (p->line.len && p->line.ptr[p->line.len - 1] == '\r')
        p->line.len--;
}

static bool at_end(const struct parsing *p)
{
    return !str_is_set(p->line);
}

static bool is_blank(struct str line)
{
    return str_trim(line).len == 0;
}

/* Whether the line begins so; `after` is what follows, without white space around it. */
static bool begins(const struct parsing *p, struct str with, struct str *after)
{
    if (at_end(p) || !str_starts(p->line, with))
        return false;
    if (after)
        *after = str_trim((struct str){ p->line.ptr + with.len, p->line.len - with.len });
    return true;
}

static int refuse(struct parsing *p, const char *what)
{
    struct str line = p->line;

    if (at_end(p))
        return err_set(p->e, -EINVAL, "the patch ends too early: %s", what);
    return err_set(p->e, -EINVAL, "line %u of the patch, '%.*s%s': %s", p->place,
                   (int)tool_fit(line, SHOWN), line.ptr, line.len > SHOWN ? "…" : "", what);
}

/* Files and hunks -------------------------------------------------------------------------------
 */

static void add_file(struct parsing *p, enum patch_kind kind, struct str path)
{
    struct patch_file *f = arena_new(p->arena, struct patch_file);

    f->kind = kind;
    f->path = arena_cstr(p->arena, path);
    *p->file_end = f;
    p->file_end = &f->next;
    p->hunk_end = &f->hunks;
    p->file = f;
    p->hunk = NULL;
    p->patch->count++;
}

static void add_anchor(struct parsing *p, struct str text)
{
    struct anchor *n = arena_new(p->arena, struct anchor);

    n->text = text;
    *p->anchor_end = n;
    p->anchor_end = &n->next;
    p->anchor_count++;
}

static void begin_hunk(struct parsing *p)
{
    unsigned number = p->hunk ? p->hunk->number + 1 : 1;

    p->hunk = arena_new(p->arena, struct patch_hunk);
    p->hunk->number = number;
    p->hunk->place = p->place;
    *p->hunk_end = p->hunk;
    p->hunk_end = &p->hunk->next;
    p->lines = p->last_line = NULL;
    p->anchors = NULL;
    p->anchor_end = &p->anchors;
    p->line_count = p->anchor_count = 0;
}

static void add_line(struct parsing *p, char kind, struct str text)
{
    struct line *l = arena_new(p->arena, struct line);

    l->it = (struct patch_line){ .kind = kind, .text = text };
    if (p->last_line)
        p->last_line->next = l;
    else
        p->lines = l;
    p->last_line = l;
    p->line_count++;
}

/* One that lost the space before nothing is an empty line that stays. */
static char kind_of(struct str line)
{
    if (line.len == 0)
        return ' ';
    return line.ptr[0];
}

static bool begins_hunk_line(const struct parsing *p)
{
    char kind = kind_of(p->line);

    return kind == ' ' || kind == '+' || kind == '-';
}

static bool take_hunk_line(struct parsing *p)
{
    char kind = kind_of(p->line);

    if (at_end(p) || !begins_hunk_line(p))
        return false;
    if (p->line.len)
        add_line(p, kind, (struct str){ p->line.ptr + 1, p->line.len - 1 });
    else
        add_line(p, kind, p->line);
    advance(p);
    return true;
}

/* Empty lines at the end are more likely the writer's than the file's; without them less is
 * checked, and nothing else changes. */
static void end_hunk(struct parsing *p, bool trim)
{
    struct patch_hunk *h = p->hunk;
    size_t i = 0;

    h->lines = arena_array(p->arena, struct patch_line, p->line_count);
    for (const struct line *l = p->lines; l; l = l->next)
        h->lines[i++] = l->it;
    h->count = i;
    while (trim && h->count && h->lines[h->count - 1].kind == ' ' &&
           h->lines[h->count - 1].text.len == 0)
        h->count--;
    h->anchors = arena_array(p->arena, struct str, p->anchor_count);
    h->anchor_count = p->anchor_count;
    i = 0;
    for (const struct anchor *n = p->anchors; n; n = n->next)
        h->anchors[i++] = n->text;
}

static bool changes_something(const struct patch_hunk *h)
{
    for (size_t i = 0; i < h->count; i++)
        if (h->lines[i].kind != ' ')
            return true;
    return false;
}

static int check_hunk(struct parsing *p)
{
    if (changes_something(p->hunk))
        return 0;
    return err_set(
        p->e, -EINVAL,
        "'%s', hunk %u (line %u of the patch): it changes nothing, lines must begin with "
        "'+' or '-'",
        p->file->path, p->hunk->number, p->hunk->place);
}

/* -a,b +c,d @@ … : the first number is all that is used. */
static bool read_numbers(struct str text, unsigned *old_line, long *old_count, long *new_count)
{
    char head[64];
    int used = 0;
    unsigned long from, to;
    char *end;

    if (text.len == 0 || text.ptr[0] != '-')
        return false;
    used = (int)(text.len < sizeof(head) - 1 ? text.len : sizeof(head) - 1);
    memcpy(head, text.ptr, (size_t)used);
    head[used] = '\0';
    *old_count = *new_count = 1;
    from = strtoul(head + 1, &end, 10);
    if (*end == ',')
        *old_count = strtol(end + 1, &end, 10);
    if (strncmp(end, " +", 2) != 0)
        return false;
    to = strtoul(end + 2, &end, 10);
    if (*end == ',')
        *new_count = strtol(end + 1, &end, 10);
    *old_line = from < 100000000 && to < 100000000 ? (unsigned)from : 0;
    return strncmp(end, " @@", 3) == 0;
}

/* The form without line numbers -----------------------------------------------------------------
 */

static int read_added(struct parsing *p)
{
    begin_hunk(p);
    while (begins(p, STR("+"), NULL))
        (void)take_hunk_line(p);
    while (!at_end(p) && is_blank(p->line))
        advance(p);
    end_hunk(p, false);
    return begins(p, STR("*** "), NULL) ? 0
                                        : refuse(p, "lines of an added file must begin with '+'");
}

static void read_anchors(struct parsing *p)
{
    struct str text;
    long unused;

    while (begins(p, STR("@@"), &text)) {
        if (!read_numbers(text, &p->hunk->old_line, &unused, &unused) && text.len)
            add_anchor(p, text);
        advance(p);
    }
}

static int read_hunk(struct parsing *p)
{
    begin_hunk(p);
    read_anchors(p);
    while (take_hunk_line(p))
        ;
    end_hunk(p, true);
    if (begins(p, STR("*** End of File"), NULL)) {
        p->hunk->at_end = true;
        advance(p);
        while (!at_end(p) && is_blank(p->line))
            advance(p);
    }
    return check_hunk(p);
}

static int read_updated(struct parsing *p)
{
    struct str to;
    int r = 0;

    if (begins(p, STR("*** Move to:"), &to)) {
        p->file->move_to = arena_cstr(p->arena, to);
        advance(p);
        if (to.len == 0)
            return refuse(p, "the line before it names no file");
    }
    while (r == 0 && !at_end(p) && !begins(p, STR("*** "), NULL)) {
        if (is_blank(p->line))
            advance(p);
        else if (begins(p, STR("@"), NULL) || begins_hunk_line(p))
            r = read_hunk(p);
        else
            return refuse(p, "lines must begin with '@@', a space, '+' or '-'");
    }
    if (r == 0 && !p->file->hunks && !p->file->move_to)
        return err_set(p->e, -EINVAL, "'%s': the patch says no change", p->file->path);
    return r;
}

static int read_section(struct parsing *p)
{
    static const struct {
        struct str words;
        enum patch_kind kind;
        int (*read)(struct parsing *p);
    } kinds[] = {
        { { "*** Update File:", 16 }, PATCH_UPDATE, read_updated },
        { { "*** Add File:", 13 }, PATCH_ADD, read_added },
        { { "*** Delete File:", 16 }, PATCH_DELETE, NULL },
    };
    struct str path;

    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (!begins(p, kinds[i].words, &path))
            continue;
        if (path.len == 0)
            return refuse(p, "it names no file");
        add_file(p, kinds[i].kind, path);
        advance(p);
        return kinds[i].read ? kinds[i].read(p) : 0;
    }
    return refuse(p, "expected '*** Update File:', '*** Add File:', '*** Delete File:' or "
                     "'*** End Patch'");
}

static int read_plain(struct parsing *p)
{
    int r = 0;

    advance(p);
    while (r == 0 && !begins(p, STR("*** End Patch"), NULL)) {
        if (!at_end(p) && is_blank(p->line))
            advance(p);
        else
            r = read_section(p);
    }
    return r;
}

/* Unified diffs ---------------------------------------------------------------------------------
 */

static struct str next_line(const struct parsing *p)
{
    struct str rest = p->rest, line = { 0 };

    (void)str_cut(&rest, '\n', &line);
    return line;
}

static bool is_header(const struct parsing *p)
{
    return begins(p, STR("--- "), NULL) && str_starts(next_line(p), STR("+++ "));
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

static int read_names(struct parsing *p)
{
    struct str from = { 0 }, to = { 0 };
    bool fresh, gone;

    (void)begins(p, STR("--- "), &from);
    advance(p);
    (void)begins(p, STR("+++ "), &to);
    fresh = str_is(name_in(from, ""), "/dev/null");
    gone = str_is(name_in(to, ""), "/dev/null");
    from = name_in(from, "a/");
    to = name_in(to, "b/");
    if ((fresh && gone) || from.len == 0 || to.len == 0)
        return refuse(p, "the two lines name no file");
    add_file(p, fresh ? PATCH_ADD : gone ? PATCH_DELETE : PATCH_UPDATE, fresh ? to : from);
    if (!fresh && !gone && !str_eq(from, to))
        p->file->move_to = arena_cstr(p->arena, to);
    advance(p);
    return 0;
}

static bool is_more(const struct parsing *p, long old_left, long new_left)
{
    if (begins(p, STR("@@"), NULL) || begins(p, STR("diff "), NULL))
        return false;
    /* What looks like the next file is a change of lines while lines of both sides are missing. */
    return !is_header(p) || (old_left > 0 && new_left > 0);
}

static int read_unified_hunk(struct parsing *p)
{
    struct str text = { 0 };
    long old_left = 0, new_left = 0;

    begin_hunk(p);
    (void)begins(p, STR("@@"), &text);
    if (!read_numbers(text, &p->hunk->old_line, &old_left, &new_left))
        return refuse(p, "expected '@@ -line,count +line,count @@'");
    advance(p);
    while (!at_end(p) && is_more(p, old_left, new_left)) {
        char kind = kind_of(p->line);

        if (kind == '\\') {
            if (p->last_line)
                p->last_line->it.open = true;
            advance(p);
            continue;
        }
        if ((p->line.len == 0 && old_left <= 0 && new_left <= 0) || !take_hunk_line(p))
            break;
        old_left -= kind != '+';
        new_left -= kind != '-';
    }
    end_hunk(p, old_left != 0 || new_left != 0);
    return check_hunk(p);
}

static bool is_of_git(const struct parsing *p)
{
    static const char *const words[] = { "diff ",       "index ",         "old mode ",
                                         "new mode ",   "new file mode ", "deleted file mode ",
                                         "similarity ", "dissimilarity ", "rename from ",
                                         "rename to " };

    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (begins(p, str_of(words[i]), NULL))
            return true;
    return false;
}

/* A file that git renames without changing it has no "---". */
static void end_renames(struct parsing *p)
{
    if (p->rename_from && p->rename_to) {
        add_file(p, PATCH_UPDATE, str_of(p->rename_from));
        p->file->move_to = p->rename_to;
        p->file->unified = true;
    }
    p->rename_from = p->rename_to = NULL;
}

static void note_rename(struct parsing *p)
{
    struct str name;

    if (begins(p, STR("diff "), NULL))
        end_renames(p);
    if (begins(p, STR("rename from "), &name))
        p->rename_from = arena_cstr(p->arena, name);
    if (begins(p, STR("rename to "), &name))
        p->rename_to = arena_cstr(p->arena, name);
}

static int read_unified_file(struct parsing *p)
{
    int r = read_names(p);

    p->rename_from = p->rename_to = NULL;
    if (r < 0)
        return r;
    p->file->unified = true;
    while (r == 0 && begins(p, STR("@@"), NULL))
        r = read_unified_hunk(p);
    if (r == 0 && !p->file->hunks)
        return refuse(p, "expected '@@ -line,count +line,count @@'");
    return r;
}

static int read_unified(struct parsing *p)
{
    int r = 0;

    while (r == 0 && !at_end(p)) {
        if (is_header(p)) {
            r = read_unified_file(p);
        } else if (is_of_git(p) || is_blank(p->line)) {
            note_rename(p);
            advance(p);
        } else {
            return refuse(p, "expected '--- file' and '+++ file', or '*** Begin Patch' before all");
        }
    }
    end_renames(p);
    return r;
}

int patch_parse(struct arena *a, struct str text, struct patch *out, struct err *e)
{
    struct parsing p = { .arena = a, .rest = text, .patch = out, .e = e };
    int r;

    *out = (struct patch){ 0 };
    p.file_end = &out->first;
    if (text.len > PATCH_MAX)
        return err_set(e, -EFBIG, "the patch is larger than %zu bytes", PATCH_MAX);
    do
        advance(&p);
    while (!at_end(&p) && is_blank(p.line));
    r = begins(&p, STR("*** Begin Patch"), NULL) ? read_plain(&p) : read_unified(&p);
    if (r == 0 && out->count == 0)
        return err_set(e, -EINVAL, "the patch names no file");
    return r;
}
