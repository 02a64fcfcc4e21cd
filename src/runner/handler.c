#include "runner/handler.h"

#include "base/path.h"
#include "hook/child.h"
#include "hook/trust_words.h"

#include <errno.h>

#define LABEL_MAX 40 /* bytes of a command that name it */

/* Loading -------------------------------------------------------------------------------------- */

/* A program by its name, a shell text by the head of its first line. */
static struct str head_of(const struct setting *exec)
{
    struct str rest = { 0 }, head = { 0 };

    if (exec && exec->kind == SETTING_LIST && exec->first)
        return str_of(path_basename(exec->first->text.ptr));
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
        err_set(&e, -ENOTSUP,
                "handlers of the dialect '%s' have no '%s': use 'tool' or 'when' of a hook",
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
    h->env_common = common->env;
    h->unpinned = common->unpinned;
    h->env = child_env(a, &(struct child_needs){ common->root, common->env, said->env }, 0,
                       &h->env_count);
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
    env[count++] = child_depth(a);
    if (c->config)
        env[count++] = arena_printf(a, "HOOKE_WORKSPACE=%s", c->config->workspace);
    if (c->again)
        env[count++] = "HOOKE_AGAIN=1";
    env[count++] = file ? file : "HOOKE_FILE"; /* of another hook, where none is ours */
    return env;
}

int handler_proc(const struct handler *h, const struct hook_call *c, const struct dialect *d,
                 const struct dialect_event *ev, struct proc *out, struct err *e)
{
    const struct trust_request rq = {
        .config = c->config,
        .command = h->said->exec,
        .env = h->env_common,
        .own_env = h->said->env,
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
        .env = environment(h, c, d->variables ? d->variables(c->arena, ev) : NULL, words.file),
        .cwd = c->event->session.cwd,
        .abort_fd = c->abort_fd,
    };
    return 0;
}
