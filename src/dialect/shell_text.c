#include "dialect/shell_text.h"

#include "base/strbuf.h"
#include "hook/shell_commands.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* A line end behind a backslash is nothing at all. */
static size_t add_escaped(struct strbuf *out, char c)
{
    if (c != '\n')
        strbuf_addch(out, c);
    return 1;
}

/* Without quotes and backslashes, white space outside of quotes as one blank. */
static struct str plain_of(struct arena *a, struct str s)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    bool single = false, twice = false;

    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];

        if (c == '\'' && !twice)
            single = !single;
        else if (c == '"' && !single)
            twice = !twice;
        else if (c == '\\' && !single && i + 1 < s.len)
            i += add_escaped(&out, s.ptr[i + 1]);
        else if (!is_blank(c) || single || twice)
            strbuf_addch(&out, c);
        else if (out.len && out.buf[out.len - 1] != ' ')
            strbuf_addch(&out, ' ');
    }
    return (struct str){ arena_cstr(a, strbuf_str(&out)), out.len };
}

void shell_text_read(struct shell_text *t, struct arena *a, struct str text)
{
    struct shell_commands all;
    struct err e = { 0 };

    *t = (struct shell_text){ .end = &t->first };
    t->broken = shell_commands_read(a, text, NULL, &all, &e) < 0;
    t->broken = t->broken || all.documents; /* other systems don't look behind them */
    t->expands = all.expands;
    for (const struct shell_command *c = all.first; c; c = c->next) {
        struct shell_part *part;

        if (c->count == 0)
            continue;
        part = arena_new(a, struct shell_part);
        part->raw = c->raw;
        part->plain = plain_of(a, c->raw);
        *t->end = part;
        t->end = &part->next;
    }
}
