#include "base/clock.h"
#include "base/mem.h"
#include "hook/engine.h"
#include "runner/peer_inside.h"
#include "runner/rpc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define START_LIMIT_NS (10000 * PEER_MS)
#define SHUTDOWN_NS    (500 * PEER_MS)
#define LOOK_NS        (20 * PEER_MS) /* how often one who waits looks whether it was aborted */
#define SILENT_MAX     2
#define COMPLAINTS_MAX 2000
#define ROOM           ((size_t)6 << 10) /* most events need no more */

struct peer *peer_new(const struct peer_setup *setup)
{
    struct peer *p = xcalloc(1, sizeof(*p));

    p->setup = *setup;
    if (!p->setup.start_limit_ns)
        p->setup.start_limit_ns = START_LIMIT_NS;
    atomic_init(&p->next_id, 1);
    p->last_words.max = PEER_STDERR_KEPT;
    p->complaints.max = COMPLAINTS_MAX;
    p->greeting.max = PEER_LINE_MAX;
    pthread_mutex_init(&p->lock, NULL);
    clock_cond_init(&p->changed);
    return p;
}

int64_t peer_new_id(struct peer *p)
{
    return (int64_t)atomic_fetch_add(&p->next_id, 1);
}

void peer_break(struct peer *p, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(p->broken, sizeof(p->broken), fmt, ap);
    va_end(ap);
}

uint64_t peer_look_again(const struct peer_call *c, uint64_t ns)
{
    uint64_t soon;

    if (!c || c->abort_fd <= 0)
        return ns;
    soon = clock_mono_ns() + LOOK_NS;
    return soon < ns ? soon : ns;
}

void peer_sleep(struct peer *p, uint64_t ns)
{
    clock_cond_wait(&p->changed, &p->lock, ns);
}

int peer_greet(struct peer *p, struct arena *a, uint64_t deadline_ns, struct str *result,
               struct err *e)
{
    int r;

    pthread_mutex_lock(&p->lock);
    r = peer_become_ready(p, NULL, deadline_ns);
    if (r == 0)
        *result = str_of(arena_cstr(a, strbuf_str(&p->greeting)));
    else if (p->why.len)
        r = err_set(e, r, "%s", strbuf_cstr(&p->why));
    else
        r = err_set(e, r, "did not answer 'initialize' in time");
    pthread_mutex_unlock(&p->lock);
    return r;
}

/* Calling -------------------------------------------------------------------------------------- */

/* What the receipt is told, whatever came of the event. */
static void tell(struct peer *p, const struct pending *x, struct peer_call *c)
{
    struct str err = { 0 };

    if (p->live && !x->failed) {
        err = live_stderr(p->live);
        err.ptr += x->stderr_from < err.len ? x->stderr_from : err.len;
        err.len -= x->stderr_from < err.len ? x->stderr_from : err.len;
    } else {
        err = strbuf_str(&p->last_words);
    }
    if (c->report && err.len)
        c->report->errors = arena_cstr(c->arena, err);
    err = str_trim(err);
    if (err.len > PEER_STDERR_HEAD)
        err.len = PEER_STDERR_HEAD;
    if (err.len)
        c->io->stderr_head = arena_cstr(c->arena, err);
    if (p->complaints.len)
        c->io->warnings = arena_cstr(c->arena, strbuf_str(&p->complaints));
    strbuf_reset(&p->complaints);
    c->io->bytes_out = c->line.len;
}

static int time_is_up(const struct peer_call *c, uint64_t began_ns, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct proc_result r = { .end = PROC_TIMED_OUT };

    r.allowed_ns = c->deadline_ns > began_ns ? c->deadline_ns - began_ns : 0;
    return err_set(e, -ETIMEDOUT, "%s", proc_explain(&a, &(struct proc){ 0 }, &r));
}

/* It is told, and nobody waits for its answer any more. */
static void cancel(struct peer *p, struct pending *x, const struct peer_call *c)
{
    CLEANUP(strbuf) struct strbuf line = { 0 };
    struct json *params = json_object(c->arena);

    peer_forget(p, x);
    json_add(c->arena, params, STR("id"), json_int(c->arena, x->id));
    rpc_notify(&line, "cancel", params);
    if (p->live)
        (void)!live_send(p->live, strbuf_str(&line));
}

/* Who answers nothing at all is ended. */
static void count_silence(struct peer *p, const struct pending *x, const struct peer_call *c)
{
    if (p->answered == x->answered)
        p->silent++;
    if (p->live && p->silent >= SILENT_MAX && !p->pending && !p->reading) {
        peer_break(p, "left two events in a row without an answer");
        peer_end_process(p, c);
    }
}

static int await(struct peer *p, struct pending *x, struct peer_call *c, uint64_t began_ns,
                 struct err *e)
{
    bool aborted;

    do {
        peer_listen(p, c, x, peer_look_again(c, c->deadline_ns));
        aborted = event_is_aborted(c->abort_fd);
    } while (!x->done && !aborted && clock_mono_ns() < c->deadline_ns);
    if (!x->done) {
        bool waits = peer_is_served(p, x); /* it is silent because we are */

        cancel(p, x, c);
        if (aborted)
            return err_set(e, -ECANCELED, "was aborted");
        if (!waits)
            count_silence(p, x, c);
        return time_is_up(c, began_ns, e);
    }
    if (x->missed)
        return -EAGAIN;
    if (x->failed)
        return err_set(e, -EIO, "%s", strbuf_cstr(&p->why));
    if (!str_is_set(c->line))
        return err_set(e, -EIO, "answered with more than 1048576 bytes");
    return 0;
}

static int deliver(struct peer *p, struct pending *x, struct peer_call *c, struct str line)
{
    int r = peer_become_ready(p, c, c->deadline_ns);

    if (r < 0)
        return r;
    if (!p->pending) {
        live_forget_stderr(p->live);
        p->logged = 0;
    }
    x->stderr_from = p->pending ? live_stderr(p->live).len : 0;
    x->answered = p->answered;
    x->sent_from = live_sent(p->live);
    r = live_send(p->live, line);
    if (r == 0) {
        x->next = p->pending;
        p->pending = x;
    }
    return r;
}

/* Why an event could not be sent. */
static int explain_delay(const struct peer *p, int r, const struct peer_call *c, uint64_t began_ns,
                         struct err *e)
{
    if (r == -ETIMEDOUT)
        return time_is_up(c, began_ns, e);
    if (r == -ECANCELED)
        return err_set(e, r, "was aborted");
    if (r == -ENOBUFS)
        return err_set(e, r, "does not read: more than 8 MiB wait for it");
    return err_set(e, -EIO, "is given up after %u failures in a row, the last time it %s",
                   p->failures, strbuf_cstr(&p->why));
}

int peer_call(struct peer *p, struct peer_call *c, struct err *e)
{
    CLEANUP(strbuf) struct strbuf line = { 0 };
    struct pending x = { .call = c, .id = peer_new_id(p) };
    uint64_t began_ns = clock_mono_ns();
    int r;

    (void)strbuf_reserve(&line, ROOM);
    rpc_begin_request(&line, x.id, c->method);
    json_write(&line, c->params, JSON_COMPACT);
    rpc_end_request(&line);
    c->io->bytes_in = line.len;
    pthread_mutex_lock(&p->lock);
    do { /* again when the process went away without having seen the event */
        x.done = x.failed = x.missed = false;
        r = deliver(p, &x, c, strbuf_str(&line));
        r = r == 0 ? await(p, &x, c, began_ns, e) : explain_delay(p, r, c, began_ns, e);
    } while (r == -EAGAIN);
    tell(p, &x, c);
    pthread_mutex_unlock(&p->lock);
    return r;
}

/* The end -------------------------------------------------------------------------------------- */

/* Whether it has answered the request to shut down, or cannot any more. */
static bool has_answered(struct peer *p, int64_t id)
{
    struct rpc_message m;
    struct str line;
    int got;

    while ((got = live_line(p->live, &line)) != 0) {
        arena_reset(&p->scratch);
        if (got > 0)
            rpc_read(&p->scratch, line, &m);
        if (got > 0 && m.answers == id)
            return true;
    }
    return live_is_over(p->live);
}

static void shut_down(struct peer *p)
{
    CLEANUP(strbuf) struct strbuf line = { 0 };
    uint64_t until = clock_mono_ns() + SHUTDOWN_NS;
    int64_t id = peer_new_id(p);

    rpc_begin_request(&line, id, "shutdown");
    strbuf_addstr(&line, "{}");
    rpc_end_request(&line);
    if (live_send(p->live, strbuf_str(&line)) < 0)
        return;
    while (!has_answered(p, id) && clock_mono_ns() < until)
        live_turn(p->live, until);
    strbuf_reset(&line);
    rpc_notify(&line, "exit", NULL);
    (void)!live_send(p->live, strbuf_str(&line));
}

void peer_free(struct peer *p)
{
    static const struct live_limits polite = { .leave_ns = 1000 * PEER_MS,
                                               .grace_ns = 500 * PEER_MS };
    static const struct live_limits brief = { .grace_ns = 500 * PEER_MS };
    struct proc_result how = { 0 };
    bool ready = p && p->phase == PHASE_READY;

    if (!p)
        return;
    peer_await_served(p);
    if (ready)
        shut_down(p);
    if (p->live)
        live_end(p->live, ready ? &polite : &brief, &how);
    arena_release(&p->scratch);
    strbuf_release(&p->greeting);
    strbuf_release(&p->why);
    strbuf_release(&p->last_words);
    strbuf_release(&p->complaints);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}
