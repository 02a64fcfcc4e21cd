/* How a resident process is started, how it ends, and when it is given up. */
#include "base/clock.h"
#include "hook/engine.h"
#include "runner/peer_inside.h"
#include "runner/rpc.h"

#include <errno.h>

#define PAUSE_FIRST_NS (100 * PEER_MS)
#define PAUSE_MAX_NS   (10000 * PEER_MS)
#define LEAVE_NS       (50 * PEER_MS) /* from closing its stdout to being gone */

static uint64_t earlier(uint64_t x, uint64_t y)
{
    return x < y ? x : y;
}

/* Failures ------------------------------------------------------------------------------------- */

/*
 * Events of which the process never read a byte: it left just when they were sent. They did it no
 * harm, and it did nothing to them. Returns whether there is one that it did read.
 */
static bool mark_missed(const struct peer *p, uint64_t read)
{
    bool seen = false;

    for (struct pending *x = p->pending; x; x = x->next) {
        x->missed = x->sent_from >= read;
        seen = seen || !x->missed;
    }
    return seen;
}

static void fail_pending(struct peer *p)
{
    while (p->pending) {
        struct pending *x = p->pending;

        p->pending = x->next;
        x->done = x->failed = true;
        peer_stop_serving(p, x);
    }
}

/* `why` has been set. */
static void note_failure(struct peer *p, const struct peer_call *c)
{
    uint64_t pause = PAUSE_FIRST_NS;

    for (unsigned i = 0; i < p->failures && pause < PAUSE_MAX_NS; i++)
        pause *= 2;
    p->failures++;
    p->next_start_ns = clock_mono_ns() + earlier(pause, PAUSE_MAX_NS);
    p->phase = p->failures >= PEER_FAILURES_MAX ? PHASE_OFF : PHASE_DOWN;
    if (p->phase == PHASE_OFF && c)
        log_warn(engine_log(c->engine),
                 "hook '%s' is given up: it failed %u times in a row, the last time it %s",
                 p->setup.hook, p->failures, strbuf_cstr(&p->why));
}

static void set_why(struct peer *p, const char *text)
{
    strbuf_reset(&p->why);
    strbuf_addstr(&p->why, text);
}

/* The last line of what it wrote to stderr: where most languages say what went wrong. */
static void add_last_line(struct peer *p, struct str err)
{
    const char *newline;

    err = str_trim(err);
    newline = err.len ? memrchr(err.ptr, '\n', err.len) : NULL;
    if (newline)
        err = (struct str){ newline + 1, err.len - (size_t)(newline + 1 - err.ptr) };
    if (err.len > PEER_STDERR_HEAD)
        err.len = PEER_STDERR_HEAD;
    if (err.len)
        strbuf_printf(&p->why, ": %.*s", STR_ARG(err));
}

static void explain_end(struct peer *p, const char *broken, const struct proc_result *how,
                        struct str err)
{
    CLEANUP(arena) struct arena a = { 0 };

    if (broken[0])
        set_why(p, broken);
    else if (how->end == PROC_TIMED_OUT)
        set_why(p, "closed its standard input or output");
    else
        set_why(p, proc_explain(&a, &(struct proc){ 0 }, how));
    add_last_line(p, err);
}

void peer_end_process(struct peer *p, const struct peer_call *c)
{
    static const struct live_limits limits = { .grace_ns = 100 * PEER_MS };
    CLEANUP(arena) struct arena a = { 0 };
    bool broken = p->broken[0] != '\0', counts;
    struct live *l = take_ptr(p->live);
    struct proc_result how = { 0 };
    uint64_t read = UINT64_MAX;
    struct str err;

    p->phase = PHASE_ENDING;
    pthread_mutex_unlock(&p->lock);
    if (!broken && live_await_exit(l, clock_mono_ns() + LEAVE_NS))
        read = live_sent(l) - live_unread(l);
    err = str_of(arena_cstr(&a, live_last_words(l)));
    live_end(l, &limits, &how);
    pthread_mutex_lock(&p->lock);
    counts = mark_missed(p, read) || broken || p->answered == 0;
    explain_end(p, p->broken, &how, err);
    strbuf_reset(&p->last_words);
    strbuf_add(&p->last_words, err.ptr, err.len);
    p->phase = PHASE_DOWN;
    p->broken[0] = '\0';
    if (counts)
        note_failure(p, c);
    fail_pending(p);
    pthread_cond_broadcast(&p->changed);
}

/* Starting ------------------------------------------------------------------------------------- */

static void greet(struct peer *p, const struct peer_call *c)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf line = { 0 };
    struct json *params = json_object(&a);

    json_add(&a, params, STR("hooke"), json_cstring(&a, HOOKE_VERSION));
    if (c)
        json_add(&a, params, STR("session"), json_cstring(&a, c->session->id));
    json_add(&a, params, STR("cwd"),
             json_cstring(&a, c && c->session->cwd ? c->session->cwd : p->setup.cwd));
    json_add(&a, params, STR("workspace"), json_cstring(&a, p->setup.cwd));
    p->greeting_id = peer_new_id(p);
    rpc_begin_request(&line, p->greeting_id, "initialize");
    json_write(&line, params, JSON_COMPACT);
    rpc_end_request(&line);
    (void)!live_send(p->live, strbuf_str(&line)); /* nothing waits yet */
}

static void start(struct peer *p, const struct peer_call *c)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(proc_result) struct proc_result why = { 0 };
    struct proc how = {
        .argv = p->setup.argv,
        .env = p->setup.env,
        .cwd = p->setup.cwd,
        .out_max = PEER_LINE_MAX,
        .err_max = PEER_STDERR_KEPT,
    };
    struct live *l;

    p->phase = PHASE_STARTING;
    pthread_mutex_unlock(&p->lock);
    l = live_start(&how, &why);
    pthread_mutex_lock(&p->lock);
    p->live = l;
    p->starts++;
    p->answered = p->silent = p->junk = p->logged = 0;
    if (l) {
        p->phase = PHASE_GREETING;
        p->greeting_until_ns = clock_mono_ns() + p->setup.start_limit_ns;
        greet(p, c);
    } else {
        set_why(p, proc_explain(&a, &how, &why));
        strbuf_reset(&p->last_words);
        note_failure(p, c);
    }
    pthread_cond_broadcast(&p->changed);
}

int peer_become_ready(struct peer *p, const struct peer_call *c, uint64_t until_ns)
{
    while (p->phase != PHASE_READY) {
        uint64_t now = clock_mono_ns(), until = peer_look_again(c, until_ns);

        if (p->phase == PHASE_OFF)
            return -EIO;
        if (c && event_is_aborted(c->abort_fd))
            return -ECANCELED;
        if (now >= until_ns)
            return -ETIMEDOUT;
        if (p->phase == PHASE_GREETING && !p->reading && now >= p->greeting_until_ns) {
            peer_break(p, "did not answer 'initialize' in time");
            peer_end_process(p, c);
        } else if (p->phase == PHASE_GREETING) {
            peer_listen(p, c, NULL, earlier(until, p->greeting_until_ns));
        } else if (p->phase == PHASE_DOWN && now >= p->next_start_ns) {
            start(p, c);
        } else {
            peer_sleep(p, p->phase == PHASE_DOWN ? earlier(until, p->next_start_ns) : until);
        }
    }
    return 0;
}
