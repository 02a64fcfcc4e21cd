/*
 * What a resident process asks for. State and the log are at hand and answered by the thread that
 * reads; what may take as long as a model does gets a thread of its own, so that nobody else's
 * answer waits behind it. Such a request belongs to an event: when that is over, so is the request.
 */
#include "base/mem.h"
#include "base/until.h"
#include "runner/peer_inside.h"
#include "runner/service.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct serving {
    struct serving *next;
    struct peer *peer;
    uint64_t start; /* of the process that asked */
    int64_t event;  /* number of the event it belongs to */
    struct arena arena;
    struct session session;
    struct service service;
    struct rpc_message message;
    struct llm_use used;
    unsigned logged;
    int stop_fd, abort_fd;
};

/* Whose it is ---------------------------------------------------------------------------------- */

/* The agent's methods may name a session that is only related to the event's: it will tell. */
static const struct pending *find_event(const struct peer *p, const char *method, struct str named,
                                        const char **why)
{
    const struct pending *found = NULL;

    *why = str_is_set(named) ? "no event of this session is being handled"
                             : "no event is being handled";
    for (const struct pending *x = p->pending; x; x = x->next) {
        const char *id = x->call->session->id;

        if (str_is_set(named) && !str_is(named, id))
            continue;
        if (found && strcmp(found->call->session->id, id) != 0) {
            *why = "events of several sessions are being handled: say which with 'session'";
            return NULL;
        }
        found = found ? found : x;
    }
    return found || !str_is_set(named) || !service_is_of_agent(method) ? found : p->pending;
}

/* The event may end before its request does. */
static struct session copy_session(struct arena *a, const struct session *s)
{
    return (struct session){
        .id = arena_strdup(a, s->id),
        .parent = arena_strdup(a, s->parent),
        .agent = arena_strdup(a, s->agent),
        .invoked_by = arena_strdup(a, s->invoked_by),
        .recipe = arena_strdup(a, s->recipe),
        .cwd = arena_strdup(a, s->cwd),
        .depth = s->depth,
    };
}

static struct service service_of(const struct peer *p, const struct peer_call *c,
                                 const struct pending *x, struct arena *a, struct session *session)
{
    struct service s = { .engine = c ? c->engine : NULL, .hook = p->setup.hook };

    if (!x)
        return s;
    *session = copy_session(a, x->call->session);
    s.session = session;
    s.engine = x->call->engine;
    s.receipt_id = arena_strdup(a, x->call->receipt_id);
    s.callback = arena_strdup(a, x->call->callback);
    s.deadline_ns = x->call->deadline_ns;
    s.abort_fd = x->call->abort_fd;
    return s;
}

static void send_answer(struct peer *p, const struct strbuf *answer)
{
    if (p->live && answer->len && live_send(p->live, strbuf_str(answer)) == -ENOBUFS)
        peer_break(p, "asks and does not read the answers");
}

/* In threads of their own ---------------------------------------------------------------------- */

static void close_fd(int fd)
{
    if (fd > 0)
        close(fd);
}

static void serving_free(struct serving *s)
{
    close_fd(s->stop_fd);
    close_fd(s->abort_fd);
    arena_release(&s->arena);
    free(s);
}

static void unlink_serving(struct peer *p, struct serving *s)
{
    struct serving **at = &p->servings;

    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    p->serving_count--;
}

static void *serve_alone(void *context)
{
    struct serving *s = context;
    struct peer *p = s->peer;
    CLEANUP(strbuf) struct strbuf answer = { 0 };
    CLEANUP(until) struct until u;
    struct pending *x;

    until_open(&u, 0, s->stop_fd);
    until_watch(&u, s->abort_fd);
    s->service.abort_fd = u.fd;
    service_answer(&s->service, &s->arena, &s->message, &answer);
    pthread_mutex_lock(&p->lock);
    x = peer_find(p, s->event);
    if (x)
        llm_use_add(&x->call->io->llm, &s->used);
    if (p->starts == s->start)
        send_answer(p, &answer);
    unlink_serving(p, s);
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    serving_free(s);
    return NULL;
}

static struct serving *serving_new(struct peer *p, const struct peer_call *c,
                                   const struct pending *x, struct str line)
{
    struct serving *s = xcalloc(1, sizeof(*s));

    s->peer = p;
    s->start = p->starts;
    s->event = x->id;
    s->service = service_of(p, c, x, &s->arena, &s->session);
    s->service.used = &s->used;
    s->service.logged = &s->logged;
    s->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (s->service.abort_fd > 0) /* whoever emits may close it when the event is over */
        s->abort_fd = fcntl(s->service.abort_fd, F_DUPFD_CLOEXEC, 3);
    line.ptr = arena_cstr(&s->arena, line);
    rpc_read(&s->arena, line, &s->message);
    return s;
}

static bool start_serving(struct peer *p, struct serving *s)
{
    pthread_attr_t detached;
    pthread_t thread;
    bool started;

    s->next = p->servings;
    p->servings = s;
    p->serving_count++;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    started = s->stop_fd > 0 && pthread_create(&thread, &detached, serve_alone, s) == 0;
    pthread_attr_destroy(&detached);
    if (started)
        return true;
    unlink_serving(p, s);
    serving_free(s);
    return false;
}

static void serve_slowly(struct peer *p, const struct peer_call *c, const struct pending *x,
                         const struct rpc_message *m, struct str line)
{
    CLEANUP(strbuf) struct strbuf answer = { 0 };

    if (p->serving_count < PEER_SERVING_MAX && start_serving(p, serving_new(p, c, x, line)))
        return;
    rpc_refuse(&answer, m->id, RPC_BUSY,
               "as much as can be is being answered already: wait for an answer and ask again");
    if (m->kind == RPC_REQUEST)
        send_answer(p, &answer);
}

bool peer_is_served(const struct peer *p, const struct pending *x)
{
    for (const struct serving *s = p->servings; s; s = s->next)
        if (s->event == x->id)
            return true;
    return false;
}

static const struct pending *find_other(const struct peer *p, const struct pending *x)
{
    const struct pending *other = p->pending;

    while (other && strcmp(other->call->session->id, x->call->session->id) != 0)
        other = other->next;
    return other;
}

/* Of several events of one session nobody can tell which it was for: the others keep it. */
void peer_stop_serving(struct peer *p, const struct pending *x)
{
    const struct pending *other = find_other(p, x);

    for (struct serving *s = p->servings; s; s = s->next)
        if (s->event == x->id && other)
            s->event = other->id;
        else if (s->event == x->id)
            (void)!eventfd_write(s->stop_fd, 1);
}

void peer_await_served(struct peer *p)
{
    pthread_mutex_lock(&p->lock);
    while (p->serving_count > 0)
        pthread_cond_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

/* At once -------------------------------------------------------------------------------------- */

/* The store may make a request wait; the others' events do not. */
static void serve_at_once(struct peer *p, const struct service *about, const struct rpc_message *m)
{
    CLEANUP(strbuf) struct strbuf answer = { 0 };
    struct llm_use unused = { 0 };
    unsigned logged = p->logged;
    struct service s = *about;

    s.logged = &logged;
    s.used = &unused;
    pthread_mutex_unlock(&p->lock);
    service_answer(&s, &p->scratch, m, &answer);
    pthread_mutex_lock(&p->lock);
    p->logged = logged;
    send_answer(p, &answer);
}

void peer_serve(struct peer *p, const struct peer_call *c, const struct rpc_message *m,
                struct str line)
{
    struct str named = json_str(&p->scratch, json_get(m->params, STR("session")));
    const char *why;
    const struct pending *x = find_event(p, m->method, named, &why);
    struct session session;
    struct service s;

    if (x && service_is_slow(m->method)) {
        serve_slowly(p, c, x, m, line);
        return;
    }
    s = service_of(p, c, x, &p->scratch, &session);
    s.why = why;
    serve_at_once(p, &s, m);
}
