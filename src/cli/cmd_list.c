/* hooke list - the hooks in the order they run. */
#include "cli/describe.h"

#include <stdio.h>

struct list {
    const char *point;
    bool all, names, json;
    struct scope scope;
};

static void print_json(struct cli *cli, const struct hook *const *hooks, size_t count, bool all)
{
    struct json *list = json_array(&cli->arena);

    for (size_t i = 0; i < count; i++)
        if (all || !hook_is_unasked(hooks[i]))
            json_push(&cli->arena, list, describe_json(&cli->arena, hooks[i]));
    cli_json(cli, list);
}

static void print_names(const struct hook *const *hooks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%s\n", hooks[i]->name);
}

/* For whom it is and why it is on or off. */
static const char *conditions(struct arena *a, const struct hook *h)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };
    const char *why = describe_why(h);
    bool on = strcmp(describe_state(h), "on") == 0;

    if (h->traits.agent)
        strbuf_printf(&b, ", for agent %s", describe_match(a, h->traits.agent));
    if (why)
        strbuf_printf(&b, "; %s%s", on ? "on " : "", why);
    return arena_cstr(a, strbuf_str(&b));
}

static void add_row(struct cli *cli, struct table *t, const struct hook *h)
{
    struct arena *a = &cli->arena;
    const char *points = describe_points(a, h), *more = conditions(a, h);

    table_cell(t, STYLE_BOLD, "%s", h->name);
    table_cell(t, STYLE_PLAIN, "%s", layer_name(h->traits.layer));
    table_cell(t, describe_state_style(h), "%s", describe_state(h));
    table_cell(t, STYLE_PLAIN, "%s", h->summary);
    if (h->origin.source == SOURCE_BUILTIN && h->runner == RUNNER_BUILTIN)
        table_note(t, "built-in: %s%s", points, more);
    else
        table_note(t, "%s, %s: %s%s", runner_kind_name(h->runner), origin_text(a, &h->origin),
                   points, more);
}

static void print_table(struct cli *cli, const struct hook *const *hooks, size_t count, bool all)
{
    static const struct column columns[] = {
        { .title = "NAME" }, { .title = "LAYER" }, { .title = "STATE" }, { .title = "SUMMARY" }
    };
    struct table t = { .arena = &cli->arena,
                       .columns = columns,
                       .column_count = ARRAY_LEN(columns) };
    size_t hidden = 0;

    for (size_t i = 0; i < count; i++)
        if (all || !hook_is_unasked(hooks[i]))
            add_row(cli, &t, hooks[i]);
        else
            hidden++;
    if (t.count)
        table_print(&t, &cli->out);
    else
        printf("no hooks\n");
    if (hidden)
        printf("%zu more built in and off: 'hooke list --all'\n", hidden);
}

static void print_hooks(struct cli *cli, const struct list *o, const struct registry *reg,
                        const struct subscription *on)
{
    const struct hook *const *hooks;
    size_t count;

    hooks = on ? registry_at(reg, on->point, &count) : registry_hooks(reg, &count);
    if (o->names)
        print_names(hooks, count);
    else if (o->json)
        print_json(cli, hooks, count, o->all);
    else
        print_table(cli, hooks, count, o->all);
}

int cmd_list(struct cli *cli, int argc, char **argv)
{
    struct list o = { 0 };
    const struct arg flags[] = {
        ARG_TEXT("point", 'p', &o.point, "POINT", "only the hooks of this point"),
        ARG_SWITCH("all", 'a', &o.all, "also built-ins that are off unless enabled"),
        ARG_SWITCH("names", 0, &o.names, "names only, one a line"),
        ARG_SWITCH("json", 0, &o.json, "for programs"),
        SCOPE_ARGS(&o.scope),
        ARG_END,
    };
    CLEANUP(runtime) struct runtime rt = { 0 };
    struct registry *reg;
    struct subscription on;
    struct words words;
    int rc;

    if (!args_parse(cli, flags, argc, argv, &words, &rc))
        return rc;
    if (words.count)
        return cli_usage(cli);
    if (o.point && !point_resolve(str_of(o.point), &on))
        return cli_unknown_point(cli, o.point);
    o.scope.quiet = o.names;
    if (!cli_open(cli, &o.scope, &rt, &rc))
        return rc;
    reg = engine_look(rt.engine);
    print_hooks(cli, &o, reg, o.point ? &on : NULL);
    registry_unref(reg);
    return EXIT_DONE;
}
