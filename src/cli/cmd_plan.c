/* hooke plan - which hooks would run at a point, in order, and why. */
#include "cli/describe.h"

#include <stdio.h>

struct plan {
    const char *tool, *agent;
    bool sub, json;
    struct scope scope;
};

enum fate { FATE_RUNS, FATE_MAY, FATE_NOT };

/* What would become of one hook, and why. */
struct step {
    const struct hook *hook;
    enum fate fate;
    const char *why;
};

static const char *const fate_names[] = {
    [FATE_RUNS] = "runs",
    [FATE_MAY] = "may run",
    [FATE_NOT] = "does not run",
};

static enum style fate_style(enum fate fate)
{
    switch (fate) {
    case FATE_RUNS:
        return STYLE_GREEN;
    case FATE_MAY:
        return STYLE_YELLOW;
    case FATE_NOT:
        return STYLE_DIM;
    }
    return STYLE_PLAIN;
}

/* What was left open on the command line: the hook runs if the event has this. */
static const char *condition(struct arena *a, const struct hook *h, const struct plan *o)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };

    if (h->traits.tool && !o->tool)
        strbuf_printf(&b, "if the tool is %s", describe_match(a, h->traits.tool));
    if (h->traits.agent && !o->agent)
        strbuf_printf(&b, "%sif the agent is %s", b.len ? ", " : "",
                      describe_match(a, h->traits.agent));
    return b.len ? arena_strdup(a, strbuf_cstr(&b)) : NULL;
}

/* A matcher the user gave nothing for must not count as a mismatch. */
static const char *mismatch(const struct hook *h, const struct chain_key *key)
{
    struct hook open = *h;

    if (!str_is_set(key->tool))
        open.traits.tool = NULL;
    if (!str_is_set(key->agent))
        open.traits.agent = NULL;
    return chain_mismatch(&open, key);
}

static struct step plan_step(struct cli *cli, const struct plan *o, const struct registry *reg,
                             const struct hook *h, const struct chain_key *key)
{
    struct arena *a = &cli->arena;
    const char *why = mismatch(h, key), *gate = describe_gate(a, reg, h, key->point);
    const char *open = condition(a, h, o);

    if (why)
        return (struct step){ h, FATE_NOT, describe_mismatch(a, h, why) };
    if (h->off_because)
        return (struct step){ h, FATE_NOT, arena_printf(a, "off: %s", h->off_because) };
    if (h->broken)
        return (struct step){ h, FATE_RUNS,
                              arena_printf(a, "fails (%s), then on_failure: %s", h->broken,
                                           failure_name(h->traits.on_failure)) };
    if (h->untrusted && h->traits.on_failure == FAILURE_ALLOW)
        return (struct step){ h, FATE_NOT, arena_printf(a, "untrusted: %s", h->untrusted) };
    if (h->untrusted)
        return (struct step){ h, FATE_RUNS,
                              arena_printf(a, "fails (%s), then on_failure: %s", h->untrusted,
                                           failure_name(h->traits.on_failure)) };
    if (gate)
        return (struct step){ h, FATE_MAY,
                              arena_printf(a, "%s%s%s", gate, open ? ", " : "", open ? open : "") };
    if (open)
        return (struct step){ h, FATE_MAY, open };
    return (struct step){ h, FATE_RUNS,
                          h->traits.observe ? "every time, after the others, as an observer"
                                            : "every time" };
}

static void print_json(struct cli *cli, const struct step *steps, size_t count)
{
    struct arena *a = &cli->arena;
    struct json *list = json_array(a);

    for (size_t i = 0; i < count; i++) {
        struct json *j = json_object(a);

        json_add(a, j, STR("hook"), json_cstring(a, steps[i].hook->name));
        json_add(a, j, STR("layer"), json_cstring(a, layer_name(steps[i].hook->traits.layer)));
        json_add(a, j, STR("priority"), json_int(a, steps[i].hook->traits.priority));
        json_add(a, j, STR("fate"), json_cstring(a, fate_names[steps[i].fate]));
        json_add(a, j, STR("why"), json_cstring(a, steps[i].why));
        json_push(a, list, j);
    }
    cli_json(cli, list);
}

static void print_table(struct cli *cli, enum point point, const struct step *steps, size_t count)
{
    static const struct column columns[] = { { .title = "#", .right = true },
                                             { .title = "HOOK" },
                                             { .title = "LAYER" },
                                             { .title = "" },
                                             { .title = "WHY" } };
    struct table t = { .arena = &cli->arena,
                       .columns = columns,
                       .column_count = ARRAY_LEN(columns) };

    term_put(&cli->out, STYLE_BOLD, "%s", point_info(point)->name);
    printf(" - %s\n", point_info(point)->summary);
    for (size_t i = 0; i < count; i++) {
        table_cell(&t, STYLE_DIM, "%zu", i + 1);
        table_cell(&t, STYLE_BOLD, "%s", steps[i].hook->name);
        table_cell(&t, STYLE_PLAIN, "%s", layer_name(steps[i].hook->traits.layer));
        table_cell(&t, fate_style(steps[i].fate), "%s", fate_names[steps[i].fate]);
        table_cell(&t, STYLE_PLAIN, "%s", steps[i].why);
    }
    if (count)
        table_print(&t, &cli->out);
    else
        printf("no hook reacts to this point\n");
}

/* Observers run after all others, whatever their layer. */
static size_t plan_steps(struct cli *cli, const struct plan *o, const struct registry *reg,
                         const struct chain_key *key, struct step **steps)
{
    size_t count, n = 0;
    const struct hook *const *hooks = registry_at(reg, key->point, &count);

    *steps = arena_array(&cli->arena, struct step, count + 1);
    for (int observers = 0; observers <= 1; observers++)
        for (size_t i = 0; i < count; i++)
            if (hooks[i]->traits.observe == (observers == 1))
                (*steps)[n++] = plan_step(cli, o, reg, hooks[i], key);
    return n;
}

static int plan(struct cli *cli, const struct plan *o, const struct subscription *on)
{
    struct chain_key key = {
        .point = on->point,
        .tool = str_of(o->tool),
        .agent = str_of(o->agent),
        .sub = o->sub || on->session == SESSION_SUB,
        .result = on->result,
    };
    CLEANUP(runtime) struct runtime rt = { 0 };
    struct registry *reg;
    struct step *steps;
    size_t count;
    int rc;

    if (!cli_open(cli, &o->scope, &rt, &rc))
        return rc;
    reg = engine_look(rt.engine);
    count = plan_steps(cli, o, reg, &key, &steps);
    if (o->json)
        print_json(cli, steps, count);
    else
        print_table(cli, on->point, steps, count);
    registry_unref(reg);
    return EXIT_DONE;
}

int cmd_plan(struct cli *cli, int argc, char **argv)
{
    struct plan o = { 0 };
    const struct arg flags[] = {
        ARG_TEXT("tool", 't', &o.tool, "TOOL", "the tool the event is about"),
        ARG_TEXT("agent", 0, &o.agent, "AGENT", "the agent of the session"),
        ARG_SWITCH("sub", 0, &o.sub, "the session is a subagent's"),
        ARG_SWITCH("json", 0, &o.json, "for programs"),
        SCOPE_ARGS(&o.scope),
        ARG_END,
    };
    struct subscription on;
    struct words words;
    int rc;

    if (!args_parse(cli, flags, argc, argv, &words, &rc))
        return rc;
    if (words.count != 1)
        return cli_usage(cli);
    if (!point_resolve(str_of(words.word[0]), &on))
        return cli_unknown_point(cli, words.word[0]);
    return plan(cli, &o, &on);
}
