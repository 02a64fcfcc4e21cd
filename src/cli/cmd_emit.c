/* hooke emit - run one event through its chain and print the verdict. */
#include "base/clock.h"
#include "cli/input.h"
#include "cli/runs.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

struct emit {
    const char *data, *session, *agent, *parent, *cwd, *recipe, *usage;
    uint64_t turn;
    bool trace, json;
    struct scope scope;
};

static bool find_cwd(struct cli *cli, struct emit *o, int *rc)
{
    CLEANUP(mem) char *real = realpath(o->cwd ? o->cwd : ".", NULL);
    struct stat st;

    if (!real || stat(real, &st) < 0) {
        *rc = cli_misuse(cli, "--cwd '%s': %s", o->cwd ? o->cwd : ".", strerror(errno));
        return false;
    }
    if (!S_ISDIR(st.st_mode)) {
        *rc = cli_misuse(cli, "--cwd '%s' is no folder", o->cwd);
        return false;
    }
    o->cwd = arena_strdup(&cli->arena, real);
    o->scope.cwd = o->cwd;
    return true;
}

static const char *fresh_session(struct cli *cli)
{
    struct ulid_source source = { 0 };
    char id[ULID_SIZE];

    ulid_init(&source);
    ulid_next(&source, clock_wall_ms(), id);
    return arena_strdup(&cli->arena, id);
}

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
    return r.verdict.decision == DECISION_BLOCK ? EXIT_BLOCKED : EXIT_DONE;
}

static bool parse(struct cli *cli, struct emit *o, int argc, char **argv, struct words *words,
                  int *rc)
{
    const struct arg flags[] = {
        ARG_TEXT("data", 'd', &o->data, "JSON|@FILE|-", "the event's data (default {})"),
        ARG_TEXT("session", 's', &o->session, "ID", "its session (default: a fresh one)"),
        ARG_TEXT("agent", 0, &o->agent, "AGENT", "the agent of the session"),
        ARG_TEXT("parent", 0, &o->parent, "ID", "the session that started this one"),
        ARG_NUMBER("turn", 0, &o->turn, "N", "the turn, from 1"),
        ARG_TEXT("cwd", 0, &o->cwd, "DIR", "where the session works (default: here)"),
        ARG_TEXT("recipe", 0, &o->recipe, "RECIPE", "the recipe of the session"),
        ARG_TEXT("usage", 0, &o->usage, "JSON|@FILE",
                 "what the session has used: tokens, context window"),
        ARG_SWITCH("trace", 't', &o->trace, "also print what each hook did"),
        ARG_SWITCH("json", 0, &o->json, "with --trace: one object, verdict and receipt"),
        SCOPE_ARGS(&o->scope),
        ARG_END,
    };

    if (!args_parse(cli, flags, argc, argv, words, rc))
        return false;
    if (words->count == 1 && o->turn <= UINT32_MAX)
        return true;
    *rc = words->count == 1 ? cli_misuse(cli, "--turn is too large") : cli_usage(cli);
    return false;
}

int cmd_emit(struct cli *cli, int argc, char **argv)
{
    struct emit o = { .data = "{}" };
    struct subscription on;
    struct words words;
    struct event ev;
    int rc;

    if (!parse(cli, &o, argc, argv, &words, &rc))
        return rc;
    if (!point_resolve(str_of(words.word[0]), &on))
        return cli_unknown_point(cli, words.word[0]);
    if (o.session && !o.session[0])
        return cli_misuse(cli, "--session is empty: leave it out for a fresh session");
    if (!find_cwd(cli, &o, &rc))
        return rc;
    ev = (struct event){
        .turn = (unsigned)o.turn,
        .session = { .id = o.session ? o.session : fresh_session(cli),
                     .parent = o.parent,
                     .agent = o.agent,
                     .recipe = o.recipe,
                     .cwd = o.cwd },
    };
    ev.data = input_object(cli, "--data", o.data, &rc);
    if (!ev.data)
        return rc;
    if (!event_fit(&cli->arena, &ev, &on, "cli"))
        return cli_misuse(cli,
                          "'%s' is %s of a main session: leave out --parent, or name the point",
                          words.word[0], point_info(on.point)->name);
    if (o.usage && !(ev.session.usage = input_object(cli, "--usage", o.usage, &rc)))
        return rc;
    return emit(cli, &o, &ev);
}
