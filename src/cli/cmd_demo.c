/* hooke demo - a small session passes through hooks, explained as it goes. */
#include "base/file.h"
#include "base/path.h"
#include "builtin/builtin.h"
#include "cli/demo.h"
#include "cli/runs.h"
#include "hook/registry.h"
#include "runner/rule.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>

#define WIDTH_LEAST 60
#define WIDTH_MOST  100
#define INDENT      4

/* What one hook did in the whole session. */
struct tally {
    const char *hook;
    unsigned ran, held, failed, acted;
    uint64_t ns;
};

struct demo {
    struct cli *cli;
    struct engine *engine;
    struct store *store;
    char *dir;
    unsigned width, number, events;
    struct tally tallies[32];
    size_t tally_count;
    uint64_t ns;
};

/* Its own world -------------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *st UNUSED, int type UNUSED,
                      struct FTW *ftw UNUSED)
{
    return remove(path);
}

static void forget_environment(void)
{
    CLEANUP(arena) struct arena a = { 0 };
    size_t i = 0;

    while (environ && environ[i])
        if (strncmp(environ[i], "HOOKE_", 6) == 0)
            unsetenv(arena_printf(&a, "%.*s", (int)strcspn(environ[i], "="), environ[i]));
        else
            i++;
}

static int make_folder(struct demo *d, struct err *e)
{
    struct arena *a = &d->cli->arena;
    const char *tmp = getenv("TMPDIR");
    char *dir = path_join(a, tmp && tmp[0] ? tmp : "/tmp", "hooke-demo-XXXXXX");

    if (!mkdtemp(dir))
        return err_errno(e, "making a folder like '%s'", dir);
    d->dir = dir;
    return file_write(path_join(a, dir, "config/config.yaml"), str_of(demo_config), 0600, e);
}

static struct config *load_config(struct demo *d)
{
    struct arena *a = &d->cli->arena;
    const char *names[64] = { 0 };
    const char *nowhere = path_join(a, d->dir, "none");
    struct config_where where = {
        .cwd = d->dir,
        .managed = nowhere,
        .user_dir = path_join(a, d->dir, "config"),
        .hive = nowhere,
        .state_dir = path_join(a, d->dir, "state"),
        .builtins = names,
        .recompile = true,
    };

    for (size_t i = 0; builtin_hooks[i] && i + 1 < ARRAY_LEN(names); i++)
        names[i] = builtin_hooks[i]->name;
    return config_load(&where);
}

static int demo_open(struct demo *d, struct err *e)
{
    static const struct runner *const runners[] = { &rule_runner, NULL };
    struct engine_options options = { .builtins = builtin_hooks,
                                      .runners = runners,
                                      .use_builtins = true };
    int r;

    forget_environment();
    r = make_folder(d, e);
    if (r < 0)
        return r;
    d->store = store_memory();
    options.store = d->store;
    d->engine = engine_new(&options);
    engine_configure(d->engine, load_config(d));
    return demo_register(d->engine, e);
}

static void demo_close(struct demo *d)
{
    engine_free(d->engine);
    store_free(d->store);
    if (d->dir)
        nftw(d->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Telling -------------------------------------------------------------------------------------- */

static void indent(unsigned columns)
{
    printf("%*s", (int)columns, "");
}

static void say(struct demo *d, enum style style, const char *label, const char *text)
{
    indent(INDENT);
    term_put(&d->cli->out, style, "%s", label);
    term_wrap(&d->cli->out, STYLE_PLAIN, INDENT + term_columns(label), d->width,
              term_clean(&d->cli->arena, text));
}

static void say_injections(struct demo *d, const struct receipt *r)
{
    struct arena *a = &d->cli->arena;

    for (const struct injection *i = r->verdict.injections; i; i = i->next)
        say(d, STYLE_BLUE, "=> inject: ",
            arena_printf(a, "\"%s\" (%s, at the %s)", i->text, inject_class_name(i->class),
                         inject_place_name(i->place)));
}

/* Of changed messages, what hooks put there is worth telling. */
static void say_parts(struct demo *d, const struct json *messages)
{
    struct arena *a = &d->cli->arena;

    for (const struct json *m = json_first(messages); m; m = json_next(m)) {
        const struct json *content = json_get(m, STR("content"));

        for (const struct json *p = json_first(content); p; p = json_next(p))
            if (inject_is_tagged(p, NULL))
                say(d, STYLE_BLUE, "=> change: ",
                    arena_printf(a, "messages, a new part: \"%.*s\"",
                                 STR_ARG(json_str(a, json_get(p, STR("text"))))));
    }
}

static void say_changes(struct demo *d, const struct receipt *r)
{
    struct arena *a = &d->cli->arena;

    for (const struct json *f = json_first(r->verdict.replace); f; f = json_next(f))
        if (str_is(json_key(a, f), "messages"))
            say_parts(d, f);
        else
            say(d, STYLE_BLUE, "=> change: ",
                arena_printf(a, "%.*s = %s", STR_ARG(json_key(a, f)), json_text(a, f)));
}

static void say_outcome(struct demo *d, const struct receipt *r)
{
    const struct verdict *v = &r->verdict;

    if (v->stop)
        say(d, STYLE_RED, "=> stop: ", v->stop);
    else if (v->decision == DECISION_BLOCK)
        say(d, STYLE_RED, "=> block: ", v->reason ? v->reason : "");
    else if (verdict_is_empty(v))
        say(d, STYLE_GREEN, "=> none: ", "it goes on as it is");
    say_changes(d, r);
    say_injections(d, r);
}

static void say_runs(struct demo *d, const struct receipt *r)
{
    static const struct column columns[] = {
        { .least = 22 }, { .least = 10 }, { .right = true, .least = 8 }, { 0 }
    };
    struct table t = { .arena = &d->cli->arena,
                       .columns = columns,
                       .column_count = ARRAY_LEN(columns),
                       .indent = INDENT,
                       .no_titles = true };
    struct run_lines runs = runs_of_receipt(&d->cli->arena, r);
    struct term term = d->cli->out;

    for (size_t i = 0; i < runs.count; i++) {
        const struct run_line *l = &runs.lines[i];
        bool told = l->ran && strcmp(l->outcome, "block") == 0; /* the outcome says the reason */

        table_cell(&t, STYLE_BOLD, "%s", l->hook);
        table_cell(&t, l->style, "%s", l->outcome);
        table_cell(&t, STYLE_PLAIN, "%s", l->ran ? term_duration(t.arena, l->ns) : "");
        table_cell(&t, STYLE_DIM, "%s", told ? "" : l->detail);
    }
    term.width = d->width;
    if (runs.count)
        table_print(&t, &term);
    else
        say(d, STYLE_DIM, "", "no hook matches");
}

static void say_event(struct demo *d, const struct moment *m)
{
    struct arena *a = &d->cli->arena;
    const char *name = point_info(m->point)->name;
    unsigned used = INDENT + term_columns(name) + 1;

    indent(INDENT);
    term_put(&d->cli->out, STYLE_BLUE, "%s", name);
    term_put(&d->cli->out, STYLE_DIM, " %s\n",
             term_cut(a, m->data, d->width > used ? d->width - used : 1));
}

/* Playing -------------------------------------------------------------------------------------- */

static struct tally *tally_of(struct demo *d, const char *hook)
{
    for (size_t i = 0; i < d->tally_count; i++)
        if (strcmp(d->tallies[i].hook, hook) == 0)
            return &d->tallies[i];
    if (d->tally_count == ARRAY_LEN(d->tallies))
        return &d->tallies[0];
    d->tallies[d->tally_count].hook = arena_strdup(&d->cli->arena, hook);
    return &d->tallies[d->tally_count++];
}

static void count(struct demo *d, const struct receipt *r)
{
    d->events++;
    d->ns += r->ns;
    for (size_t i = 0; i < r->run_count; i++) {
        struct tally *t = tally_of(d, r->runs[i].hook->name);

        t->ran++;
        t->failed += r->runs[i].end != RUN_DONE;
        t->acted += r->runs[i].end == RUN_DONE && r->runs[i].effects;
        t->ns += r->runs[i].ns;
    }
    for (size_t i = 0; i < r->held_count; i++)
        tally_of(d, r->held[i].hook->name)->held++;
}

static int play_once(struct demo *d, const struct moment *m, bool tell, struct err *e)
{
    CLEANUP(receipt) struct receipt r = { 0 };
    struct arena *a = &d->cli->arena;
    struct event ev = {
        .point = m->point,
        .turn = m->turn,
        .session = { .id = "demo", .agent = "orchestrator", .cwd = "/home/demo/project" },
    };
    int rc = json_parse(a, str_of(m->data), NULL, &ev.data, e);

    if (rc == 0)
        rc = engine_emit(d->engine, &ev, a, &r, e);
    if (rc < 0)
        return err_wrap(e, rc, "moment %u", d->number);
    count(d, &r);
    if (!tell)
        return 0;
    say_runs(d, &r);
    say_outcome(d, &r);
    return 0;
}

static int play(struct demo *d, const struct moment *m, struct err *e)
{
    unsigned times = m->times ? m->times : 1;
    int r = 0;

    term_put(&d->cli->out, STYLE_BOLD, "%2u  %s\n", ++d->number, m->title);
    if (m->note)
        say(d, STYLE_PLAIN, "", m->note);
    say_event(d, m);
    for (unsigned i = 1; r == 0 && i <= times; i++) {
        bool tell = i == 1 || i == times;

        if (times > 1 && tell)
            say(d, STYLE_DIM, "", arena_printf(&d->cli->arena, "time %u:", i));
        r = play_once(d, m, tell, e);
    }
    putchar('\n');
    return r;
}

static void print_tallies(struct demo *d)
{
    static const struct column columns[] = {
        { .title = "HOOK" },
        { .title = "RAN", .right = true },
        { .title = "DID SOMETHING", .right = true },
        { .title = "HELD BACK", .right = true },
        { .title = "FAILED", .right = true },
        { .title = "TIME", .right = true, .least = 8 },
    };
    struct table t = { .arena = &d->cli->arena,
                       .columns = columns,
                       .column_count = ARRAY_LEN(columns),
                       .indent = INDENT };

    for (size_t i = 0; i < d->tally_count; i++) {
        const struct tally *y = &d->tallies[i];

        table_cell(&t, STYLE_BOLD, "%s", y->hook);
        table_cell(&t, STYLE_PLAIN, "%u", y->ran);
        table_cell(&t, STYLE_PLAIN, "%u", y->acted);
        table_cell(&t, STYLE_PLAIN, "%u", y->held);
        table_cell(&t, y->failed ? STYLE_RED : STYLE_PLAIN, "%u", y->failed);
        table_cell(&t, STYLE_PLAIN, "%s", term_duration(t.arena, y->ns));
    }
    table_print(&t, &d->cli->out);
}

static void print_end(struct demo *d)
{
    term_put(&d->cli->out, STYLE_BOLD, "What each hook did\n");
    print_tallies(d);
    printf("\n    %u events, %s in all: no process was started, no network used,\n"
           "    nothing is left behind.\n\n",
           d->events, term_duration(&d->cli->arena, d->ns));
    printf("    hooke list                        the hooks you have\n"
           "    hooke plan tool.execute.before    what would run there, and why\n"
           "    hooke show loop-guard             its options\n"
           "    hooke emit PreToolUse --trace     an event of your own\n"
           "    man hooke                         everything else\n");
}

static int tell_story(struct demo *d, struct err *e)
{
    int r = 0;

    term_put(&d->cli->out, STYLE_BOLD, "A session with hooks\n");
    term_wrap(&d->cli->out, STYLE_PLAIN, 0, d->width,
              "Every moment of an agent's life is a point. Each numbered moment below shows the "
              "event, what each hook did and how long it took, and what came of it (=>).");
    putchar('\n');
    for (const struct moment *m = demo_moments; r == 0 && m->title; m++)
        r = play(d, m, e);
    if (r == 0)
        print_end(d);
    return r;
}

static unsigned demo_width(const struct term *t)
{
    if (t->width == 0)
        return 80;
    if (t->width < WIDTH_LEAST)
        return WIDTH_LEAST;
    return t->width > WIDTH_MOST ? WIDTH_MOST : t->width;
}

int cmd_demo(struct cli *cli, int argc, char **argv)
{
    static const struct arg flags[] = { ARG_END };
    struct demo d = { .cli = cli, .width = demo_width(&cli->out) };
    struct words words;
    struct err e = { 0 };
    int rc;

    if (!args_parse(cli, flags, argc, argv, &words, &rc))
        return rc;
    if (words.count)
        return cli_usage(cli);
    rc = demo_open(&d, &e);
    if (rc == 0)
        rc = tell_story(&d, &e);
    demo_close(&d);
    return rc < 0 ? cli_fail(cli, "demo: %s", e.msg) : EXIT_DONE;
}
