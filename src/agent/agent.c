#include "agent/agent.h"

#include "agent/services.h"
#include "base/mem.h"
#include "base/path.h"
#include "hook/registry.h"

#include <errno.h>
#include <pthread.h>

/* A provider that was asked for once; its connections and its place in a script stay. */
struct known_provider {
    struct known_provider *next;
    struct provider provider;
};

struct agent {
    struct agent_options options;
    struct registry *registry; /* keeps the configuration alive */
    struct http_client *http;
    struct status_table *statuses;
    struct arena arena;
    const char *cwd, *workspace;
    pthread_mutex_t lock; /* guards the providers and the arena */
    pthread_mutex_t screen;
    struct known_provider *providers;
};

struct agent *agent_new(const struct agent_options *o)
{
    struct agent *ag = xcalloc(1, sizeof(*ag));
    CLEANUP(mem) char *here = getcwd(NULL, 0);
    CLEANUP(mem) char *real = realpath(o->cwd ? o->cwd : ".", NULL);

    ag->options = *o;
    ag->registry = engine_look(o->engine);
    ag->http = http_client_new();
    ag->cwd = arena_strdup(&ag->arena, real ? real : here ? here : "/");
    ag->workspace = path_workspace(&ag->arena, ag->cwd);
    pthread_mutex_init(&ag->lock, NULL);
    pthread_mutex_init(&ag->screen, NULL);
    ag->statuses = status_table_new();
    engine_offer(o->engine, &(struct services){ .context = ag, .call = agent_serve });
    return ag;
}

void agent_free(struct agent *ag)
{
    if (!ag)
        return;
    engine_offer(ag->options.engine, NULL);
    status_table_free(ag->statuses);
    while (ag->providers) {
        struct known_provider *p = ag->providers;

        ag->providers = p->next;
        provider_close(&p->provider);
        free(p);
    }
    http_client_free(ag->http);
    registry_unref(ag->registry);
    pthread_mutex_destroy(&ag->lock);
    pthread_mutex_destroy(&ag->screen);
    arena_release(&ag->arena);
    free(ag);
}

const struct agent_options *agent_options(const struct agent *ag)
{
    return &ag->options;
}

const struct config *agent_config(const struct agent *ag)
{
    return registry_config(ag->registry);
}

const char *agent_workspace(const struct agent *ag)
{
    return ag->workspace;
}

const char *agent_cwd(const struct agent *ag)
{
    return ag->cwd;
}

struct status_table *agent_statuses(const struct agent *ag)
{
    return ag->statuses;
}

struct http_client *agent_http(const struct agent *ag)
{
    return ag->http;
}

static int open_provider(struct agent *ag, const char *name, struct provider **out, struct err *e)
{
    struct known_provider *p = xcalloc(1, sizeof(*p));
    int r = provider_open(&ag->arena, agent_config(ag), name, ag->http, &p->provider, e);

    if (r < 0) {
        provider_close(&p->provider);
        free(p);
        return r;
    }
    p->next = ag->providers;
    ag->providers = p;
    *out = &p->provider;
    return 0;
}

int agent_provider(struct agent *ag, const char *name, struct provider **out, struct err *e)
{
    struct known_provider *p;
    int r = 0;

    pthread_mutex_lock(&ag->lock);
    for (p = ag->providers; p && strcmp(p->provider.name, name) != 0; p = p->next)
        ;
    if (p)
        *out = &p->provider;
    else
        r = open_provider(ag, name, out, e);
    pthread_mutex_unlock(&ag->lock);
    return r;
}

void agent_show(struct agent *ag, const struct show *s)
{
    const struct agent_screen *screen = ag->options.screen;

    if (!screen || !screen->show)
        return;
    pthread_mutex_lock(&ag->screen);
    screen->show(screen->context, s);
    pthread_mutex_unlock(&ag->screen);
}

bool agent_is_aborted(const struct agent *ag)
{
    return event_is_aborted(ag->options.abort_fd);
}

void agent_outcome_release(struct agent_outcome *out)
{
    free(out->text);
    *out = (struct agent_outcome){ 0 };
}
