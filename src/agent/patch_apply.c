/* Finding where a hunk belongs, and putting the text together. */
#include "agent/edit.h"
#include "agent/patch.h"

#include <errno.h>

#define SHOWN     80 /* bytes of a line in a message */
#define STEPS_MAX UINT64_C(200000000)

/* A text as lines; each with its end, but for the last perhaps. */
struct text {
    struct str *lines;
    size_t count;
};

struct applying {
    struct arena *arena;
    const struct patch_file *file;
    struct text text;
    const char *line_end;
    size_t at; /* lines that are done */
    struct strbuf out;
    uint64_t steps; /* comparisons: a hostile pair of texts could take hours */
    struct err *e;
};

/* A hunk while its place is looked for. */
struct search {
    struct applying *a;
    const struct patch_hunk *h;
    struct str *old; /* the lines it expects */
    size_t count;
    size_t from; /* first line it may begin at */
    bool loose;  /* white space at the ends of lines does not count */
};

static struct text split(struct arena *a, struct str text)
{
    struct text t = { 0 };
    size_t room = 1, begin = 0;

    for (size_t i = 0; i < text.len; i++)
        room += text.ptr[i] == '\n';
    t.lines = arena_array(a, struct str, room);
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != '\n' && i + 1 < text.len)
            continue;
        t.lines[t.count++] = (struct str){ text.ptr + begin, i + 1 - begin };
        begin = i + 1;
    }
    return t;
}

static struct str without_end(struct str line)
{
    if (line.len && line.ptr[line.len - 1] == '\n')
        line.len--;
    if (line.len && line.ptr[line.len - 1] == '\r')
        line.len--;
    return line;
}

static struct str without_space(struct str line)
{
    while (line.len && strchr(" \t\r", line.ptr[line.len - 1]) && line.ptr[line.len - 1])
        line.len--;
    return line;
}

static bool line_is(const struct search *s, size_t at, struct str expected)
{
    struct str line = without_end(s->a->text.lines[at]);

    s->a->steps++;
    return s->loose ? str_eq(without_space(line), without_space(expected)) : str_eq(line, expected);
}

/* How many of the lines it expects are there. */
static size_t fits(const struct search *s, size_t at)
{
    size_t n = 0;

    while (n < s->count && at + n < s->a->text.count && s->a->steps < STEPS_MAX &&
           line_is(s, at + n, s->old[n]))
        n++;
    return n;
}

static bool matches(const struct search *s, size_t at)
{
    if (s->h->at_end && at + s->count != s->a->text.count)
        return false;
    return fits(s, at) == s->count;
}

/* Messages --------------------------------------------------------------------------------------
 */

static int shown(struct str line)
{
    return (int)tool_fit(line, SHOWN);
}

static int refuse(const struct search *s, const char *what)
{
    return err_set(s->a->e, -EINVAL, "'%s', hunk %u (line %u of the patch): %s", s->a->file->path,
                   s->h->number, s->h->place, what);
}

/* Where most of it is, so that the one line that differs can be named. */
static size_t nearest(const struct search *s, size_t *fitting)
{
    size_t best = s->h->old_line > s->from ? s->h->old_line - 1 : s->from;

    *fitting = best < s->a->text.count ? fits(s, best) : 0;
    for (size_t at = s->from; at < s->a->text.count; at++) {
        size_t n = fits(s, at);

        if (n > *fitting) {
            *fitting = n;
            best = at;
        }
    }
    return best;
}

/* The line it stands at among those that are done; the number of them: none. */
static size_t find_before(const struct search *s)
{
    size_t at = 0;

    while (at < s->from && fits(s, at) < s->count)
        at++;
    return at;
}

static int not_found(const struct search *s)
{
    size_t fitting, at = nearest(s, &fitting), earlier = find_before(s);
    struct str expected = s->old[fitting < s->count ? fitting : 0], found = STR("the end");
    struct arena *a = s->a->arena;

    if (s->a->steps >= STEPS_MAX)
        return refuse(s, "looking for its place takes too long: make it smaller");
    if (earlier < s->from)
        return refuse(s, arena_printf(a,
                                      "it is at line %zu, before what the hunk before it changes: "
                                      "give hunks in the order of the file",
                                      earlier + 1));
    if (fitting == s->count)
        return refuse(s,
                      arena_printf(a, "it is not at the end of the file but at line %zu", at + 1));
    if (fitting == 0)
        return refuse(
            s, arena_printf(a, "expected '%.*s', but no line %s%zu is that: read the file",
                            shown(expected), expected.ptr, s->from ? "after line " : "of the ",
                            s->from ? s->from : s->a->text.count));
    at += fitting;
    if (at < s->a->text.count)
        found = without_end(s->a->text.lines[at]);
    return refuse(s, arena_printf(a, "expected '%.*s' at line %zu, found '%.*s'", shown(expected),
                                  expected.ptr, at + 1, shown(found), found.ptr));
}

static int ambiguous(const struct search *s, size_t first, size_t second)
{
    return refuse(s, arena_printf(s->a->arena,
                                  "it fits at line %zu and at line %zu: give more lines around it, "
                                  "or '@@' with a line before it",
                                  first + 1, second + 1));
}

/* Looking ---------------------------------------------------------------------------------------
 */

/* The first line from `at` on where it fits; the number of lines: none. */
static size_t find_from(const struct search *s, size_t at)
{
    while (at < s->a->text.count && s->a->steps < STEPS_MAX && !matches(s, at))
        at++;
    return s->a->steps < STEPS_MAX ? at : s->a->text.count;
}

/* Models write it without what it is indented by. */
static size_t find_anchor(const struct search *s, size_t at, struct str anchor)
{
    while (at < s->a->text.count && s->a->steps++ < STEPS_MAX &&
           !str_eq(str_trim(s->a->text.lines[at]), anchor))
        at++;
    return s->a->steps < STEPS_MAX ? at : s->a->text.count;
}

/*
 * From the line after "@@" on, which may be the first of the hunk too; `after`: the line behind it.
 * `sure`: there is only one place it can mean.
 */
static int pass_anchors(struct search *s, size_t *after, bool *sure)
{
    size_t none = s->a->text.count;

    *sure = s->h->anchor_count > 0;
    *after = s->from;
    for (size_t i = 0; i < s->h->anchor_count; i++) {
        struct str anchor = s->h->anchors[i];
        size_t at = find_anchor(s, *after, anchor);

        if (at >= none)
            return refuse(s, arena_printf(s->a->arena,
                                          "no line after line %zu is '%.*s', which stands after "
                                          "'@@'",
                                          *after, shown(anchor), anchor.ptr));
        *sure = *sure && find_anchor(s, at + 1, anchor) >= none;
        s->from = at;
        *after = at + 1;
    }
    return 0;
}

static int choose(const struct search *s, bool sure, size_t first, size_t *place)
{
    size_t said = s->h->old_line, second;

    *place = first;
    if (said && said - 1 >= s->from && said - 1 < s->a->text.count && matches(s, said - 1)) {
        *place = said - 1;
        return 0;
    }
    second = sure ? s->a->text.count : find_from(s, first + 1);
    return second < s->a->text.count ? ambiguous(s, first, second) : 0;
}

/* Only added lines: after the line a unified diff names, after "@@", else at the end. */
static size_t place_of_addition(const struct search *s, size_t after)
{
    size_t end = s->a->text.count;

    if (s->h->at_end)
        return end;
    if (s->a->file->unified)
        return s->h->old_line < s->from ? s->from : s->h->old_line > end ? end : s->h->old_line;
    return s->h->anchor_count ? after : end;
}

static int find_place(struct search *s, size_t *place)
{
    size_t none = s->a->text.count, first, after;
    bool sure;
    int r = pass_anchors(s, &after, &sure);

    if (r < 0)
        return r;
    if (s->count == 0) {
        *place = place_of_addition(s, after);
        return 0;
    }
    first = find_from(s, s->from);
    if (first == none) {
        s->loose = true;
        first = find_from(s, s->from);
    }
    return first == none ? not_found(s) : choose(s, sure, first, place);
}

/* Writing ---------------------------------------------------------------------------------------
 */

static void begin_line(struct applying *a)
{
    if (a->out.len && a->out.buf[a->out.len - 1] != '\n')
        strbuf_addstr(&a->out, a->line_end);
}

static void keep_until(struct applying *a, size_t line)
{
    for (; a->at < line; a->at++) {
        begin_line(a);
        strbuf_add(&a->out, a->text.lines[a->at].ptr, a->text.lines[a->at].len);
    }
}

static void write_hunk(struct applying *a, const struct patch_hunk *h, size_t place)
{
    keep_until(a, place);
    for (size_t i = 0; i < h->count; i++) {
        const struct patch_line *l = &h->lines[i];

        if (l->kind == ' ')
            keep_until(a, a->at + 1);
        else if (l->kind == '-')
            a->at++;
        if (l->kind != '+')
            continue;
        begin_line(a);
        strbuf_add(&a->out, l->text.ptr, l->text.len);
        if (!l->open)
            strbuf_addstr(&a->out, a->line_end);
    }
}

static int apply_hunk(struct applying *a, const struct patch_hunk *h)
{
    struct search s = { .a = a, .h = h, .from = a->at };
    size_t place = 0;
    int r;

    s.old = arena_array(a->arena, struct str, h->count);
    for (size_t i = 0; i < h->count; i++)
        if (h->lines[i].kind != '+')
            s.old[s.count++] = h->lines[i].text;
    r = find_place(&s, &place);
    if (r == 0)
        write_hunk(a, h, place);
    return r;
}

static bool ends_open(struct str text)
{
    return text.len && text.ptr[text.len - 1] != '\n';
}

/* A file that ended without a line break still does, unless the patch can say so and did not. */
static void end_like(struct applying *a, struct str before)
{
    size_t end = strlen(a->line_end);

    if (a->file->unified || !ends_open(before) || ends_open(strbuf_str(&a->out)) ||
        a->out.len < end)
        return;
    a->out.len -= end;
    a->out.buf[a->out.len] = '\0';
}

static struct str join(struct arena *a, struct str head, const struct strbuf *rest)
{
    char *text = arena_alloc(a, head.len + rest->len + 1);

    memcpy(text, head.ptr, head.len);
    memcpy(text + head.len, strbuf_cstr(rest), rest->len + 1);
    return (struct str){ text, head.len + rest->len };
}

int patch_apply(struct arena *arena, const struct patch_file *f, struct str before,
                struct str *after, struct err *e)
{
    const struct str mark = EDIT_BYTE_ORDER_MARK;
    struct applying a = { .arena = arena, .file = f, .line_end = edit_line_end(before), .e = e };
    struct str body = before;
    int r = 0;

    if (str_starts(before, mark))
        body = (struct str){ before.ptr + mark.len, before.len - mark.len };
    a.text = split(arena, body);
    for (const struct patch_hunk *h = f->hunks; h && r == 0; h = h->next)
        r = apply_hunk(&a, h);
    if (r == 0) {
        keep_until(&a, a.text.count);
        end_like(&a, before);
        *after = join(arena, (struct str){ before.ptr, before.len - body.len }, &a.out);
    }
    strbuf_release(&a.out);
    return r;
}
