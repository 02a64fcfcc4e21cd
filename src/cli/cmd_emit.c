/* hooke emit - run one event through its chain and print the verdict. */
#include "cli/event_args.h"
#include "cli/interrupt.h"
#include "cli/runs.h"

#include <stdio.h>

struct emit {
    struct event_args event;
    bool trace, json;
    struct scope scope;
};

static const struct json *receipt_json(struct cli *cli, const struct receipt *r)
{
    CLEANUP(strbuf) struct strbuf line = { 0 };
    const struct json *j;

    receipt_write(&line, r);
    if (json_parse(&cli->arena, str_of(arena_strdup(&cli->arena, strbuf_cstr(&line))), NULL, &j,
                   NULL) < 0)
        return json_null(&cli->arena);
    return j;
}

static void print_trace(struct cli *cli, const struct receipt *r)
{
    struct run_lines runs = runs_of_receipt(&cli->arena, r);

    printf("\n%s  %s  %s\n", r->id, point_info(r->event->point)->name,
           term_duration(&cli->arena, r->ns));
    if (runs.count == 0)
        printf("no hook matches\n");
    else
        runs_print(cli, &runs, 0);
    for (size_t i = 0; i < r->warning_count; i++)
        term_put(&cli->out, STYLE_YELLOW, "warning: %s\n", term_clean(&cli->arena, r->warnings[i]));
}

static void print_receipt(struct cli *cli, const struct emit *o, const struct receipt *r)
{
    const struct json *verdict = verdict_to_json(&cli->arena, &r->verdict);
    struct json *both;

    if (!o->json || !o->trace) {
        cli_json(cli, verdict);
        if (o->trace)
            print_trace(cli, r);
        return;
    }
    both = json_object(&cli->arena);
    json_add(&cli->arena, both, STR("verdict"), verdict);
    json_add(&cli->arena, both, STR("receipt"), receipt_json(cli, r));
    cli_json(cli, both);
}

static int emit(struct cli *cli, const struct emit *o, const struct event *ev)
{
    CLEANUP(runtime) struct runtime rt = { 0 };
    CLEANUP(receipt) struct receipt r = { 0 };
    struct err e = { 0 };
    int rc;

    if (!cli_open(cli, &o->scope, &rt, &rc))
        return rc;
    if (engine_emit(rt.engine, ev, &cli->arena, &r, &e) < 0)
        return cli_fail(cli, "%s", e.msg);
    print_receipt(cli, o, &r);
    return verdict_refuses(&r.verdict) ? EXIT_BLOCKED : EXIT_DONE;
}

int cmd_emit(struct cli *cli, int argc, char **argv)
{
    struct emit o = { .event.data = "{}" };
    const struct arg flags[] = {
        ARG_TEXT("data", 'd', &o.event.data, "JSON|@FILE|-", "the event's data (default {})"),
        EVENT_ARGS(&o.event),
        ARG_SWITCH("trace", 't', &o.trace, "also print what each hook did"),
        ARG_SWITCH("json", 0, &o.json, "with --trace: one object, verdict and receipt"),
        SCOPE_ARGS(&o.scope),
        ARG_END,
    };
    struct subscription on;
    struct event ev = { 0 };
    struct words words;
    int rc;

    if (!args_parse(cli, flags, argc, argv, &words, &rc))
        return rc;
    if (words.count != 1)
        return cli_usage(cli);
    if (!point_resolve(str_of(words.word[0]), &on))
        return cli_unknown_point(cli, words.word[0]);
    if (!event_args_check(cli, &o.event, &rc) || !event_args_apply(cli, &o.event, &ev, &rc))
        return rc;
    o.scope.cwd = ev.session.cwd;
    o.scope.abort_fd = interrupt_fd();
    if (!event_fit(&cli->arena, &ev, &on, "cli"))
        return cli_misuse(cli,
                          "'%s' is %s of a main session: leave out --parent, or name the point",
                          words.word[0], point_info(on.point)->name);
    return emit(cli, &o, &ev);
}
