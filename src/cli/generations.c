#include "cli/generations.h"

#include "agent/survival.h"
#include "base/clock.h"

#include <stdio.h>

struct generation {
    const struct conversation_generation *about;
    const struct json *messages;
    int64_t tokens;
    struct survival survival; /* of the one before it */
    bool first;
};

static int load(struct cli *cli, struct store *store, const struct conversation *c,
                struct generation *g, struct err *e)
{
    struct arena *a = &cli->arena;
    struct conversation_rows rows = { 0 };
    struct json *list = json_array(a);
    int r = conversation_load(store, c->id, g->about->generation, a, &rows, e);

    for (size_t i = 0; r == 0 && i < rows.count; i++) {
        const struct json *message;

        if (json_parse(a, rows.list[i].line, NULL, &message, NULL) < 0)
            continue;
        json_push(a, list, message);
        g->tokens += message_tokens(message);
    }
    g->messages = list;
    return r;
}

static struct json *names_json(struct arena *a, const struct survival_names *n)
{
    struct json *j = json_object(a);

    json_add(a, j, STR("kept"), n->kept);
    json_add(a, j, STR("lost"), n->lost);
    return j;
}

static const struct json *to_json(struct arena *a, const struct generation *g)
{
    struct json *j = json_object(a);
    char at[CLOCK_TEXT_SIZE];

    clock_format(g->about->at_ms, at);
    json_add(a, j, STR("generation"), json_int(a, g->about->generation));
    json_add(a, j, STR("trigger"), json_cstring(a, g->about->trigger));
    json_add(a, j, STR("at"), json_cstring(a, at));
    json_add(a, j, STR("messages"), json_int(a, (int64_t)g->about->messages));
    json_add(a, j, STR("tokens"), json_int(a, g->tokens));
    if (!g->first) {
        json_add(a, j, STR("files"), names_json(a, &g->survival.files));
        json_add(a, j, STR("todos"), names_json(a, &g->survival.todos));
    }
    return j;
}

/* "2 of 3 files still named; lost: src/a.c" */
static void add_names(struct arena *a, struct strbuf *out, const struct survival_names *n,
                      const char *what)
{
    size_t kept = json_count(n->kept), all = kept + json_count(n->lost);
    const char *before = "; lost: ";

    if (all == 0)
        return;
    strbuf_printf(out, "%s%zu of %zu %s%s still named", out->len ? " · " : "", kept, all, what,
                  all == 1 ? "" : "s");
    for (const struct json *l = json_first(n->lost); l; l = json_next(l)) {
        strbuf_printf(out, "%s%s", before, json_cstr(a, l));
        before = ", ";
    }
}

static void note(struct cli *cli, struct table *t, const struct survival *v)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };

    add_names(&cli->arena, &text, &v->files, "file");
    add_names(&cli->arena, &text, &v->todos, "open todo");
    if (text.len)
        table_note(t, "%s", term_clean(&cli->arena, strbuf_cstr(&text)));
}

static void print(struct cli *cli, const struct generation *list, size_t count)
{
    static const struct column columns[] = {
        { .title = "GENERATION", .right = true },
        { .title = "BEGUN" },
        { .title = "BY" },
        { .title = "MESSAGES", .right = true },
        { .title = "TOKENS", .right = true },
    };
    struct table t = { .arena = &cli->arena, .columns = columns, .column_count = 5 };

    for (size_t i = 0; i < count; i++) {
        const struct conversation_generation *g = list[i].about;
        char at[CLOCK_TEXT_SIZE];

        clock_format(g->at_ms, at);
        table_cell(&t, STYLE_BOLD, "%u", g->generation);
        table_cell(&t, STYLE_PLAIN, "%.10s %.5s", at, at + 11);
        table_cell(&t, STYLE_PLAIN, "%s", g->trigger[0] ? g->trigger : "start");
        table_cell(&t, STYLE_PLAIN, "%llu", (unsigned long long)g->messages);
        table_cell(&t, STYLE_PLAIN, "%lld", (long long)list[i].tokens);
        if (!list[i].first)
            note(cli, &t, &list[i].survival);
    }
    table_print(&t, &cli->out);
}

int generations_show(struct cli *cli, struct store *store, const struct conversation *c, bool json)
{
    struct arena *a = &cli->arena;
    struct conversation_generation *found;
    struct generation *list;
    struct json *out = json_array(a);
    struct err e = { 0 };
    size_t count;

    if (conversation_generations(store, c->id, a, &found, &count, &e) < 0)
        return cli_fail(cli, "%s", e.msg);
    list = arena_array(a, struct generation, count + 1);
    for (size_t i = 0; i < count; i++) {
        list[i] = (struct generation){ .about = &found[i], .first = i == 0 };
        if (load(cli, store, c, &list[i], &e) < 0)
            return cli_fail(cli, "%s", e.msg);
        if (i)
            list[i].survival = survival_of(a, list[i - 1].messages, list[i].messages);
        json_push(a, out, to_json(a, &list[i]));
    }
    if (json)
        cli_json(cli, out);
    else
        print(cli, list, count);
    return EXIT_DONE;
}
