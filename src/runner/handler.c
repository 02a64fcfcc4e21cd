#include "hook/provider_keys.h"
#include "hook/trust_words.h"
#include "runner/group.h"
#include "runner/program.h"

#define LABEL_MAX 40 /* bytes of a command that name it */

/* Loading -------------------------------------------------------------------------------------- */

static size_t count_items(const struct setting *s)
{
    size_t count = 0;

    for (const struct setting *item = s ? s->first : NULL; item; item = item->next)
        count++;
    return count;
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
    size_t keys = 0;

    while (provider_keys[keys])
        keys++;
    h->env = arena_array(a, const char *, keys + count_items(common) + count_items(own) + 1);
    for (size_t i = 0; i < keys; i++)
        if (!names(common, provider_keys[i]) && !names(own, provider_keys[i]))
            h->env[h->env_count++] = provider_keys[i];
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

/* Some systems leave events out even for handlers that say nothing, so these are filtered too. */
static void load_filter(struct arena *a, const struct handler_common *common, struct handler *h)
{
    const struct setting *match = h->said->match, *condition = h->said->condition;
    struct dialect_wants wants = { .match = match ? match->text.ptr : NULL,
                                   .condition = condition ? condition->text.ptr : NULL,
                                   .as = common->as };
    const struct setting *at = match ? match : condition;
    const struct dialect *d = common->dialect;
    struct err e = { 0 };

    if (!d->filter_new && !at)
        return;
    if (!d->filter_new)
        err_set(&e, -1, "handlers of the dialect '%s' have no '%s': use 'tool' or 'when' of a hook",
                d->name, at->key.ptr);
    if (!d->filter_new || d->filter_new(a, &wants, &h->filter, &e) < 0) {
        h->filter = NULL;
        h->broken = arena_strdup(a, e.msg);
        problem_add(common->problems, at ? &at->origin : &h->said->origin, "%s", e.msg);
    }
}

void handler_load(struct arena *a, const struct handler_common *common,
                  const struct hook_handler *said, struct handler *h)
{
    h->said = said;
    h->label = label_of(a, said);
    h->broken = said->broken;
    h->timeout_ms = said->timeout_ms ? said->timeout_ms : common->timeout_ms;
    if (h->broken && !said->changed)
        return;
    h->group_env = common->env;
    h->unpinned = common->unpinned;
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
                                      const char *const *of_dialect, const char *file)
{
    struct arena *a = c->arena;
    size_t count = 0, more = 0;
    const char **env;

    while (of_dialect && of_dialect[more])
        more++;
    env = arena_array(a, const char *, h->env_count + more + 8);
    for (size_t i = 0; i < more; i++)
        env[count++] = of_dialect[i];
    memcpy(&env[count], h->env, h->env_count * sizeof(*env));
    count += h->env_count;
    env[count++] = arena_printf(a, "HOOKE_SESSION=%s", c->event->session.id);
    env[count++] = arena_printf(a, "HOOKE_HOOK=%s", c->hook->name);
    env[count++] = arena_printf(a, "HOOKE_POINT=%s", point_info(c->event->point)->name);
    env[count++] = program_depth(a);
    if (c->config)
        env[count++] = arena_printf(a, "HOOKE_WORKSPACE=%s", c->config->workspace);
    if (c->again)
        env[count++] = "HOOKE_AGAIN=1";
    env[count++] = file ? file : "HOOKE_FILE"; /* of another hook, where none is ours */
    return env;
}

/* What to start, with everything of the workspace in it checked and replaced by its copy. */
int handler_proc(const struct handler *h, const struct group *g, struct proc *out, struct err *e)
{
    const struct hook_call *c = g->call;
    const struct dialect *d = g->dialect;
    const struct trust_request rq = {
        .config = c->config,
        .command = h->said->exec,
        .env = h->said->env,
        .group_env = h->group_env,
        .unpinned = h->unpinned,
        .cwd = c->event->session.cwd,
    };
    struct trust_command words;
    int r = trust_command(c->arena, &rq, &words, e);

    if (r < 0)
        return r;
    if (d->shell && h->said->exec->kind != SETTING_LIST)
        words.argv[0] = d->shell;
    *out = (struct proc){
        .argv = words.argv,
        .env =
            environment(h, c, d->variables ? d->variables(c->arena, &g->event) : NULL, words.file),
        .cwd = c->event->session.cwd,
        .abort_fd = c->abort_fd,
    };
    return 0;
}
