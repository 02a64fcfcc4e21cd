#include "runner/command.h"

#include "dialect/dialect.h"
#include "hook/engine.h"
#include "runner/prewarm.h"
#include "runner/program.h"
#include "runner/when.h"

#include <errno.h>

#define STDERR_HEAD 300

struct command {
    const char **argv;
    const struct dialect *dialect;
    struct when *when;
    const char **env; /* changes that are the same for every run, ended by NULL */
    size_t env_count;
    struct prewarm *prewarm; /* NULL: a process is started when its event is there */
};

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

/* Running -------------------------------------------------------------------------------------- */

static const char *const *environment(const struct hook_call *c, const struct command *command)
{
    struct arena *a = c->arena;
    const char **env = arena_array(a, const char *, command->env_count + 6);
    size_t count = command->env_count;

    memcpy(env, command->env, count * sizeof(*env));
    env[count++] = arena_printf(a, "HOOKE_SESSION=%s", c->event->session.id);
    env[count++] = arena_printf(a, "HOOKE_HOOK=%s", c->hook->name);
    env[count++] = arena_printf(a, "HOOKE_POINT=%s", point_info(c->event->point)->name);
    env[count++] = program_depth(a);
    if (c->again)
        env[count++] = "HOOKE_AGAIN=1";
    return env;
}

static void tell(const struct hook_call *c, const struct proc *p, const struct proc_result *run)
{
    struct str err = str_trim(strbuf_str(&run->err.text));

    if (err.len > STDERR_HEAD)
        err.len = STDERR_HEAD;
    c->io->bytes_in = p->input.len;
    c->io->bytes_out = run->out.bytes;
    c->io->stderr_head = err.len ? arena_cstr(c->arena, err) : NULL;
}

static int command_run(const struct hook_call *c, struct verdict *v, struct err *e)
{
    const struct command *command = c->context;
    struct dialect_event ev = { .event = c->event, .final = c->final };
    bool applies;
    CLEANUP(proc_result) struct proc_result run = { 0 };
    CLEANUP(strbuf) struct strbuf input = { 0 };
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct dialect_answer answer = { v, &warnings };
    struct proc p = {
        .argv = command->argv,
        .env = environment(c, command),
        .cwd = c->event->session.cwd,
        .deadline_ns = c->deadline_ns,
    };
    int r = when_test(command->when, c, &applies, e);

    if (r < 0 || !applies)
        return r;
    json_write(&input, command->dialect->encode(c->arena, &ev), JSON_COMPACT);
    strbuf_addch(&input, '\n');
    p.input = strbuf_str(&input);
    prewarm_run(c->again ? NULL : command->prewarm, &p, &run);
    tell(c, &p, &run);
    if (run.end != PROC_EXITED)
        return err_set(e, run.end == PROC_TIMED_OUT ? -ETIMEDOUT : -EIO, "%s",
                       proc_explain(c->arena, &p, &run));
    r = command->dialect->decode(c->arena, &ev, &run, &answer, e);
    if (warnings.len)
        c->io->warnings = arena_cstr(c->arena, strbuf_str(&warnings));
    return r;
}

static int command_load(struct arena *a, const struct hook_entry *entry, struct hook *h,
                        struct problems *problems, struct err *e)
{
    const struct setting *said = setting_get(entry->spec, "dialect");
    struct str dialect = said ? said->text : STR("native");
    struct command *c = arena_new(a, struct command);
    int r;

    /* A pinned configuration does not pin the programs it names: their bytes could be anything. */
    if (entry->origin.source == SOURCE_WORKSPACE)
        return err_set(
            e, -EPERM,
            "programs of a workspace can't be trusted yet, name it in your own configuration");
    c->dialect = dialect_find(dialect);
    if (!c->dialect)
        return err_set(e, -ENOTSUP, "this build does not speak the dialect '%.*s'",
                       STR_ARG(dialect));
    r = check_points(c->dialect, &h->traits, e);
    if (r < 0)
        return r;
    c->argv = program_argv(a, setting_get(entry->spec, "exec"));
    c->env = program_env(a, setting_get(entry->spec, "env"), 0, &c->env_count);
    if (!h->traits.timeout_ms)
        h->traits.timeout_ms = c->dialect->timeout_ms;
    h->run = command_run;
    h->context = c;
    r = when_load(entry, problems, &c->when, e);
    if (r == 0)
        c->prewarm = prewarm_new(setting_get(entry->spec, "prewarm"));
    return r;
}

static void command_unload(struct hook *h)
{
    struct command *c = h->context;

    prewarm_free(c->prewarm);
    when_free(c->when);
}

const struct runner command_runner = {
    .kind = RUNNER_COMMAND,
    .load = command_load,
    .unload = command_unload,
};
