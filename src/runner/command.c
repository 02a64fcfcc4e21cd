#include "runner/command.h"

#include "base/path.h"
#include "dialect/dialect.h"
#include "hook/engine.h"
#include "runner/when.h"

#include <errno.h>
#include <stdlib.h>

#define STDERR_HEAD 300

struct command {
    const char **argv;
    const struct dialect *dialect;
    struct when *when;
    const char **env; /* changes that are the same for every run, ended by NULL */
    size_t env_count;
};

/* Loading -------------------------------------------------------------------------------------- */

static size_t count_items(const struct setting *s)
{
    size_t count = 0;

    for (const struct setting *item = s ? s->first : NULL; item; item = item->next)
        count++;
    return count;
}

static const char **read_argv(struct arena *a, const struct setting *exec)
{
    const char **argv = arena_array(a, const char *, count_items(exec) + 4);
    size_t count = 0;

    if (exec->kind != SETTING_LIST) {
        argv[0] = "/bin/sh";
        argv[1] = "-c";
        argv[2] = exec->text.ptr;
        return argv;
    }
    for (const struct setting *word = exec->first; word; word = word->next)
        argv[count++] = word->text.ptr;
    if (strchr(argv[0], '/'))
        argv[0] = path_normalize(a, path_join(a, path_dirname(a, exec->origin.file), argv[0]));
    return argv;
}

static bool names(const struct setting *env, const char *variable)
{
    for (const struct setting *item = env ? env->first : NULL; item; item = item->next)
        if (str_is(env->kind == SETTING_MAP ? item->key : item->text, variable))
            return true;
    return false;
}

/* Keys of providers are nobody's business unless the entry names them; its own values are added. */
static void read_env(struct arena *a, const struct setting *env, struct command *c)
{
    static const char *const secrets[] = {
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
    };

    c->env = arena_array(a, const char *, ARRAY_LEN(secrets) + count_items(env) + 1);
    for (size_t i = 0; i < ARRAY_LEN(secrets); i++)
        if (!names(env, secrets[i]))
            c->env[c->env_count++] = secrets[i];
    for (const struct setting *item = env ? env->first : NULL; item; item = item->next)
        if (env->kind == SETTING_MAP)
            c->env[c->env_count++] = arena_printf(a, "%s=%s", item->key.ptr, item->text.ptr);
}

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
    const char *depth = getenv("HOOKE_DEPTH");
    size_t count = command->env_count;

    memcpy(env, command->env, count * sizeof(*env));
    env[count++] = arena_printf(a, "HOOKE_SESSION=%s", c->event->session.id);
    env[count++] = arena_printf(a, "HOOKE_HOOK=%s", c->hook->name);
    env[count++] = arena_printf(a, "HOOKE_POINT=%s", point_info(c->event->point)->name);
    env[count++] = arena_printf(a, "HOOKE_DEPTH=%lu", depth ? strtoul(depth, NULL, 10) + 1 : 1);
    if (c->again)
        env[count++] = "HOOKE_AGAIN=1";
    return env;
}

static void tell(const struct hook_call *c, const struct proc *p, const struct proc_result *run)
{
    struct str err = str_trim(strbuf_str(&run->err.text));

    if (c->report)
        *c->report = (struct hook_report){
            .output = run->out.text.len ? arena_cstr(c->arena, strbuf_str(&run->out.text)) : NULL,
            .errors = run->err.text.len ? arena_cstr(c->arena, strbuf_str(&run->err.text)) : NULL,
            .exited = run->end == PROC_EXITED,
            .exit_code = run->exit_code,
        };
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
    proc_run(&p, &run);
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
    c->argv = read_argv(a, setting_get(entry->spec, "exec"));
    read_env(a, setting_get(entry->spec, "env"), c);
    if (!h->traits.timeout_ms)
        h->traits.timeout_ms = c->dialect->timeout_ms;
    h->run = command_run;
    h->context = c;
    return when_load(entry, problems, &c->when, e);
}

static void command_unload(struct hook *h)
{
    struct command *c = h->context;

    when_free(c->when);
}

const struct runner command_runner = {
    .kind = RUNNER_COMMAND,
    .load = command_load,
    .unload = command_unload,
};
