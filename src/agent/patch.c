#include "agent/patch_parse.h"
#include "agent/tool.h"

#include <errno.h>
#include <stdlib.h>

#define SHOWN 60 /* bytes of a line in a message */

void patch_advance(struct patch_parsing *p)
{
    if (!str_cut(&p->rest, '\n', &p->line)) {
        p->line = (struct str){ 0 };
        return;
    }
    p->place++;
    if (p->line.len && p->line.ptr[p->line.len - 1] == '\r')
        p->line.len--;
}

bool patch_at_end(const struct patch_parsing *p)
{
    return !str_is_set(p->line);
}

bool patch_is_blank(struct str line)
{
    return str_trim(line).len == 0;
}

bool patch_begins(const struct patch_parsing *p, struct str with, struct str *after)
{
    if (patch_at_end(p) || !str_starts(p->line, with))
        return false;
    if (after)
        *after = str_trim((struct str){ p->line.ptr + with.len, p->line.len - with.len });
    return true;
}

int patch_refuse(struct patch_parsing *p, const char *what)
{
    struct str line = p->line;

    if (patch_at_end(p))
        return err_set(p->e, -EINVAL, "the patch ends too early: %s", what);
    return err_set(p->e, -EINVAL, "line %u of the patch, '%.*s%s': %s", p->place,
                   (int)tool_fit(line, SHOWN), line.ptr, line.len > SHOWN ? "…" : "", what);
}

/* Files and hunks -------------------------------------------------------------------------------
 */

void patch_add_file(struct patch_parsing *p, enum patch_kind kind, struct str path)
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

void patch_add_anchor(struct patch_parsing *p, struct str text)
{
    struct patch_anchor *n = arena_new(p->arena, struct patch_anchor);

    n->text = text;
    *p->anchor_end = n;
    p->anchor_end = &n->next;
    p->anchor_count++;
}

void patch_begin_hunk(struct patch_parsing *p)
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

static void add_line(struct patch_parsing *p, char kind, struct str text)
{
    struct patch_taken *l = arena_new(p->arena, struct patch_taken);

    l->it = (struct patch_line){ .kind = kind, .text = text };
    if (p->last_line)
        p->last_line->next = l;
    else
        p->lines = l;
    p->last_line = l;
    p->line_count++;
}

/* One that lost the space before nothing is an empty line that stays. */
char patch_line_kind(struct str line)
{
    if (line.len == 0)
        return ' ';
    return line.ptr[0];
}

bool patch_begins_line(const struct patch_parsing *p)
{
    char kind = patch_line_kind(p->line);

    return kind == ' ' || kind == '+' || kind == '-';
}

bool patch_take_line(struct patch_parsing *p)
{
    char kind = patch_line_kind(p->line);

    if (patch_at_end(p) || !patch_begins_line(p))
        return false;
    if (p->line.len)
        add_line(p, kind, (struct str){ p->line.ptr + 1, p->line.len - 1 });
    else
        add_line(p, kind, p->line);
    patch_advance(p);
    return true;
}

void patch_end_hunk(struct patch_parsing *p, bool trim)
{
    struct patch_hunk *h = p->hunk;
    size_t i = 0;

    h->lines = arena_array(p->arena, struct patch_line, p->line_count);
    for (const struct patch_taken *l = p->lines; l; l = l->next)
        h->lines[i++] = l->it;
    h->count = i;
    while (trim && h->count && h->lines[h->count - 1].kind == ' ' &&
           h->lines[h->count - 1].text.len == 0)
        h->count--;
    h->anchors = arena_array(p->arena, struct str, p->anchor_count);
    h->anchor_count = p->anchor_count;
    i = 0;
    for (const struct patch_anchor *n = p->anchors; n; n = n->next)
        h->anchors[i++] = n->text;
}

static bool changes_something(const struct patch_hunk *h)
{
    for (size_t i = 0; i < h->count; i++)
        if (h->lines[i].kind != ' ')
            return true;
    return false;
}

int patch_check_hunk(struct patch_parsing *p)
{
    if (changes_something(p->hunk))
        return 0;
    return err_set(
        p->e, -EINVAL,
        "'%s', hunk %u (line %u of the patch): it changes nothing, lines must begin with "
        "'+' or '-'",
        p->file->path, p->hunk->number, p->hunk->place);
}

bool patch_read_numbers(struct str text, unsigned *old_line, long *old_count, long *new_count)
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

int patch_parse(struct arena *a, struct str text, struct patch *out, struct err *e)
{
    struct patch_parsing p = { .arena = a, .rest = text, .patch = out, .e = e };
    int r;

    *out = (struct patch){ 0 };
    p.file_end = &out->first;
    if (text.len > PATCH_MAX)
        return err_set(e, -EFBIG, "the patch is larger than %zu bytes", PATCH_MAX);
    do
        patch_advance(&p);
    while (!patch_at_end(&p) && patch_is_blank(p.line));
    r = patch_begins(&p, STR("*** Begin Patch"), NULL) ? patch_read_plain(&p)
                                                       : patch_read_unified(&p);
    if (r == 0 && out->count == 0)
        return err_set(e, -EINVAL, "the patch names no file");
    return r;
}
