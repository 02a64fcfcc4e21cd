/*
 * Changes of a text. Files that people edit keep their layout: a change is cut into the bytes, and
 * nothing is written anew.
 */
#include "json/node.h"

static size_t offset_of(struct str text, const char *at)
{
    return (size_t)(at - text.ptr);
}

/* Where a child begins, with its name. */
static const char *begin_of(const struct json *child)
{
    return child->key ? child->key - 1 : child->text;
}

static const char *end_of(const struct json *child)
{
    return child->text + child->len;
}

/* The white space that the line of `at` begins with; false: `at` is not what follows it. */
static bool indent_of(struct str text, const char *at, struct str *indent)
{
    const char *line = at;

    while (line > text.ptr && line[-1] != '\n')
        line--;
    *indent = (struct str){ line, 0 };
    while (line[indent->len] == ' ' || line[indent->len] == '\t')
        indent->len++;
    return line + indent->len == at;
}

static void add_break(struct strbuf *out, struct str indent)
{
    strbuf_addch(out, '\n');
    strbuf_add(out, indent.ptr, indent.len);
}

/* Readable, every line but the first moved to the right. */
static void add_value(struct strbuf *out, const struct json *value, struct str indent)
{
    CLEANUP(strbuf) struct strbuf pretty = { 0 };
    struct str rest, line;
    bool first = true;

    json_write(&pretty, value, JSON_PRETTY);
    rest = str_trim(strbuf_str(&pretty));
    while (str_cut(&rest, '\n', &line)) {
        if (!first)
            add_break(out, indent);
        strbuf_add(out, line.ptr, line.len);
        first = false;
    }
}

static void add_child(struct strbuf *out, struct str key, const struct json *value,
                      struct str indent)
{
    if (str_is_set(key)) {
        json_write_string(out, key);
        strbuf_addstr(out, ": ");
    }
    add_value(out, value, indent);
}

static const struct json *last_of(const struct json *in)
{
    const struct json *last = in->first;

    while (last && last->next)
        last = last->next;
    return last;
}

char *json_text_insert(struct arena *a, struct str text, const struct json *in, struct str key,
                       const struct json *value)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    const struct json *last = last_of(in);
    const char *at = last ? end_of(last) : in->text + 1;
    const char *rest = last ? at : end_of(in) - 1;
    struct str indent, deeper;

    strbuf_add(&out, text.ptr, offset_of(text, at));
    if (last && !indent_of(text, begin_of(last), &indent)) { /* all on one line */
        strbuf_addstr(&out, ", ");
        add_child(&out, key, value, indent);
    } else if (last) {
        strbuf_addch(&out, ',');
        add_break(&out, indent);
        add_child(&out, key, value, indent);
    } else {
        (void)indent_of(text, in->text, &indent);
        deeper = str_of(arena_printf(a, "%.*s  ", STR_ARG(indent)));
        add_break(&out, deeper);
        add_child(&out, key, value, deeper);
        add_break(&out, indent);
    }
    strbuf_add(&out, rest, text.len - offset_of(text, rest));
    return arena_cstr(a, strbuf_str(&out));
}

char *json_text_remove(struct arena *a, struct str text, const struct json *in,
                       const struct json *child)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    const struct json *before = NULL;
    const char *from, *to;

    for (const struct json *c = in->first; c != child; c = c->next)
        before = c;
    if (before) {
        from = end_of(before);
        to = end_of(child);
    } else if (child->next) {
        from = begin_of(child);
        to = begin_of(child->next);
    } else {
        from = in->text + 1;
        to = end_of(in) - 1;
    }
    strbuf_add(&out, text.ptr, offset_of(text, from));
    strbuf_add(&out, to, text.len - offset_of(text, to));
    return arena_cstr(a, strbuf_str(&out));
}
