/* hooke test - run one hook against one event and say everything about it. */
#include "base/suggest.h"
#include "cli/describe.h"
#include "cli/event_args.h"
#include "cli/input.h"
#include "cli/interrupt.h"
#include "cli/sample.h"
#include "cli/scratch.h"
#include "cli/trial_text.h"

#include <stdio.h>
#include <sys/stat.h>

struct test {
    const char *name, *point, *file;
    struct event_args event;
    bool force, print_event, json;
    struct scope scope;
};

/* Which hook ----------------------------------------------------------------------------------- */

static int unknown_hook(struct cli *cli, const struct registry *reg, const char *name)
{
    size_t count;
    const struct hook *const *hooks = registry_hooks(reg, &count);
    const char **known = arena_array(&cli->arena, const char *, count + 1);

    for (size_t i = 0; i < count; i++)
        known[i] = hooks[i]->name;
    return cli_misuse(
        cli, "unknown hook '%s'%s", name,
        suggest(&cli->arena, str_nearest(name, known, count), "; 'hooke list' names the hooks"));
}

static const struct subscription *subscription_at(const struct hook *h, enum point point)
{
    for (size_t i = 0; i < h->traits.on_count; i++)
        if (h->traits.on[i].point == point)
            return &h->traits.on[i];
    return NULL;
}

/* The points of all its parts, each once. */
static size_t points_of(const struct hook *h, enum point points[POINT_COUNT])
{
    size_t count = 0;

    for (int p = 0; p < POINT_COUNT; p++)
        for (const struct hook *part = h; part; part = part->next_part)
            if (subscription_at(part, (enum point)p)) {
                points[count++] = (enum point)p;
                break;
            }
    return count;
}

static const char *point_list(struct arena *a, const struct hook *h)
{
    CLEANUP(strbuf) struct strbuf b = { 0 };
    enum point points[POINT_COUNT];
    size_t count = points_of(h, points);

    for (size_t i = 0; i < count; i++)
        strbuf_printf(&b, "%s%s", i ? ", " : "", point_info(points[i])->name);
    return b.len ? arena_strdup(a, strbuf_cstr(&b)) : "no point";
}

static bool is_at(const struct hook *h, enum point point)
{
    for (; h; h = h->next_part)
        if (subscription_at(h, point))
            return true;
    return false;
}

/* The part of it that the event is for; `*why` is NULL, or why no part matches. */
static const struct hook *part_for(struct arena *a, const struct hook *h, const struct event *ev,
                                   const char **why)
{
    struct chain_key key = chain_key_of(a, ev);
    const struct hook *first = NULL;

    *why = NULL;
    for (; h; h = h->next_part) {
        const char *mismatch = chain_mismatch(h, &key);

        if (!subscription_at(h, ev->point))
            continue;
        if (!mismatch) {
            *why = h->off_because ? arena_printf(a, "it is off: %s", h->off_because) : NULL;
            return h;
        }
        if (!first) {
            first = h;
            *why = describe_mismatch(a, h, mismatch);
        }
    }
    return first;
}

/* Which event ---------------------------------------------------------------------------------- */

/* An event in hooke's own JSON, or a captured one. */
static bool read_event(struct cli *cli, const struct test *o, struct event *ev, int *rc)
{
    bool is_stdin = strcmp(o->file, "-") == 0;
    const char *from = is_stdin ? "-" : arena_printf(&cli->arena, "@%s", o->file);
    const struct json *j = input_object(cli, "--event", from, rc), *inner;
    struct err e = { 0 };

    if (!j)
        return false;
    inner = json_get(j, STR("event"));
    if (event_from_json(&cli->arena, inner ? inner : j, ev, &e) == 0)
        return true;
    *rc = cli_misuse(cli, "%s: %s", is_stdin ? "standard input" : o->file, e.msg);
    return false;
}

static bool is_folder(const char *path)
{
    struct stat st;

    return path && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* What --point says, else the only point there is. */
static bool choose_point(struct cli *cli, const struct test *o, const struct hook *h,
                         struct subscription *on, int *rc)
{
    enum point points[POINT_COUNT];
    size_t count = points_of(h, points);

    if (o->point && !point_resolve(str_of(o->point), on)) {
        *rc = cli_unknown_point(cli, o->point);
        return false;
    }
    if (!o->point && count == 1)
        *on = (struct subscription){ .point = points[0] };
    if (o->point || count == 1)
        return true;
    *rc = cli_misuse(cli, "test: at which point? hook '%s' is at %s: name one with --point",
                     h->name, point_list(&cli->arena, h));
    return false;
}

static bool make_event(struct cli *cli, struct test *o, const struct hook *h, struct event *ev,
                       int *rc)
{
    struct subscription on;
    const struct subscription *said = NULL;
    const struct hook *part = h;

    if (o->file && o->point) {
        *rc = cli_misuse(cli, "test: '--event' says the point itself: leave out --point");
        return false;
    }
    if (o->file)
        return read_event(cli, o, ev, rc);
    if (!choose_point(cli, o, h, &on, rc))
        return false;
    while (part && !(said = subscription_at(part, on.point)))
        part = part->next_part;
    if (said && on.session == SESSION_ANY && on.result == RESULT_ANY)
        on = *said;
    *ev = sample_event(&cli->arena, part ? part : h, &on);
    return true;
}

static bool settle_event(struct cli *cli, struct test *o, const struct hook *h, struct event *ev,
                         int *rc)
{
    if (!make_event(cli, o, h, ev, rc))
        return false;
    if (!is_at(h, ev->point)) {
        *rc = cli_misuse(cli, "test: hook '%s' is not at '%s': it is at %s", h->name,
                         point_info(ev->point)->name, point_list(&cli->arena, h));
        return false;
    }
    if (ev->session.cwd && is_folder(ev->session.cwd) && !o->scope.cwd)
        o->event.cwd = NULL; /* the event's own folder is there */
    return event_args_apply(cli, &o->event, ev, rc);
}

/* Trying --------------------------------------------------------------------------------------- */

static int try_hook(struct cli *cli, const struct test *o, struct runtime *rt,
                    struct engine_trial *trial, const struct event *ev)
{
    CLEANUP(receipt) struct receipt r = { 0 };
    struct trial_text text = {
        .trial = trial, .event = ev, .receipt = &r, .session = o->event.session
    };
    struct err e = { 0 };
    const struct hook *part = part_for(&cli->arena, trial->hook, ev, &text.mismatch);

    trial->hook = part;
    if (text.mismatch && !o->force)
        return cli_fail(cli,
                        "hook '%s' would not run: %s; change the event, or run it with --force",
                        part->name, text.mismatch);
    if (engine_try(rt->engine, trial, ev, &cli->arena, &r, &e) < 0)
        return cli_fail(cli, "%s", e.msg);
    if (o->json)
        trial_text_json(cli, &text);
    else
        trial_text_print(cli, &text);
    if (r.run_count == 0 || r.runs[0].end != RUN_DONE)
        return EXIT_FAILED;
    return verdict_refuses(&r.verdict) ? EXIT_BLOCKED : EXIT_DONE;
}

/* To be edited by hand: readable wherever it goes. */
static int print_event(struct cli *cli, const struct event *ev)
{
    CLEANUP(strbuf) struct strbuf text = { .max = JSON_MAX_BYTES };

    json_write(&text, event_to_json(&cli->arena, ev), JSON_PRETTY);
    puts(strbuf_cstr(&text));
    return EXIT_DONE;
}

static int test(struct cli *cli, struct test *o, struct runtime *rt)
{
    struct engine_trial trial = { .registry = engine_look(rt->engine) };
    struct event ev = { 0 };
    int rc;

    trial.hook = registry_find(trial.registry, o->name);
    if (!trial.hook)
        rc = unknown_hook(cli, trial.registry, o->name);
    else if (settle_event(cli, o, trial.hook, &ev, &rc))
        rc = o->print_event ? print_event(cli, &ev) : try_hook(cli, o, rt, &trial, &ev);
    registry_unref(trial.registry);
    return rc;
}

int cmd_test(struct cli *cli, int argc, char **argv)
{
    struct test o = { .scope.receipts = "" };
    const struct arg flags[] = {
        ARG_TEXT("point", 'p', &o.point, "POINT", "the point (default: the only one it is at)"),
        ARG_TEXT("data", 'd', &o.event.data, "JSON|@FILE|-",
                 "the event's data (default: a sample)"),
        ARG_TEXT("event", 'e', &o.file, "FILE", "a whole event, written or captured; - for stdin"),
        EVENT_ARGS(&o.event),
        ARG_SWITCH("force", 0, &o.force, "run it even if the event does not match, or it is off"),
        ARG_SWITCH("print-event", 0, &o.print_event, "print the event and run nothing"),
        ARG_SWITCH("json", 0, &o.json, "for programs"),
        SCOPE_ARGS(&o.scope),
        ARG_END,
    };
    CLEANUP(scratch) struct scratch scratch = { 0 };
    CLEANUP(runtime) struct runtime rt = { 0 };
    struct words words;
    int rc;

    if (!args_parse(cli, flags, argc, argv, &words, &rc))
        return rc;
    if (words.count != 1)
        return cli_usage(cli);
    o.name = words.word[0];
    o.scope.cwd = o.event.cwd;
    if (!event_args_check(cli, &o.event, &rc))
        return rc;
    o.scope.abort_fd = interrupt_fd();
    if (!o.event.session && !scratch_open(cli, &scratch, &rc))
        return rc;
    if (!cli_open(cli, &o.scope, &rt, &rc))
        return rc;
    return test(cli, &o, &rt);
}
