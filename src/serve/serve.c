#include "serve/serve.h"

#include "base/clock.h"
#include "base/handover.h"
#include "base/mem.h"
#include "base/vars.h"
#include "serve/host.h"
#include "serve/inside.h"
#include "serve/taking.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>

#define LAST_CHANCE_MS 3000 /* for hooks whose processes were ended */
#define STACK_SIZE     ((size_t)2 << 20)
#define SHORT_MS       50 /* before trying again what the system refused */

/* Threads -------------------------------------------------------------------------------------- */

void server_settle_thread(struct server *s)
{
    if (unshare(CLONE_FS) < 0) {
        s->one_folder = true;
        return;
    }
    /* whoever started this thread may be at work for a client already */
    server_use_mask(s->mask);
    (void)!chdir("/");
}

void server_use_mask(mode_t mask)
{
    umask(mask);
    vars_use_mask((int)mask);
}

bool server_enter(struct server *s, const char *cwd)
{
    return !s->one_folder && chdir(cwd ? cwd : "/") == 0;
}

/* Signals are for the thread that runs the program. */
int serve_thread(void *(*run)(void *), void *context)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    pthread_t id;
    int r;

    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    r = pthread_create(&id, &attributes, run, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return r;
}

bool server_start_thread(struct server *s, void *(*run)(void *), void *context)
{
    bool room;

    pthread_mutex_lock(&s->lock);
    room = s->threads < SERVE_THREADS_MAX;
    s->threads += room;
    pthread_mutex_unlock(&s->lock);
    if (!room)
        return false;
    if (serve_thread(run, context) == 0)
        return true;
    server_end_thread(s);
    return false;
}

void server_end_thread(struct server *s)
{
    const uint64_t one = 1;

    pthread_mutex_lock(&s->lock);
    if (--s->threads == 0)
        (void)!write(s->empty_fd, &one, sizeof(one)); /* with the lock: then nobody needs `s` */
    pthread_mutex_unlock(&s->lock);
}

/* Stopping ------------------------------------------------------------------------------------- */

void server_stop(struct server *s)
{
    const uint64_t one = 1;

    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    pthread_cond_broadcast(&s->stops);
    pthread_mutex_unlock(&s->lock);
    (void)!write(s->stop_fd, &one, sizeof(one));
}

static int ms_until(uint64_t until_ns)
{
    uint64_t now = clock_mono_ns(), ms;

    if (until_ns == 0)
        return -1;
    if (until_ns <= now)
        return 0;
    ms = (until_ns - now) / 1000000 + 1;
    return ms > INT32_MAX ? INT32_MAX : (int)ms;
}

bool server_wait(struct server *s, int fd, uint64_t until_ns)
{
    struct pollfd fds[] = { { .fd = fd, .events = POLLIN },
                            { .fd = s->stop_fd, .events = POLLIN },
                            { .fd = s->o->stop_fd > 0 ? s->o->stop_fd : -1, .events = POLLIN } };

    for (;;) {
        int n = poll(fds, ARRAY_LEN(fds), ms_until(until_ns));

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        if (!fds[1].revents && !fds[2].revents)
            return true;
        if (!fds[1].revents)
            server_stop(s);
        return false;
    }
}

/* Clients -------------------------------------------------------------------------------------- */

static void enlist(struct server *s, struct client *c)
{
    pthread_mutex_lock(&s->lock);
    c->next = s->clients;
    c->at = &s->clients;
    if (c->next)
        c->next->at = &c->next;
    s->clients = c;
    pthread_mutex_unlock(&s->lock);
}

static void strike_off(struct server *s, struct client *c)
{
    pthread_mutex_lock(&s->lock);
    *c->at = c->next;
    if (c->next)
        c->next->at = c->at;
    s->idle_since_ns = clock_mono_ns();
    pthread_mutex_unlock(&s->lock);
}

static void serve_client(struct server *s, int fd)
{
    struct client c = { .server = s,
                        .fd = fd,
                        .speak_by_ns = clock_mono_ns() + HANDOVER_WAIT_MS * 1000000ull };
    char first;

    enlist(s, &c);
    if (!socket_is_mine(fd))
        log_warn(s->o->log, "a connection of another user was refused");
    else if (fd >= SERVE_FILES_ALL(s->files_max))
        log_warn_once(s->o->log, "connections are refused: too few descriptors are left");
    else if (server_wait(s, fd, c.speak_by_ns) && recv(fd, &first, 1, MSG_PEEK) == 1)
        first == HANDOVER_MAGIC[0] ? taking_serve(&c) : host_serve(&c);
    strike_off(s, &c);
    close(fd);
}

/* Accepting ------------------------------------------------------------------------------------ */

/* When nobody was there for so long; 0: that does not matter. */
static uint64_t idle_until(struct server *s)
{
    uint64_t until = 0;

    pthread_mutex_lock(&s->lock);
    if (s->o->idle_ms)
        until = (s->clients ? clock_mono_ns() : s->idle_since_ns) + s->o->idle_ms * 1000000;
    pthread_mutex_unlock(&s->lock);
    return until;
}

static bool is_idle(struct server *s)
{
    uint64_t until = idle_until(s);

    return until && until <= clock_mono_ns();
}

/* -1: the server stops. Whoever calls it has the turn. */
static int accept_next(struct server *s)
{
    for (;;) {
        int fd;

        if (!server_wait(s, s->o->place->fd, idle_until(s))) {
            if (!s->stopping && !is_idle(s))
                continue;
            server_stop(s);
            return -1;
        }
        fd = accept4(s->o->place->fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0)
            return fd;
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
            poll(NULL, 0, SHORT_MS);
    }
}

/* Whether this thread is to wait for its turn again. */
static bool is_needed(struct server *s)
{
    bool needed;

    pthread_mutex_lock(&s->lock);
    needed = !s->stopping && s->waiting < SERVE_SPARE;
    s->waiting += needed;
    pthread_mutex_unlock(&s->lock);
    return needed;
}

static void *work(void *context);

/* Nobody but this thread waits any more: another must. Without one, clients wait for this. */
static void leave_turn(struct server *s)
{
    bool alone;

    pthread_mutex_lock(&s->lock);
    alone = --s->waiting == 0 && !s->stopping;
    s->waiting += alone;
    pthread_mutex_unlock(&s->lock);
    pthread_mutex_unlock(&s->turn);
    if (!alone || server_start_thread(s, work, s))
        return;
    pthread_mutex_lock(&s->lock);
    s->waiting--;
    pthread_mutex_unlock(&s->lock);
}

/* Comes counted as one that waits. */
static void *work(void *context)
{
    struct server *s = context;
    int fd;

    server_settle_thread(s);
    do {
        pthread_mutex_lock(&s->turn);
        fd = accept_next(s);
        leave_turn(s);
        if (fd < 0)
            break;
        serve_client(s, fd);
    } while (is_needed(s));
    server_end_thread(s);
    return NULL;
}

/* Running -------------------------------------------------------------------------------------- */

static bool has_threads(struct server *s)
{
    bool any;

    pthread_mutex_lock(&s->lock);
    any = s->threads > 0;
    pthread_mutex_unlock(&s->lock);
    return any;
}

/* Until all threads have ended; false: it takes too long, or `hurry_fd` can be read. */
static bool wait_for_threads(struct server *s, uint64_t until_ns, int hurry_fd)
{
    struct pollfd fds[] = { { .fd = s->empty_fd, .events = POLLIN },
                            { .fd = hurry_fd, .events = POLLIN } };
    uint64_t unused;
    int n;

    while (has_threads(s)) {
        n = poll(fds, ARRAY_LEN(fds), ms_until(until_ns));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0 || !fds[0].revents)
            return !has_threads(s);
        (void)!read(s->empty_fd, &unused, sizeof(unused));
    }
    return true;
}

/* Waits for what hooks do in the background, however long that takes. */
static void *close_tenants(void *context)
{
    struct server *s = context;

    tenants_release(&s->tenants);
    server_end_thread(s);
    return NULL;
}

/* Until nothing runs any more; false: as above. */
static bool wind_up(struct server *s, uint64_t patience_ms, int hurry_fd)
{
    uint64_t until_ns = clock_mono_ns() + patience_ms * 1000000;

    if (!wait_for_threads(s, until_ns, hurry_fd))
        return false;
    if (!s->closing && !server_start_thread(s, close_tenants, s))
        tenants_release(&s->tenants);
    s->closing = true;
    return wait_for_threads(s, until_ns, hurry_fd);
}

/* Reading ends for all clients, which gives up what runs for them; answers still get through. */
static void give_up(struct server *s)
{
    const uint64_t one = 1;

    log_warn(s->o->log, "what still runs is given up");
    (void)!write(s->abort_fd, &one, sizeof(one));
    pthread_mutex_lock(&s->lock);
    for (const struct client *c = s->clients; c; c = c->next)
        shutdown(c->fd, SHUT_RD);
    pthread_mutex_unlock(&s->lock);
}

/* The request to stop that was heard. The next one is another. */
static int next_request(const struct server *s)
{
    struct pollfd p = { .fd = s->o->stop_fd > 0 ? s->o->stop_fd : -1, .events = POLLIN };
    char unused;

    if (poll(&p, 1, 0) > 0)
        (void)!read(p.fd, &unused, 1);
    return p.fd;
}

static int finish(struct server *s)
{
    uint64_t patience = s->o->patience_ms ? s->o->patience_ms : SERVE_PATIENCE_MS;

    pthread_mutex_lock(&s->lock);
    while (!s->stopping)
        pthread_cond_wait(&s->stops, &s->lock);
    pthread_mutex_unlock(&s->lock);
    /* Whoever connects from now on learns at once that nobody is there. */
    pthread_mutex_lock(&s->turn);
    socket_close(s->o->place);
    pthread_mutex_unlock(&s->turn);
    if (wind_up(s, patience, next_request(s)))
        return 0;
    give_up(s);
    return wind_up(s, LAST_CHANCE_MS, -1) ? 0 : 1;
}

static void release(struct server *s)
{
    pthread_cond_destroy(&s->stops);
    pthread_mutex_destroy(&s->turn);
    pthread_mutex_destroy(&s->lock);
}

static int count_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur > INT32_MAX)
        return INT32_MAX;
    return (int)limit.rlim_cur;
}

int serve_run(const struct serve_options *o, struct err *e)
{
    struct server *s = xcalloc(1, sizeof(*s));
    CLEANUP(fd)
    int stop = eventfd(0, EFD_CLOEXEC), abort = eventfd(0, EFD_CLOEXEC),
        empty = eventfd(0, EFD_CLOEXEC);
    int r;

    if (stop < 0 || abort < 0 || empty < 0) {
        free(s);
        return err_errno(e, "starting to serve");
    }
    *s = (struct server){
        .o = o, .stop_fd = stop, .abort_fd = abort, .empty_fd = empty, .waiting = 1
    };
    s->began_ns = s->idle_since_ns = clock_mono_ns();
    s->files_max = count_files();
    s->mask = umask(077);
    umask(s->mask);
    pthread_mutex_init(&s->turn, NULL);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->stops, NULL);
    tenants_init(&s->tenants, o->log, abort);
    if (!server_start_thread(s, work, s)) {
        tenants_release(&s->tenants);
        release(s);
        free(s);
        return err_set(e, -EAGAIN, "starting to serve: the system gives no thread");
    }
    r = finish(s);
    if (r == 0) {
        release(s);
        free(s);
        return 0;
    }
    take_fd(&stop); /* what would not end still uses all of it */
    take_fd(&abort);
    take_fd(&empty);
    return r;
}
