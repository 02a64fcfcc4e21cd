#include "serve/host.h"

#include "base/clock.h"
#include "base/vars.h"
#include "runner/rpc.h"

#include <errno.h>
#include <sys/socket.h>

#define CHUNK      65536
#define WRITE_SECS 30 /* a host that reads nothing for so long has gone */

/* Reading -------------------------------------------------------------------------------------- */

/* There is nothing more to read. */
static bool end_of(struct host *h)
{
    h->ended = true;
    return false;
}

static bool read_more(struct host *h)
{
    char *room = strbuf_reserve(&h->unread, CHUNK);
    ssize_t n;

    if (!room) {
        log_warn(h->server->o->log, "a host was cut off: its message has no end");
        shutdown(h->client->fd, SHUT_RDWR);
        return end_of(h);
    }
    if (!server_wait(h->server, h->client->fd, h->greeted ? 0 : h->client->speak_by_ns))
        return end_of(h);
    do
        n = recv(h->client->fd, room, CHUNK, 0);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return end_of(h);
    h->unread.len += (size_t)n;
    h->unread.buf[h->unread.len] = '\0';
    return true;
}

/* The next message, in the arena. False: there are no more. Called with the turn to read. */
static bool read_line(struct host *h, struct arena *a, struct str *line)
{
    const char *end;

    if (h->ended)
        return false;
    for (;;) {
        end = h->unread.len > h->scanned
                  ? memchr(h->unread.buf + h->scanned, '\n', h->unread.len - h->scanned)
                  : NULL;
        if (end)
            break;
        h->scanned = h->unread.len;
        if (!read_more(h))
            return false;
    }
    line->len = (size_t)(end - h->unread.buf);
    line->ptr = arena_cstr(a, (struct str){ h->unread.buf, line->len });
    h->unread.len -= line->len + 1;
    memmove(h->unread.buf, end + 1, h->unread.len + 1);
    h->scanned = 0;
    return true;
}

static void write_answer(struct host *h, const struct strbuf *out)
{
    struct str rest = strbuf_str(out);

    pthread_mutex_lock(&h->writing);
    while (rest.len) {
        ssize_t n = send(h->client->fd, rest.ptr, rest.len, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) { /* half a line must not be followed by another */
            shutdown(h->client->fd, SHUT_RDWR);
            break;
        }
        rest.ptr += n;
        rest.len -= (size_t)n;
    }
    pthread_mutex_unlock(&h->writing);
}

/* Threads -------------------------------------------------------------------------------------- */

static void *work(void *context);

/* This thread has a request in hand: somebody else must read. */
static void leave_turn(struct host *h)
{
    bool alone;

    pthread_mutex_lock(&h->lock);
    alone = --h->waiting == 0 && h->threads < HOST_FLIGHT_MAX;
    h->threads += alone;
    h->waiting += alone;
    pthread_mutex_unlock(&h->lock);
    pthread_mutex_unlock(&h->reading);
    if (!alone || server_start_thread(h->server, work, h))
        return;
    pthread_mutex_lock(&h->lock);
    h->threads--;
    h->waiting--;
    pthread_mutex_unlock(&h->lock);
}

static bool take_turn(struct host *h, struct arena *a, struct strbuf *out, struct str *line)
{
    pthread_mutex_lock(&h->reading);
    while (read_line(h, a, line)) {
        if (h->greeted)
            return true;
        host_handle(h, a, *line, out); /* hello comes before all others */
        write_answer(h, out);
        strbuf_reset(out);
        arena_reset(a);
    }
    pthread_mutex_unlock(&h->reading);
    return false;
}

static bool is_needed(struct host *h)
{
    bool needed;

    pthread_mutex_lock(&h->lock);
    needed = h->waiting < 2;
    h->waiting += needed;
    pthread_mutex_unlock(&h->lock);
    return needed;
}

/* Comes counted as one that waits. */
static void work_until_done(struct host *h)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf out = { .max = HOST_LINE_MAX };
    struct str line;

    do {
        if (!take_turn(h, &a, &out, &line)) {
            pthread_mutex_lock(&h->lock);
            h->waiting--;
            pthread_mutex_unlock(&h->lock);
            return;
        }
        leave_turn(h);
        host_handle(h, &a, line, &out);
        write_answer(h, &out);
        strbuf_reset(&out);
        arena_reset(&a);
    } while (is_needed(h));
}

static void *work(void *context)
{
    struct host *h = context;
    struct server *s = h->server;

    server_settle_thread(s);
    work_until_done(h);
    pthread_mutex_lock(&h->lock);
    h->threads--;
    pthread_cond_signal(&h->left);
    pthread_mutex_unlock(&h->lock);
    server_end_thread(s);
    return NULL;
}

static void serve(struct host *h)
{
    pthread_mutex_init(&h->reading, NULL);
    pthread_mutex_init(&h->writing, NULL);
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->left, NULL);
    work_until_done(h);
    pthread_mutex_lock(&h->lock);
    while (h->threads > 1) /* each looks at this connection until it has counted itself out */
        pthread_cond_wait(&h->left, &h->lock);
    pthread_mutex_unlock(&h->lock);
    pthread_cond_destroy(&h->left);
    pthread_mutex_destroy(&h->lock);
    pthread_mutex_destroy(&h->writing);
    pthread_mutex_destroy(&h->reading);
    strbuf_release(&h->unread);
    arena_release(&h->arena);
}

static void refuse(const struct client *c)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };

    rpc_refuse(&out, NULL, RPC_INTERNAL, "too many hosts are connected");
    (void)!send(c->fd, out.buf, out.len, MSG_NOSIGNAL);
}

void host_serve(struct client *c)
{
    const struct timeval limit = { .tv_sec = WRITE_SECS };
    struct host h = { .client = c, .server = c->server, .unread.max = HOST_LINE_MAX };

    until_open(&h.gone, 0, c->server->abort_fd);
    if (atomic_fetch_add(&c->server->hosts, 1) >= SERVE_HOSTS_MAX || h.gone.set <= 0) {
        refuse(c);
    } else {
        until_watch_end(&h.gone, c->fd);
        h.threads = h.waiting = 1;
        setsockopt(c->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
        serve(&h);
    }
    atomic_fetch_sub(&c->server->hosts, 1);
    until_cleanup(&h.gone);
}
