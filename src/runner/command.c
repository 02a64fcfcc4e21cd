#include "runner/command.h"

#include "hook/background.h"
#include "hook/registry.h"
#include "runner/group.h"
#include "runner/prewarm.h"
#include "runner/when.h"

#include <errno.h>

struct command {
    const struct dialect *dialect;
    struct when *when;
    struct handler *handlers; /* in configured order */
    size_t count;
    struct prewarm *prewarm; /* NULL: a process is started when its event is there */
};

/* Running -------------------------------------------------------------------------------------- */

static struct dialect_event event_of(const struct hook_call *c)
{
    struct chain_key key = chain_key_of(c->arena, c->event);
    const struct subscription *on = chain_subscription(c->hook, &key);

    return (struct dialect_event){ .event = c->event, .final = c->final, .as = on ? on->as : NULL };
}

/* A handler that no event waits for. */
struct async {
    const struct command *command;
    const struct handler *handler;
    struct str input;
};

static int run_async(const struct hook_call *c, struct verdict *v, struct err *e)
{
    const struct async *async = c->context;
    struct group g = {
        .call = c,
        .dialect = async->command->dialect,
        .event = event_of(c),
        .input = async->input,
        .handlers = &async->handler,
        .count = 1,
        .alone = async->command->count == 1,
    };

    return group_run(&g, v, e);
}

static void start_async(const struct group *g, const struct handler *h)
{
    struct background_run *run = background_prepare(g->call);
    struct async *async = arena_new(&run->arena, struct async);

    async->command = g->call->context;
    async->handler = h;
    async->input = (struct str){ arena_cstr(&run->arena, g->input), g->input.len };
    run->start = run_async;
    run->context = async;
    run->timeout_ms = h->timeout_ms;
    background_start(run);
}

/* Who tries a hook waits for all of it: what these say is shown, and has as little power. */
static void try_async(const struct group *g, const struct handler *const *later, size_t count)
{
    struct arena *a = g->call->arena;
    struct hook_call call = *g->call;
    struct hook_io io = { 0 };
    struct verdict ignored = { 0 };
    struct group all = *g;
    struct err e = { 0 };
    const char *warnings = g->call->io->warnings, *failure;

    if (count == 0)
        return;
    call.io = &io;
    all.call = &call;
    all.handlers = later;
    all.count = count;
    all.prewarm = NULL;
    failure = group_run(&all, &ignored, &e) < 0 ? e.msg : io.failure;
    warnings = arena_printf(a, "%s%s", warnings ? warnings : "", io.warnings ? io.warnings : "");
    if (failure)
        warnings = arena_printf(a, "%sin the background it %s\n", warnings, failure);
    g->call->io->warnings = warnings[0] ? warnings : NULL;
}

/* Those that want the event, by whether it waits for them. */
static size_t choose(const struct group *g, const struct command *command, bool async,
                     const struct handler **list)
{
    size_t count = 0;

    for (size_t i = 0; i < command->count; i++) {
        const struct handler *h = &command->handlers[i];

        if (h->said->async == async &&
            handler_wants(h, command->dialect, g->call->arena, &g->event))
            list[count++] = h;
    }
    return count;
}

static int run_chosen(struct group *g, const struct command *command, struct verdict *v,
                      struct err *e)
{
    struct arena *a = g->call->arena;
    const struct handler **now = arena_array(a, const struct handler *, command->count);
    const struct handler **later = arena_array(a, const struct handler *, command->count);
    size_t later_count = choose(g, command, true, later);
    CLEANUP(strbuf) struct strbuf input = { 0 };
    int r;

    g->handlers = now;
    g->count = choose(g, command, false, now);
    if (g->call->again) /* they have seen the event */
        later_count = 0;
    if (g->count + later_count == 0)
        return 0;
    json_write(&input, command->dialect->encode(a, &g->event), JSON_COMPACT);
    strbuf_addch(&input, '\n');
    g->input = strbuf_str(&input);
    for (size_t i = 0; i < later_count && !g->call->report; i++)
        start_async(g, later[i]);
    r = g->count ? group_run(g, v, e) : 0;
    if (g->call->report)
        try_async(g, later, later_count);
    return r;
}

static int command_run(const struct hook_call *c, struct verdict *v, struct err *e)
{
    const struct command *command = c->context;
    struct group g = {
        .call = c,
        .dialect = command->dialect,
        .event = event_of(c),
        .prewarm = c->again ? NULL : command->prewarm,
        .alone = command->count == 1,
    };
    bool applies;
    int r = when_test(command->when, c, &applies, e);

    if (r < 0 || !applies)
        return r;
    return run_chosen(&g, command, v, e);
}

/* Loading -------------------------------------------------------------------------------------- */

/* A system that has no such event would never start the hook: better a problem than a silence. */
static int check_points(const struct dialect *d, const struct hook_traits *t, struct err *e)
{
    for (size_t i = 0; d->speaks && i < t->on_count; i++)
        if (!d->speaks(t->on[i].point))
            return err_set(e, -ENOTSUP, "%s hooks know no event for '%s'", d->name,
                           point_info(t->on[i].point)->name);
    return 0;
}

static void load_handlers(struct arena *a, const struct hook_entry *entry, struct command *c,
                          const struct handler_common *common)
{
    c->handlers = arena_array(a, struct handler, entry->handler_count);
    for (c->count = 0; c->count < entry->handler_count; c->count++) {
        handler_load(a, common, &entry->handlers[c->count], &c->handlers[c->count]);
        c->handlers[c->count].number = (unsigned)c->count + 1;
    }
}

static void command_unload(struct hook *h)
{
    struct command *c = h->context;

    for (size_t i = 0; i < c->count; i++)
        handler_unload(&c->handlers[i], c->dialect);
    prewarm_free(c->prewarm);
    when_free(c->when);
}

static int command_load(struct arena *a, const struct hook_entry *entry, struct hook *h,
                        struct problems *problems, struct err *e)
{
    const struct setting *said = setting_get(entry->spec, "dialect");
    struct str dialect = said ? said->text : STR("native");
    struct command *c = arena_new(a, struct command);
    struct handler_common common = { .root = entry->config ? entry->config->root : NULL,
                                     .env = setting_get(entry->spec, "env"),
                                     .unpinned = setting_get(entry->spec, "unpinned"),
                                     .problems = problems };
    int r;

    c->dialect = common.dialect = dialect_find(dialect);
    if (!c->dialect)
        return err_set(e, -ENOTSUP, "this build does not speak the dialect '%.*s'",
                       STR_ARG(dialect));
    r = check_points(c->dialect, &h->traits, e);
    if (r == 0)
        r = when_load(entry, problems, &c->when, e);
    if (r < 0)
        return r;
    if (!h->traits.timeout_ms)
        h->traits.timeout_ms = dialect_timeout(c->dialect, h->traits.on, h->traits.on_count);
    common.timeout_ms = h->traits.timeout_ms;
    common.as = h->traits.on_count == 1 ? h->traits.on[0].as : NULL;
    load_handlers(a, entry, c, &common);
    if (c->count == 1)
        c->prewarm = prewarm_new(setting_get(entry->spec, "prewarm"));
    h->run = command_run;
    h->context = c;
    return 0;
}

const struct runner command_runner = {
    .kind = RUNNER_COMMAND,
    .load = command_load,
    .unload = command_unload,
};
