/*
 * Changes of a text. Files that people edit keep their layout and their comments: a change is cut
 * into the bytes, and nothing is written anew.
 */
#include "json/chars.h"
#include "json/node.h"

/* Comments ------------------------------------------------------------------------------------ */

/* The end of the comment that begins at `at`; NULL: none does. */
static const char *comment_end(const char *at, const char *end)
{
    const char *found;

    if (end - at < 2 || at[0] != '/')
        return NULL;
    if (at[1] == '/') {
        found = memchr(at, '\n', (size_t)(end - at));
        found = found ? found : end;
        return found[-1] == '\r' ? found - 1 : found;
    }
    if (at[1] != '*')
        return NULL;
    found = memmem(at + 2, (size_t)(end - at - 2), "*/", 2);
    return found ? found + 2 : end;
}

static void blank(char *from, const char *to)
{
    for (char *p = from; p < to; p++)
        if (*p != '\n' && *p != '\r')
            *p = ' ';
}

struct json_edited json_edited(struct arena *a, struct str bytes, bool comments)
{
    struct json_edited s = { bytes, bytes };
    const char *end;
    char *copy, *p;

    if (!comments || !memchr(bytes.ptr, '/', bytes.len))
        return s;
    copy = arena_cstr(a, bytes);
    end = copy + bytes.len;
    for (p = copy; p < end; p++) {
        const char *after = comment_end(p, end);

        if (after) {
            blank(p, after);
            p += after - p - 1;
        } else if (*p == '"')
            for (p++; p < end && *p != '"' && *p != '\n'; p++)
                p += *p == '\\' && p + 1 < end;
    }
    s.parsed = (struct str){ copy, bytes.len };
    return s;
}

/* Places -------------------------------------------------------------------------------------- */

/* Where a child begins, with its name. */
static const char *begin_of(const struct json *child)
{
    return child->key ? child->key - 1 : child->text;
}

static const char *end_of(const struct json *child)
{
    return child->text + child->len;
}

/* The place in the bytes that is at `at` in what was parsed. */
static const char *in_bytes(const struct json_edited *s, const char *at)
{
    return s->bytes.ptr + (at - s->parsed.ptr);
}

static bool has_comment(const struct json_edited *s, const char *from, const char *to)
{
    return memcmp(in_bytes(s, from), from, (size_t)(to - from)) != 0;
}

bool json_text_has_comment(const struct json_edited *s, const struct json *value)
{
    return has_comment(s, value->text, end_of(value));
}

static const char *back_over_space(const char *at, const char *begin)
{
    while (at > begin && chars_is_space(at[-1]))
        at--;
    return at;
}

/* Behind the comments that begin on the line of `at`: they belong to what is before them. */
static const char *behind_comments(const struct json_edited *s, const char *at)
{
    const char *end = s->bytes.ptr + s->bytes.len, *p = in_bytes(s, at), *after = p;

    while (after) {
        p = after;
        while (after < end && (*after == ' ' || *after == '\t'))
            after++;
        after = comment_end(after, end);
    }
    return p;
}

/* The white space that the line of `at` begins with; false: `at` is not what follows it. */
static bool indent_of(const struct json_edited *s, const char *at, struct str *indent)
{
    const char *line = at;

    while (line > s->parsed.ptr && line[-1] != '\n')
        line--;
    *indent = (struct str){ line, 0 };
    while (line[indent->len] == ' ' || line[indent->len] == '\t')
        indent->len++;
    return line + indent->len == at;
}

/* Layout -------------------------------------------------------------------------------------- */

struct layout {
    const char *line_end;
    struct str unit; /* of indentation */
};

/* Its first member is as far in as one level goes, where it has a line of its own. */
static struct layout layout_of(const struct json_edited *s)
{
    const char *end = s->parsed.ptr + s->parsed.len, *p = s->parsed.ptr, *line;
    const char *first = memchr(p, '\n', s->parsed.len);
    struct layout l = { first > p && first[-1] == '\r' ? "\r\n" : "\n", STR("  ") };

    while (p < end && chars_is_space(*p))
        p++;
    line = ++p; /* behind the bracket */
    for (; p < end && chars_is_space(*p); p++)
        if (*p == '\n')
            line = p + 1;
    if (line < p && line[-1] == '\n')
        l.unit = (struct str){ line, (size_t)(p - line) };
    return l;
}

static void add_break(struct strbuf *out, const struct layout *l, struct str indent)
{
    strbuf_addstr(out, l->line_end);
    strbuf_add(out, indent.ptr, indent.len);
}

/* Readable, every line but the first moved to the right. */
static void add_value(struct strbuf *out, const struct json *value, const struct layout *l,
                      struct str indent)
{
    CLEANUP(strbuf) struct strbuf pretty = { 0 };
    struct str rest, line;
    bool first = true;

    json_write(&pretty, value, JSON_PRETTY);
    rest = str_trim(strbuf_str(&pretty));
    while (str_cut(&rest, '\n', &line)) {
        if (!first)
            add_break(out, l, indent);
        for (; str_starts(line, STR("  ")); line.ptr += 2, line.len -= 2)
            strbuf_add(out, l->unit.ptr, l->unit.len);
        strbuf_add(out, line.ptr, line.len);
        first = false;
    }
}

static void add_child(struct strbuf *out, struct str key, const struct json *value,
                      const struct layout *l, struct str indent)
{
    if (str_is_set(key)) {
        json_write_string(out, key);
        strbuf_addstr(out, ": ");
    }
    add_value(out, value, l, indent);
}

static void add_bytes(struct strbuf *out, const char *from, const char *to)
{
    strbuf_add(out, from, (size_t)(to - from));
}

static void add_rest(struct strbuf *out, const struct json_edited *s, const char *from)
{
    add_bytes(out, from, s->bytes.ptr + s->bytes.len);
}

/* Changes ------------------------------------------------------------------------------------- */

static const struct json *last_of(const struct json *in)
{
    const struct json *last = in->first;

    while (last && last->next)
        last = last->next;
    return last;
}

/* Into a container that has nothing in it but white space and comments. */
static void insert_first(struct strbuf *out, const struct json_edited *s, const struct json *in,
                         struct str key, const struct json *value)
{
    const struct layout l = layout_of(s);
    const char *begin = in_bytes(s, in->text + 1), *end = in_bytes(s, end_of(in) - 1);
    const char *kept = back_over_space(end, begin);
    CLEANUP(strbuf) struct strbuf deeper = { 0 };
    struct str indent;

    (void)indent_of(s, in->text, &indent);
    strbuf_add(&deeper, indent.ptr, indent.len);
    strbuf_add(&deeper, l.unit.ptr, l.unit.len);
    add_bytes(out, s->bytes.ptr, kept);
    add_break(out, &l, strbuf_str(&deeper));
    add_child(out, key, value, &l, strbuf_str(&deeper));
    if (kept == begin || !memchr(kept, '\n', (size_t)(end - kept)))
        add_break(out, &l, indent);
    add_rest(out, s, kept == begin ? end : kept);
}

char *json_text_insert(struct arena *a, const struct json_edited *s, const struct json *in,
                       struct str key, const struct json *value)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    const struct layout l = layout_of(s);
    const struct json *last = last_of(in);
    const char *at, *rest;
    struct str indent;

    if (!last) {
        insert_first(&out, s, in, key, value);
        return arena_cstr(a, strbuf_str(&out));
    }
    at = rest = in_bytes(s, end_of(last));
    add_bytes(&out, s->bytes.ptr, at);
    if (indent_of(s, begin_of(last), &indent)) {
        rest = behind_comments(s, end_of(last));
        strbuf_addch(&out, ',');
        add_bytes(&out, at, rest);
        add_break(&out, &l, indent);
    } else /* all on one line */
        strbuf_addstr(&out, ", ");
    add_child(&out, key, value, &l, indent);
    add_rest(&out, s, rest);
    return arena_cstr(a, strbuf_str(&out));
}

static const char *comma_behind(const struct json *child)
{
    const char *p = end_of(child);

    while (*p != ',')
        p++;
    return p;
}

/* A child with comments around it goes without them, the comma that is too many with it. */
static void remove_between(struct strbuf *out, const struct json_edited *s,
                           const struct json *before, const struct json *child)
{
    const char *from = in_bytes(s, begin_of(child)), *to = in_bytes(s, end_of(child));
    const char *kept = s->bytes.ptr, *end = kept + s->bytes.len;

    if (child->next) {
        to = in_bytes(s, comma_behind(child)) + 1;
        while (to < end && chars_is_space(*to))
            to++;
    } else {
        from = back_over_space(from, s->bytes.ptr);
        if (before) {
            const char *comma = in_bytes(s, comma_behind(before));

            add_bytes(out, kept, comma);
            kept = comma + 1;
        }
    }
    add_bytes(out, kept, from);
    add_rest(out, s, to);
}

char *json_text_remove(struct arena *a, const struct json_edited *s, const struct json *in,
                       const struct json *child)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    const struct json *before = NULL;
    const char *from, *to;
    bool comments;

    for (const struct json *c = in->first; c != child; c = c->next)
        before = c;
    if (before) {
        from = end_of(before);
        to = end_of(child);
        comments = has_comment(s, from, begin_of(child));
    } else if (child->next) {
        from = begin_of(child);
        to = begin_of(child->next);
        comments = has_comment(s, end_of(child), to);
    } else {
        from = in->text + 1;
        to = end_of(in) - 1;
        comments = has_comment(s, from, begin_of(child)) || has_comment(s, end_of(child), to);
    }
    if (comments)
        remove_between(&out, s, before, child);
    else {
        add_bytes(&out, s->bytes.ptr, in_bytes(s, from));
        add_rest(&out, s, in_bytes(s, to));
    }
    return arena_cstr(a, strbuf_str(&out));
}

char *json_text_replace(struct arena *a, const struct json_edited *s, const struct json *old,
                        const struct json *value)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };

    add_bytes(&out, s->bytes.ptr, in_bytes(s, old->text));
    json_write(&out, value, JSON_COMPACT);
    add_rest(&out, s, in_bytes(s, end_of(old)));
    return arena_cstr(a, strbuf_str(&out));
}
