/* hooke replay - captured events through the configuration in force: which decisions changed. */
#include "base/file.h"
#include "base/path.h"
#include "cli/interrupt.h"
#include "cli/replay.h"
#include "cli/runs.h"
#include "cli/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#define PROGRESS_EVERY 16

struct replay {
    struct cli *cli;
    const char *dir, *session, *point;
    bool json, all, no_commands;
    struct scope scope;
    struct engine *engine;
    struct table table;
    struct json *list;
    size_t seen, changed, unknown, bad;
};

static const char *const change_names[] = {
    [REPLAY_SAME] = "same",
    [REPLAY_CHANGED] = "changed",
    [REPLAY_UNKNOWN] = "unknown",
};

static int is_json(const struct dirent *d)
{
    return d->d_name[0] != '.' && str_ends(str_of(d->d_name), STR(".json"));
}

/* Rows ----------------------------------------------------------------------------------------- */

static void add_row(struct replay *o, const char *id, const struct event *ev,
                    const struct replay_row *row)
{
    static const enum style styles[] = {
        [REPLAY_SAME] = STYLE_DIM, [REPLAY_CHANGED] = STYLE_YELLOW, [REPLAY_UNKNOWN] = STYLE_DIM
    };
    const char *tool = arena_cstr(&o->cli->arena, event_tool(&o->cli->arena, ev));

    table_cell(&o->table, STYLE_DIM, "%s", id);
    table_cell(&o->table, STYLE_PLAIN, "%s", point_info(ev->point)->name);
    table_cell(&o->table, STYLE_PLAIN, "%s", tool ? tool : "");
    table_cell(&o->table, outcome_style(row->then), "%s", row->then);
    table_cell(&o->table, outcome_style(row->now), "%s", row->now);
    table_cell(&o->table, styles[row->change], "%s%s%s%s", row->by, row->note ? " (" : "",
               row->note ? row->note : "", row->note ? ")" : "");
}

static void add_object(struct replay *o, const char *id, const struct event *ev,
                       const struct replay_row *row)
{
    struct arena *a = &o->cli->arena;
    struct json *j = json_object(a);
    struct str tool = event_tool(a, ev);

    json_add(a, j, STR("id"), json_cstring(a, arena_strdup(a, id)));
    json_add(a, j, STR("point"), json_cstring(a, point_info(ev->point)->name));
    if (str_is_set(tool))
        json_add(a, j, STR("tool"), json_cstring(a, arena_cstr(a, tool)));
    json_add(a, j, STR("session"), json_cstring(a, arena_strdup(a, ev->session.id)));
    json_add(a, j, STR("change"), json_cstring(a, change_names[row->change]));
    json_add(a, j, STR("then"), json_cstring(a, arena_strdup(a, row->then)));
    json_add(a, j, STR("now"), json_cstring(a, arena_strdup(a, row->now)));
    if (row->change != REPLAY_SAME)
        json_add(a, j, STR("by"), json_cstring(a, arena_strdup(a, row->by)));
    if (row->note)
        json_add(a, j, STR("note"), json_cstring(a, row->note));
    json_push(a, o->list, j);
}

/* One event ------------------------------------------------------------------------------------ */

/* Where it was captured may be another machine. */
static void settle_cwd(struct event *ev)
{
    struct stat st;

    if (ev->session.cwd && (stat(ev->session.cwd, &st) < 0 || !S_ISDIR(st.st_mode)))
        ev->session.cwd = NULL;
}

static bool is_wanted(const struct replay *o, const struct event *ev)
{
    return (!o->session || strcmp(o->session, ev->session.id) == 0) &&
           (!o->point || strcmp(o->point, point_info(ev->point)->name) == 0);
}

static int replay_event(struct replay *o, struct arena *a, const char *id, struct captured *c,
                        struct err *e)
{
    CLEANUP(receipt) struct receipt now = { 0 };
    struct replay_row row;
    int r;

    settle_cwd(&c->event);
    r = engine_emit(o->engine, &c->event, a, &now, e);
    if (r < 0)
        return r;
    row = replay_compare(a, c, &now);
    o->seen++;
    o->changed += row.change == REPLAY_CHANGED;
    o->unknown += row.change == REPLAY_UNKNOWN;
    if (row.change == REPLAY_SAME && !o->all)
        return 0;
    if (o->json)
        add_object(o, id, &c->event, &row);
    else
        add_row(o, id, &c->event, &row);
    return 0;
}

static void replay_file(struct replay *o, const char *name)
{
    CLEANUP(arena) struct arena a = { 0 };
    const char *path = path_join(&a, o->dir, name);
    struct captured c = { 0 };
    struct err e = { 0 };
    struct str text;
    int r = file_read(&a, path, JSON_MAX_BYTES, &text, &e);

    if (r == 0) {
        r = capture_read(&a, text, &c, &e);
        if (r == 0 && is_wanted(o, &c.event))
            r = replay_event(o, &a, arena_printf(&a, "%.*s", (int)strlen(name) - 5, name), &c, &e);
        if (r < 0)
            r = err_wrap(&e, r, "'%s'", path);
    }
    if (r < 0) {
        o->bad++;
        cli_fail(o->cli, "%s; it is left out", e.msg);
    }
}

/* All of them ---------------------------------------------------------------------------------- */

static void show_progress(const struct replay *o, int at, int count)
{
    if (!o->cli->out.tty || at % PROGRESS_EVERY)
        return;
    if (at < count)
        printf("\r\x1b[K%d of %d", at, count);
    fflush(stdout);
}

static int replay_folder(struct replay *o)
{
    struct dirent **names;
    int count = scandir(o->dir, &names, is_json, alphasort);

    if (count < 0)
        return cli_fail(o->cli, "reading '%s': %s", o->dir, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (!interrupt_came()) {
            show_progress(o, i, count);
            replay_file(o, names[i]->d_name);
        }
        free(names[i]);
    }
    free(names);
    if (o->cli->out.tty)
        printf("\r\x1b[K");
    if (o->seen == 0 && o->bad == 0)
        return cli_fail(o->cli, "no captured event in '%s'%s", o->dir,
                        count ? " matches" : "; 'hooke trace --capture DIR' saves some");
    return o->changed || o->bad ? EXIT_FAILED : EXIT_DONE;
}

static void print_summary(const struct replay *o)
{
    printf("%s%zu event%s replayed, ", o->table.count ? "\n" : "", o->seen,
           o->seen == 1 ? "" : "s");
    if (o->changed)
        term_put(&o->cli->out, STYLE_YELLOW, "%zu changed", o->changed);
    else
        term_put(&o->cli->out, STYLE_GREEN, "none changed");
    if (o->unknown)
        printf(", %zu can't be compared", o->unknown);
    if (o->bad)
        printf(", %zu file%s left out", o->bad, o->bad == 1 ? "" : "s");
    putchar('\n');
}

static void print_json(struct replay *o)
{
    struct arena *a = &o->cli->arena;
    struct json *j = json_object(a);

    json_add(a, j, STR("events"), o->list);
    json_add(a, j, STR("replayed"), json_int(a, (int64_t)o->seen));
    json_add(a, j, STR("changed"), json_int(a, (int64_t)o->changed));
    json_add(a, j, STR("unknown"), json_int(a, (int64_t)o->unknown));
    json_add(a, j, STR("left_out"), json_int(a, (int64_t)o->bad));
    cli_json(o->cli, j);
}

static int replay(struct replay *o)
{
    static const struct column columns[] = { { .title = "EVENT" }, { .title = "POINT" },
                                             { .title = "TOOL" },  { .title = "THEN" },
                                             { .title = "NOW" },   { .title = "BY" } };
    CLEANUP(scratch) struct scratch scratch = { 0 };
    CLEANUP(runtime) struct runtime rt = { 0 };
    int rc;

    if (!scratch_open(o->cli, &scratch, &rc))
        return rc;
    if (o->no_commands) /* as inside a hook, where none starts another */
        setenv("HOOKE_DEPTH", "1", 1);
    if (!cli_open(o->cli, &o->scope, &rt, &rc))
        return rc;
    o->engine = rt.engine;
    o->list = json_array(&o->cli->arena);
    o->table = (struct table){ .arena = &o->cli->arena,
                               .columns = columns,
                               .column_count = ARRAY_LEN(columns) };
    rc = replay_folder(o);
    if (interrupt_came()) /* half a comparison is none */
        return EXIT_FAILED;
    if (o->json)
        print_json(o);
    else if (o->table.count)
        table_print(&o->table, &o->cli->out);
    if (!o->json && o->seen + o->bad)
        print_summary(o);
    return rc;
}

int cmd_replay(struct cli *cli, int argc, char **argv)
{
    struct replay o = { .cli = cli, .scope.receipts = "" };
    const struct arg flags[] = {
        ARG_TEXT("session", 's', &o.session, "ID", "only events of this session"),
        ARG_TEXT("point", 'p', &o.point, "POINT", "only events of this point"),
        ARG_SWITCH("all", 'a', &o.all, "also the events whose decision is the same"),
        ARG_SWITCH("no-commands", 0, &o.no_commands, "hold back hooks that start a process"),
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
    if (o.point && !point_resolve(str_of(o.point), &on))
        return cli_unknown_point(cli, o.point);
    if (o.point)
        o.point = point_info(on.point)->name;
    o.dir = words.word[0];
    o.scope.abort_fd = interrupt_fd();
    return replay(&o);
}
