#include "find/header.h"

#include "base/strbuf.h"
#include "hook/config.h"

#include <errno.h>

struct header {
    unsigned line;
    size_t column; /* bytes of the line before the map */
    struct str map;
};

/* The text of a comment line, or an unset one. */
static struct str comment_of(struct str line)
{
    static const struct str marks[] = { { "#", 1 }, { "//", 2 }, { "--", 2 } };
    struct str text = str_trim(line);

    for (size_t i = 0; i < ARRAY_LEN(marks); i++)
        if (str_starts(text, marks[i]))
            return (struct str){ text.ptr + marks[i].len, text.len - marks[i].len };
    return (struct str){ 0 };
}

static bool find_header(struct str head, struct header *out)
{
    const struct str word = STR("hooke:");
    struct str line;

    *out = (struct header){ 0 };
    while (str_cut(&head, '\n', &line)) {
        struct str text = str_trim(comment_of(line));

        out->line++;
        if (!str_is_set(text) || !str_starts(text, word))
            continue;
        out->map = str_trim((struct str){ text.ptr + word.len, text.len - word.len });
        out->column = (size_t)(out->map.ptr - line.ptr);
        return true;
    }
    return false;
}

bool header_is_there(struct str head)
{
    struct header h;

    return find_header(head, &h);
}

/* Where it stands in the file decides what the parser says of places. */
static int parse_map(struct arena *a, const struct origin *file, const struct header *h,
                     struct setting **out, struct problems *problems)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };
    struct origin as_yaml = *file, bad;
    struct err e = { 0 };

    for (unsigned i = 1; i < h->line; i++)
        strbuf_addch(&text, '\n');
    for (size_t i = 0; i < h->column; i++)
        strbuf_addch(&text, ' ');
    strbuf_add(&text, h->map.ptr, h->map.len);
    as_yaml.file = "header.yaml";
    if (setting_parse(a, &as_yaml, (struct str){ arena_cstr(a, strbuf_str(&text)), text.len }, out,
                      &bad, &e) < 0) {
        bad.file = file->file;
        problem_add(problems, &bad, "the line with 'hooke:' is no YAML map: %s", e.msg);
        return -EINVAL;
    }
    if ((*out)->kind != SETTING_MAP) {
        bad = (*out)->origin;
        bad.file = file->file;
        problem_add(problems, &bad, "after 'hooke:' there must be a map of keys, not %s",
                    setting_kind_name((*out)->kind));
        return -EINVAL;
    }
    return 0;
}

static void set_file(struct setting *s, const char *file)
{
    s->origin.file = file;
    for (struct setting *c = s->first; c; c = c->next)
        set_file(c, file);
}

/* Who it is and what runs is the file's own matter. */
static bool may_say(struct str key)
{
    static const char *const refused[] = { "name", "exec", "script", "resident", "group" };

    for (size_t i = 0; i < ARRAY_LEN(refused); i++)
        if (str_is(key, refused[i]))
            return false;
    return true;
}

int header_read(struct arena *a, const struct origin *file, struct str head, struct setting **out,
                struct problems *problems)
{
    struct setting *map, **link;
    struct header h;
    int r;

    *out = NULL;
    if (!find_header(head, &h))
        return 0;
    r = parse_map(a, file, &h, &map, problems);
    if (r < 0)
        return r;
    set_file(map, file->file);
    for (link = &map->first; *link;) {
        struct origin where = setting_key_origin(*link);

        if (may_say((*link)->key)) {
            link = &(*link)->next;
            continue;
        }
        problem_add(problems, &where, "a hook file cannot set its own '%s'", (*link)->key.ptr);
        *link = (*link)->next;
    }
    *out = map;
    return 0;
}
