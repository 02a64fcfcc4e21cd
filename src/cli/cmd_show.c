/* hooke show - all there is to know about one hook. */
#include "base/suggest.h"
#include "cli/describe.h"
#include "cli/show_point.h"

#include <stdio.h>

struct show {
    const char *session;
    bool json;
    struct scope scope;
};

/* How often the hook's cadence has counted in the session: "TIME" or "TIME MESSAGE". */
static const char *counter(struct cli *cli, struct runtime *rt, const struct show *o,
                           const struct hook *h, enum point point)
{
    char *name = arena_printf(&cli->arena, "@cadence/%s", point_info(point)->name);
    struct store_key key = { o->session, h->name, name };
    struct str value = { 0 }, time;
    struct err e = { 0 };

    if (!o->session)
        return NULL;
    if (store_get(rt->store, &key, &cli->arena, &value, &e) < 0) {
        log_warn(&cli->log, "session '%s': %s", o->session, e.msg);
        return NULL;
    }
    return str_cut(&value, ' ', &time) ? arena_cstr(&cli->arena, time) : "0";
}

/* As text -------------------------------------------------------------------------------------- */

static void print_cadences(struct cli *cli, struct runtime *rt, const struct show *o,
                           const struct registry *reg, const struct hook *h)
{
    for (size_t i = 0; i < h->traits.on_count; i++) {
        enum point point = h->traits.on[i].point;
        const char *gate = describe_gate(&cli->arena, reg, h, point);
        const char *count = gate ? counter(cli, rt, o, h, point) : NULL;

        show_field(cli, i ? "" : "cadence", "%s: %s%s%s%s", point_info(point)->name,
                   gate ? gate : "every time", count ? "; counted " : "", count ? count : "",
                   count ? " in this session" : "");
    }
}

static const char *budget_text(struct arena *a, const struct hook_traits *t)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };

    if (t->budget_tokens)
        strbuf_printf(&b, "%u tokens an event", t->budget_tokens);
    if (t->budget_session_tokens)
        strbuf_printf(&b, "%s%u%s a session", b.len ? ", " : "", t->budget_session_tokens,
                      b.len ? "" : " tokens");
    if (t->budget_llm_tokens)
        strbuf_printf(&b, "%s%u tokens of models a session", b.len ? ", " : "",
                      t->budget_llm_tokens);
    if (t->budget_llm_cost > 0)
        strbuf_printf(&b, "%s$%.2f for models a session", b.len ? ", " : "", t->budget_llm_cost);
    return b.len ? arena_cstr(a, strbuf_str(&b)) : "default";
}

static const char *session_text(enum session_match session)
{
    switch (session) {
    case SESSION_ANY:
        return "any";
    case SESSION_MAIN:
        return "main";
    case SESSION_SUB:
        return "sub";
    }
    return "any";
}

/* Nothing interrupts a built-in: it has no time of its own, only that of the whole event. */
static const char *timeout_text(struct arena *a, const struct hook *h)
{
    if (h->traits.timeout_ms)
        return arena_printf(a, "%g s", (double)h->traits.timeout_ms / 1000);
    return h->runner == RUNNER_BUILTIN ? "that of the event" : "30 s (default)";
}

/* What an entry runs and when, as it was written. */
static void print_entry(struct cli *cli, const struct registry *reg, const struct hook *h)
{
    static const char *const keys[] = { "exec", "group", "script", "resident", "when" };
    const struct config *c = registry_config(reg);

    for (size_t i = 0; c && i < c->hook_count; i++)
        for (size_t k = 0; k < ARRAY_LEN(keys); k++) {
            const struct setting *said = setting_get(c->hooks[i].spec, keys[k]);

            if (said && strcmp(c->hooks[i].name, h->name) == 0)
                show_field(cli, keys[k], "%s",
                           json_text(&cli->arena, setting_to_json(&cli->arena, said)));
        }
}

static void print_traits(struct cli *cli, const struct hook *h)
{
    const struct hook_traits *t = &h->traits;

    show_field(cli, "layer", "%s", describe_layer(&cli->arena, h));
    show_field(cli, "session", "%s", session_text(t->session));
    if (t->tool)
        show_field(cli, "tool", "%s", describe_match(&cli->arena, t->tool));
    if (t->agent)
        show_field(cli, "agent", "%s", describe_match(&cli->arena, t->agent));
    if (t->observe)
        show_field(cli, "mode", "observe");
    show_field(cli, "timeout", "%s", timeout_text(&cli->arena, h));
    show_field(cli, "on_failure", "%s", failure_name(t->on_failure));
    show_field(cli, "safety_critical", "%s", t->safety_critical ? "true" : "false");
    show_field(cli, "budget", "%s", budget_text(&cli->arena, t));
    show_field(cli, "place", "%s",
               t->place == PLACE_BY_POINT ? "by point" : inject_place_name(t->place));
    if (t->once)
        show_field(cli, "once", "true");
}

static void note_option(struct table *t, const struct option *o, const char *value)
{
    const char *fallback = o->fallback ? o->fallback : "";
    const char *choices = o->choices ? o->choices : "";
    const char *one_of = o->choices ? "; one of: " : "";

    if (strcmp(value, fallback) == 0)
        table_note(t, "%s%s%s (this is the default)", o->help, one_of, choices);
    else
        table_note(t, "%s%s%s (default: %s)", o->help, one_of, choices,
                   fallback[0] ? fallback : "none");
}

static void print_options(struct cli *cli, const struct hook *h)
{
    static const struct column columns[] = { { .title = "OPTION" },
                                             { .title = "TYPE" },
                                             { .title = "VALUE" } };
    struct table t = {
        .arena = &cli->arena, .columns = columns, .column_count = ARRAY_LEN(columns), .indent = 2
    };
    const struct option *o = h->def ? h->def->options : NULL;

    if (!o || !o->name)
        return;
    for (; o->name; o++) {
        const char *value = option_text(&cli->arena, o, h->options);

        table_cell(&t, STYLE_BOLD, "%s", o->name);
        table_cell(&t, STYLE_PLAIN, "%s", option_type_name(o->type));
        table_cell(&t, STYLE_PLAIN, "%s", value);
        note_option(&t, o, value);
    }
    putchar('\n');
    table_print(&t, &cli->out);
}

static void print_hook(struct cli *cli, struct runtime *rt, const struct show *o,
                       const struct registry *reg, const struct hook *h)
{
    const char *why = describe_why(h);

    show_title(cli, h->name, h->summary);
    show_field(cli, "state", "%s%s%s", describe_state(h), why ? ": " : "", why ? why : "");
    show_field(cli, "runner", "%s", runner_kind_name(h->runner));
    show_field(cli, "origin", "%s", origin_text(&cli->arena, &h->origin));
    print_entry(cli, reg, h);
    for (const struct hook *part = h; part; part = part->next_part) {
        if (part != h)
            putchar('\n');
        show_field(cli, "points", "%s", describe_points(&cli->arena, part));
        print_traits(cli, part);
        print_cadences(cli, rt, o, reg, part);
    }
    print_options(cli, h);
}

/* As JSON -------------------------------------------------------------------------------------- */

static const struct json *cadences_json(struct cli *cli, struct runtime *rt, const struct show *o,
                                        const struct registry *reg, const struct hook *h)
{
    struct arena *a = &cli->arena;
    struct json *all = json_object(a);

    for (size_t i = 0; i < h->traits.on_count; i++) {
        enum point point = h->traits.on[i].point;
        const char *gate = describe_gate(a, reg, h, point);
        const char *count = gate ? counter(cli, rt, o, h, point) : NULL;
        struct json *j = json_object(a);

        json_add(a, j, STR("gated"), json_bool(a, gate != NULL));
        json_add(a, j, STR("text"), json_cstring(a, gate ? gate : "every time"));
        if (count)
            json_add(a, j, STR("counted"), json_int(a, strtoll(count, NULL, 10)));
        json_add(a, all, str_of(point_info(point)->name), j);
    }
    return all;
}

static const struct json *options_json(struct arena *a, const struct hook *h)
{
    struct json *list = json_array(a);

    for (const struct option *o = h->def ? h->def->options : NULL; o && o->name; o++) {
        struct json *j = json_object(a);

        json_add(a, j, STR("name"), json_cstring(a, o->name));
        json_add(a, j, STR("type"), json_cstring(a, option_type_name(o->type)));
        json_add(a, j, STR("value"), json_cstring(a, option_text(a, o, h->options)));
        json_add(a, j, STR("default"), json_cstring(a, o->fallback));
        json_add(a, j, STR("help"), json_cstring(a, o->help));
        json_push(a, list, j);
    }
    return list;
}

static const struct json *part_json(struct cli *cli, struct runtime *rt, const struct show *o,
                                    const struct registry *reg, const struct hook *h)
{
    const struct hook_traits *t = &h->traits;
    struct arena *a = &cli->arena;
    const struct json *j = describe_json(a, h);

    j = json_with(a, j, STR("session"), json_cstring(a, session_text(t->session)));
    if (t->tool)
        j = json_with(a, j, STR("tool"), json_cstring(a, describe_match(a, t->tool)));
    if (t->agent)
        j = json_with(a, j, STR("agent"), json_cstring(a, describe_match(a, t->agent)));
    j = json_with(a, j, STR("observe"), json_bool(a, t->observe));
    if (t->timeout_ms)
        j = json_with(a, j, STR("timeout_ms"), json_int(a, t->timeout_ms));
    j = json_with(a, j, STR("on_failure"), json_cstring(a, failure_name(t->on_failure)));
    j = json_with(a, j, STR("safety_critical"), json_bool(a, t->safety_critical));
    j = json_with(a, j, STR("budget_tokens"), json_int(a, t->budget_tokens));
    j = json_with(a, j, STR("budget_session_tokens"), json_int(a, t->budget_session_tokens));
    j = json_with(a, j, STR("budget_llm_tokens"), json_int(a, t->budget_llm_tokens));
    j = json_with(a, j, STR("budget_llm_cost"), json_double(a, t->budget_llm_cost));
    if (t->place != PLACE_BY_POINT)
        j = json_with(a, j, STR("place"), json_cstring(a, inject_place_name(t->place)));
    j = json_with(a, j, STR("once"), json_bool(a, t->once));
    j = json_with(a, j, STR("cadence"), cadences_json(cli, rt, o, reg, h));
    return json_with(a, j, STR("options"), options_json(a, h));
}

/* The same at other points, with other traits, is in `parts`. */
static void hook_json(struct cli *cli, struct runtime *rt, const struct show *o,
                      const struct registry *reg, const struct hook *h)
{
    const struct json *j = part_json(cli, rt, o, reg, h);
    struct json *parts = json_array(&cli->arena);

    for (const struct hook *part = h->next_part; part; part = part->next_part)
        json_push(&cli->arena, parts, part_json(cli, rt, o, reg, part));
    if (h->next_part)
        j = json_with(&cli->arena, j, STR("parts"), parts);
    cli_json(cli, j);
}

/* ---------------------------------------------------------------------------------------------- */

static int unknown_name(struct cli *cli, const struct registry *reg, const char *name)
{
    size_t count;
    const struct hook *const *hooks = registry_hooks(reg, &count);
    const char **known = arena_array(&cli->arena, const char *, count + POINT_COUNT);

    for (size_t i = 0; i < count; i++)
        known[i] = hooks[i]->name;
    for (int p = 0; p < POINT_COUNT; p++)
        known[count++] = point_info((enum point)p)->name;
    return cli_fail(
        cli, "unknown hook or point '%s'%s", name,
        suggest(&cli->arena, str_nearest(name, known, count), "; 'hooke list' names the hooks"));
}

static int show(struct cli *cli, struct runtime *rt, const struct show *o,
                const struct registry *reg, const char *name)
{
    const struct hook *h = registry_find(reg, name);
    struct subscription on;

    if (h && o->json)
        hook_json(cli, rt, o, reg, h);
    else if (h)
        print_hook(cli, rt, o, reg, h);
    else if (point_resolve(str_of(name), &on))
        show_point(cli, on.point, registry_cadence(reg, NULL, on.point), o->json);
    else
        return unknown_name(cli, reg, name);
    return EXIT_DONE;
}

int cmd_show(struct cli *cli, int argc, char **argv)
{
    struct show o = { 0 };
    const struct arg flags[] = {
        ARG_TEXT("session", 's', &o.session, "ID", "also the cadence counters of this session"),
        ARG_SWITCH("json", 0, &o.json, "for programs"),
        SCOPE_ARGS(&o.scope),
        ARG_END,
    };
    CLEANUP(runtime) struct runtime rt = { 0 };
    struct registry *reg;
    struct words words;
    int rc;

    if (!args_parse(cli, flags, argc, argv, &words, &rc))
        return rc;
    if (words.count != 1)
        return cli_usage(cli);
    if (!cli_open(cli, &o.scope, &rt, &rc))
        return rc;
    reg = engine_look(rt.engine);
    rc = show(cli, &rt, &o, reg, words.word[0]);
    registry_unref(reg);
    return rc;
}
