#include "runner/handler.h"

#include "base/path.h"
#include "hook/secret_variables.h"

#include <stdlib.h>

#define LABEL_MAX 40 /* bytes of a command that name it */

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

static void add_values(struct arena *a, const struct setting *env, struct handler *h)
{
    for (const struct setting *item = env ? env->first : NULL; item; item = item->next)
        if (env->kind == SETTING_MAP)
            h->env[h->env_count++] = arena_printf(a, "%s=%s", item->key.ptr, item->text.ptr);
}

/* Keys of providers are nobody's business unless the entry names them; its own values are added. */
static void read_env(struct arena *a, const struct setting *common, struct handler *h)
{
    const struct setting *own = h->said->env;
    size_t count;
    const char *const *secrets = secret_variables(&count);

    h->env = arena_array(a, const char *, count + count_items(common) + count_items(own) + 1);
    for (size_t i = 0; i < count; i++)
        if (!names(common, secrets[i]) && !names(own, secrets[i]))
            h->env[h->env_count++] = secrets[i];
    add_values(a, common, h);
    add_values(a, own, h);
}

/* A program by its name, a shell text by the head of its first line. */
static struct str head_of(const struct setting *exec)
{
    struct str rest = { 0 }, head = { 0 };

    if (exec && exec->kind == SETTING_LIST && exec->first) {
        const char *slash = strrchr(exec->first->text.ptr, '/');

        return slash ? str_of(slash + 1) : exec->first->text;
    }
    if (exec && exec->kind == SETTING_STRING)
        rest = str_trim(exec->text);
    (void)str_cut(&rest, '\n', &head);
    return head;
}

static const char *label_of(struct arena *a, const struct hook_handler *said)
{
    struct str head = head_of(said->exec);
    const char *where = origin_text(a, &said->origin);

    if (head.len > LABEL_MAX)
        return arena_printf(a, "'%.*s…' (%s)", LABEL_MAX, head.ptr, where);
    return head.len ? arena_printf(a, "'%.*s' (%s)", STR_ARG(head), where)
                    : arena_printf(a, "(%s)", where);
}

static void load_filter(struct arena *a, const struct handler_common *common, struct handler *h)
{
    const struct setting *match = h->said->match, *condition = h->said->condition;
    struct dialect_wants wants = { .match = match ? match->text.ptr : NULL,
                                   .condition = condition ? condition->text.ptr : NULL };
    const struct setting *at = match ? match : condition;
    const struct dialect *d = common->dialect;
    struct err e = { 0 };

    if (!at)
        return;
    if (!d->filter_new)
        err_set(&e, -1, "handlers of the dialect '%s' have no '%s': use 'tool' or 'when' of a hook",
                d->name, at->key.ptr);
    if (!d->filter_new || d->filter_new(a, &wants, &h->filter, &e) < 0) {
        h->filter = NULL;
        h->broken = arena_strdup(a, e.msg);
        problem_add(common->problems, &at->origin, "%s", e.msg);
    }
}

void handler_load(struct arena *a, const struct handler_common *common,
                  const struct hook_handler *said, struct handler *h)
{
    h->said = said;
    h->label = label_of(a, said);
    h->broken = said->broken;
    h->timeout_ms = said->timeout_ms ? said->timeout_ms : common->timeout_ms;
    if (h->broken)
        return;
    h->argv = read_argv(a, said->exec);
    read_env(a, common->env, h);
    load_filter(a, common, h);
}

void handler_unload(const struct handler *h, const struct dialect *d)
{
    if (h->filter && d->filter_free)
        d->filter_free(h->filter);
}

/* Running -------------------------------------------------------------------------------------- */

bool handler_wants(const struct handler *h, const struct dialect *d, struct arena *a,
                   const struct dialect_event *ev)
{
    return !h->filter || d->filter_test(h->filter, a, ev);
}

static const char *const *environment(const struct handler *h, const struct hook_call *c,
                                      const char *const *of_dialect)
{
    struct arena *a = c->arena;
    const char *depth = getenv("HOOKE_DEPTH");
    size_t count = 0, more = 0;
    const char **env;

    while (of_dialect && of_dialect[more])
        more++;
    env = arena_array(a, const char *, h->env_count + more + 6);
    for (size_t i = 0; i < more; i++)
        env[count++] = of_dialect[i];
    memcpy(&env[count], h->env, h->env_count * sizeof(*env));
    count += h->env_count;
    env[count++] = arena_printf(a, "HOOKE_SESSION=%s", c->event->session.id);
    env[count++] = arena_printf(a, "HOOKE_HOOK=%s", c->hook->name);
    env[count++] = arena_printf(a, "HOOKE_POINT=%s", point_info(c->event->point)->name);
    env[count++] = arena_printf(a, "HOOKE_DEPTH=%lu", depth ? strtoul(depth, NULL, 10) + 1 : 1);
    if (c->again)
        env[count++] = "HOOKE_AGAIN=1";
    return env;
}

struct proc handler_proc(const struct handler *h, const struct hook_call *c,
                         const struct dialect *d, const struct dialect_event *ev)
{
    return (struct proc){
        .argv = h->argv,
        .env = environment(h, c, d->variables ? d->variables(c->arena, ev) : NULL),
        .cwd = c->event->session.cwd,
        .abort_fd = c->abort_fd,
    };
}
