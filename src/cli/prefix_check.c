#include "cli/prefix_check.h"

#include "base/map.h"
#include "base/ulid.h"
#include "cli/interrupt.h"
#include "cli/scratch.h"
#include "hook/registry.h"

#include <poll.h>

#define TURNS 4
#define PAUSE_MS \
    150 /* before each of two requests a turn: a conversation takes more than a second */

/* Hooks that match an agent match one of these, or say so in vain. */
static const char *const agents[] = { "orchestrator", "builder" };

/* One conversation per agent, with one set of hooks. */
struct trial {
    struct prefix_check *check;
    struct map *spoke; /* names of hooks that injected or changed something; NULL: not asked */
    unsigned requests;
    bool pause; /* something here may look at a clock */
};

static bool looks_at_clocks(const struct registry *reg)
{
    size_t count;
    const struct hook *const *hooks = registry_hooks(reg, &count);

    for (size_t i = 0; i < count; i++)
        if (!hooks[i]->off_because && hooks[i]->runner != RUNNER_BUILTIN &&
            hooks[i]->runner != RUNNER_RULE)
            return true;
    return false;
}

/* Another second, another hour, another day: the zones are 26 hours apart. */
static void shift(void *context)
{
    struct trial *t = context;

    setenv("TZ", t->requests++ % 2 ? "EAST-14" : "WEST+12", 1);
    tzset();
    if (t->pause)
        (void)!poll(NULL, 0, PAUSE_MS);
}

static void note_runs(void *context, const struct receipt *r)
{
    struct trial *t = context;

    for (size_t i = 0; t->spoke && i < r->run_count; i++)
        if (r->runs[i].effects & (POWER_INJECT | POWER_CHANGE))
            map_put(t->spoke, str_of(arena_strdup(&t->check->cli->arena, r->runs[i].hook->name)),
                    t);
}

static int converse(struct trial *t, struct runtime *rt, struct verify_break *broken, struct err *e)
{
    struct arena *a = &t->check->cli->arena;
    struct registry *reg = engine_look(rt->engine);
    struct verify v = {
        .engine = rt->engine,
        .cwd = registry_config(reg)->workspace,
        .turns = TURNS,
        .abort_fd = t->check->scope->abort_fd,
        .context = t,
        .shift = shift,
        .seen = note_runs,
    };
    int r = 0;

    t->pause = looks_at_clocks(reg);
    for (size_t i = 0; r == 0 && i < ARRAY_LEN(agents); i++) {
        v.session = ulid_new(a);
        v.agent = agents[i];
        v.seed = i;
        r = verify_run(&v, a, broken, e);
    }
    registry_unref(reg);
    return r;
}

/* With the hooks of a scope: 1: broken, 0: not, -1: said why. */
static int try_scope(struct trial *t, const struct scope *scope, struct verify_break *broken,
                     int *rc)
{
    CLEANUP(runtime) struct runtime rt = { 0 };
    struct cli *cli = t->check->cli;
    struct err e = { 0 };
    int r;

    if (!cli_open(cli, scope, &rt, rc))
        return -1;
    r = converse(t, &rt, broken, &e);
    if (r < 0)
        *rc = cli_fail(cli, "%s", e.msg);
    return r < 0 ? -1 : r;
}

/* All names but one, for `disabled_hooks`. What places text is needed to see where it goes. */
static const char *all_but(struct cli *cli, const char *const *names, const char *kept)
{
    CLEANUP(strbuf) struct strbuf list = { 0 };

    strbuf_addstr(&list, "disabled_hooks=");
    for (size_t i = 0; names[i]; i++)
        if (strcmp(names[i], kept) != 0 && strcmp(names[i], "context-injector") != 0)
            strbuf_printf(&list, "%s,", names[i]);
    return arena_cstr(&cli->arena, strbuf_str(&list));
}

static int try_alone(struct prefix_check *c, const char *const *names, const char *name,
                     struct verify_break *broken, int *rc)
{
    struct arena *a = &c->cli->arena;
    struct trial t = { .check = c };
    struct scope scope = *c->scope;
    size_t count = scope.set.count;

    scope.set.values = arena_array(a, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        scope.set.values[i] = c->scope->set.values[i];
    scope.set.values[count] = all_but(c->cli, names, name);
    scope.set.count = count + 1;
    return try_scope(&t, &scope, broken, rc);
}

static void add_fault(struct prefix_check *c, const char *hook, const struct verify_break *broken)
{
    c->faults = arena_grow(&c->cli->arena, c->faults, c->count, &c->room, sizeof(*c->faults));
    c->faults[c->count++] = (struct prefix_fault){ hook, *broken };
}

static const char *const *names_of(struct cli *cli, const struct runtime *rt)
{
    struct registry *reg = engine_look(rt->engine);
    size_t count;
    const struct hook *const *hooks = registry_hooks(reg, &count);
    const char **names = arena_array(&cli->arena, const char *, count + 1);

    for (size_t i = 0; i < count; i++)
        names[i] = arena_strdup(&cli->arena, hooks[i]->name);
    registry_unref(reg);
    return names;
}

/* Whether the search came to its end. */
static bool find_guilty(struct prefix_check *c, const char *const *names, const struct map *spoke,
                        int *rc)
{
    struct verify_break broken;

    for (size_t i = 0; names[i] && !interrupt_came(); i++) {
        int r;

        if (!map_get(spoke, str_of(names[i])) || strcmp(names[i], "context-injector") == 0)
            continue;
        r = try_alone(c, names, names[i], &broken, rc);
        if (r < 0)
            return false;
        if (r > 0)
            add_fault(c, names[i], &broken);
    }
    return true;
}

static bool look(struct prefix_check *c, int *rc)
{
    CLEANUP(runtime) struct runtime rt = { 0 };
    CLEANUP(map) struct map spoke = { 0 };
    struct trial t = { .check = c, .spoke = &spoke };
    struct verify_break broken;
    struct err e = { 0 };
    int r;

    if (!cli_open(c->cli, c->scope, &rt, rc))
        return false;
    r = converse(&t, &rt, &broken, &e);
    c->requests = t.requests;
    if (r < 0) {
        *rc = cli_fail(c->cli, "%s", e.msg);
        return false;
    }
    if (r > 0 && !find_guilty(c, names_of(c->cli, &rt), &spoke, rc))
        return false;
    if (r > 0 && !c->count)
        add_fault(c, NULL, &broken);
    return true;
}

bool prefix_check(struct prefix_check *c, int *rc)
{
    CLEANUP(scratch) struct scratch scratch = { 0 };
    struct scope scope = *c->scope;
    const struct scope *given = c->scope;
    bool done;

    scope.abort_fd = interrupt_fd();
    scope.receipts = "";
    scope.quiet = true;
    if (!scratch_open(c->cli, &scratch, rc))
        return false;
    c->scope = &scope;
    done = look(c, rc);
    c->scope = given;
    scratch_close(&scratch);
    interrupt_finish();
    return done;
}
