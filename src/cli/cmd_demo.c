/* hooke demo - a whole session on a scripted model, with hooks of every kind, explained as it goes.
 */
#include "agent/agent.h"
#include "base/path.h"
#include "cli/demo.h"
#include "cli/runs.h"
#include "hook/registry.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>

#define WIDTH_LEAST 60
#define WIDTH_MOST  100
#define HOOKS_MOST  32

/* What one hook did in the whole session. */
struct tally {
    const char *hook;
    unsigned ran, held, failed, acted;
    uint64_t ns;
};

struct demo {
    struct cli *cli;
    char *dir, *here;
    unsigned width;
    bool in_text;
    const char *told[HOOKS_MOST]; /* hooks that were explained */
    size_t told_count;
    struct tally tallies[HOOKS_MOST];
    size_t tally_count;
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
        if (strncmp(environ[i], "HOOKE_", 6) == 0 || strncmp(environ[i], "XDG_", 4) == 0)
            unsetenv(arena_printf(&a, "%.*s", (int)strcspn(environ[i], "="), environ[i]));
        else
            i++;
}

static int move_in(struct demo *d, struct err *e)
{
    struct arena *a = &d->cli->arena;
    const char *tmp = getenv("TMPDIR");
    char *dir = path_join(a, tmp && tmp[0] ? tmp : "/tmp", "hooke-demo-XXXXXX");
    int r;

    if (!mkdtemp(dir))
        return err_errno(e, "making a folder like '%s'", dir);
    d->dir = dir;
    d->here = getcwd(NULL, 0);
    r = demo_write(dir, e);
    if (r < 0)
        return r;
    forget_environment();
    setenv("HOME", path_join(a, dir, "home"), 1);
    if (chdir(path_join(a, dir, "workspace")) < 0)
        return err_errno(e, "entering '%s/workspace'", dir);
    return 0;
}

static void move_out(struct demo *d)
{
    if (d->here && chdir(d->here) < 0)
        perror(d->here);
    if (d->dir)
        nftw(d->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(d->here);
}

/* Telling -------------------------------------------------------------------------------------- */

static void end_text(struct demo *d)
{
    if (d->in_text)
        putchar('\n');
    d->in_text = false;
}

static void line(struct demo *d, enum style style, const char *head, const char *text)
{
    struct arena *a = &d->cli->arena;
    unsigned used = term_columns(head);

    end_text(d);
    term_put(&d->cli->out, style, "%s", head);
    printf("%s\n", term_cut(a, term_clean(a, text), d->width > used ? d->width - used : 1));
}

static bool was_told(const struct demo *d, const char *hook)
{
    for (size_t i = 0; i < d->told_count; i++)
        if (strcmp(d->told[i], hook) == 0)
            return true;
    return false;
}

/* What kind of hook that was is said the first time it acts. */
static void explain(struct demo *d, const char *hook)
{
    const char *lesson = demo_lesson(hook);

    if (!lesson || was_told(d, hook) || d->told_count == HOOKS_MOST)
        return;
    d->told[d->told_count++] = arena_strdup(&d->cli->arena, hook);
    printf("      ");
    term_put(&d->cli->out, STYLE_DIM, "(%s)\n", lesson);
}

static void tell_hook(struct demo *d, const struct show *s)
{
    struct arena *a = &d->cli->arena;
    bool bad = strcmp(s->tool, "block") == 0 || strcmp(s->tool, "failed") == 0;

    line(d, bad ? STYLE_RED : STYLE_YELLOW, "    => ",
         arena_printf(a, "%s: %s%s%.*s", s->hook, s->tool, s->text.len ? ": " : "",
                      STR_ARG(s->text)));
    explain(d, s->hook);
}

static const char *first_argument(struct arena *a, const struct json *args)
{
    const struct json *first = json_first(args);

    return first && json_type(first) == JSON_STRING ? json_cstr(a, first) : "";
}

static void tell_result(struct demo *d, const struct show *s)
{
    struct arena *a = &d->cli->arena;
    struct str text = json_str(a, s->json), rest = text, head = { 0 };

    (void)str_cut(&rest, '\n', &head);
    line(d, s->ok ? STYLE_GREEN : STYLE_DIM, s->ok ? "    ok  " : "    no  ",
         text.len > head.len + 1
             ? arena_printf(a, "%.*s … (%zu bytes)", STR_ARG(str_trim(head)), text.len)
             : arena_cstr(a, str_trim(head)));
}

static void tell(void *context, const struct show *s)
{
    struct demo *d = context;
    struct arena *a = &d->cli->arena;

    switch (s->kind) {
    case SHOW_TEXT:
        if (!d->in_text)
            term_put(&d->cli->out, STYLE_BOLD, "model ");
        d->in_text = true;
        printf("%.*s", STR_ARG(s->text));
        break;
    case SHOW_TOOL_BEGIN:
        line(d, STYLE_BLUE, arena_printf(a, "  %s ", s->tool), first_argument(a, s->json));
        break;
    case SHOW_TOOL_END:
        tell_result(d, s);
        break;
    case SHOW_HOOK:
        tell_hook(d, s);
        break;
    case SHOW_FALLBACK:
        line(d, STYLE_YELLOW, "    => ",
             arena_printf(a, "from here on '%.*s' answers", STR_ARG(s->text)));
        explain(d, "foreground-fallback");
        break;
    case SHOW_FOLLOW_UP:
        line(d, STYLE_BOLD, "hook  ", arena_cstr(a, s->text));
        break;
    case SHOW_TEXT_END:
        end_text(d);
        break;
    default:
        break;
    }
}

/* The trace ------------------------------------------------------------------------------------ */

static struct tally *tally_of(struct demo *d, const char *hook)
{
    for (size_t i = 0; i < d->tally_count; i++)
        if (strcmp(d->tallies[i].hook, hook) == 0)
            return &d->tallies[i];
    if (d->tally_count == HOOKS_MOST)
        return &d->tallies[0];
    d->tallies[d->tally_count].hook = arena_strdup(&d->cli->arena, hook);
    return &d->tallies[d->tally_count++];
}

static int count(void *context, const struct store_receipt *receipt)
{
    struct demo *d = context;
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *j;
    struct run_lines runs;

    if (json_parse(&a, str_of(receipt->line), NULL, &j, NULL) < 0)
        return 0;
    runs = runs_of_json(&a, j);
    for (size_t i = 0; i < runs.count; i++) {
        const struct run_line *l = &runs.lines[i];
        struct tally *t = tally_of(d, l->hook);
        bool failed = strcmp(l->outcome, "failed") == 0 || strcmp(l->outcome, "timed out") == 0;

        t->ran += l->ran;
        t->held += !l->ran;
        t->failed += failed;
        t->acted += l->ran && !failed && strcmp(l->outcome, "none") != 0;
        t->ns += l->ns;
    }
    return 0;
}

static void print_tallies(struct demo *d, struct registry *reg)
{
    static const struct column columns[] = {
        { .title = "HOOK" },
        { .title = "KIND" },
        { .title = "RAN", .right = true },
        { .title = "ACTED", .right = true },
        { .title = "HELD BACK", .right = true },
        { .title = "TIME", .right = true, .least = 8 },
    };
    struct table t = { .arena = &d->cli->arena, .columns = columns, .column_count = 6 };

    for (size_t i = 0; i < d->tally_count; i++) {
        const struct tally *y = &d->tallies[i];
        const struct hook *h = registry_find(reg, y->hook);

        table_cell(&t, STYLE_BOLD, "%s", y->hook);
        table_cell(&t, STYLE_PLAIN, "%s", h ? runner_kind_name(h->runner) : "");
        table_cell(&t, STYLE_PLAIN, "%u", y->ran);
        table_cell(&t, STYLE_PLAIN, "%u", y->acted);
        table_cell(&t, STYLE_PLAIN, "%u", y->held);
        table_cell(&t, STYLE_PLAIN, "%s", term_duration(t.arena, y->ns));
    }
    table_print(&t, &d->cli->out);
}

static int tell_end(struct demo *d, struct runtime *rt, const struct agent_outcome *out,
                    struct err *e)
{
    const struct usage *u = &out->usage;
    struct registry *reg;
    size_t taken;
    int r = store_ingest(rt->store, rt->receipts, &taken, e);

    if (r == 0)
        r = store_receipts(rt->store, &(struct store_query){ 0 }, count, d, e);
    if (r < 0)
        return r;
    term_put(&d->cli->out, STYLE_BOLD, "\nWhat each hook did, from the receipts of %zu events\n",
             taken);
    reg = engine_look(rt->engine);
    print_tallies(d, reg);
    registry_unref(reg);
    printf("\n%u turns, %" PRId64 " tokens in (%" PRId64 " of them cached), %" PRId64
           " out, hooks took %s.\n"
           "No network was used and nothing is left behind.\n\n"
           "hooke run -m PROVIDER/MODEL \"…\"   the same with a model of yours\n"
           "hooke list                        the hooks you have\n"
           "hooke plan tool.execute.before    what would run there, and why\n"
           "hooke trace                       what ran\n",
           out->turns, usage_sent(u), u->cache_read, u->output,
           term_duration(&d->cli->arena, out->hook_ns));
    return 0;
}

/* Playing -------------------------------------------------------------------------------------- */

static int play(struct demo *d, struct err *e)
{
    CLEANUP(runtime) struct runtime rt = { 0 };
    const struct agent_screen screen = { .context = d, .show = tell };
    struct agent_outcome out = { 0 };
    struct agent *agent;
    int r = runtime_open(&rt, &(struct runtime_options){ 0 }, e);

    if (r < 0)
        return r;
    agent = agent_new(
        &(struct agent_options){ .engine = rt.engine, .store = rt.store, .screen = &screen });
    term_put(&d->cli->out, STYLE_BOLD, "you   ");
    printf("%s\n", demo_prompt);
    r = agent_run(agent, &(struct agent_task){ .text = demo_prompt }, &out, e);
    agent_free(agent);
    if (r == 0 && out.end != AGENT_DONE)
        r = err_set(e, -EIO, "%s", out.reason);
    if (r == 0)
        r = tell_end(d, &rt, &out, e);
    agent_outcome_release(&out);
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
    term_wrap(&cli->out, STYLE_PLAIN, 0, d.width,
              "A model that is played from a file works in a small workspace. Every moment of the "
              "session is a point where hooks may look, change, refuse or go on; what they did is "
              "shown as =>.\n");
    rc = move_in(&d, &e);
    if (rc == 0)
        rc = play(&d, &e);
    move_out(&d);
    return rc < 0 ? cli_fail(cli, "demo: %s", e.msg) : EXIT_DONE;
}
