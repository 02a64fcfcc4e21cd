#include "proc/proc.h"

#include "base/clock.h"
#include "proc/ahead.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <time.h>

/* How long a child may take to vanish after SIGKILL before it is given up, unreaped. */
#define REAP_NS UINT64_C(5000000000)

#define CHUNK ((size_t)16 << 10)

/* The most a pipe holds, when somebody has enlarged it as far as users may. */
#define PIPE_MAX ((size_t)1 << 20)

/*
 * A child that is quick, as most hooks are, is only waited for: its few bytes stay in the pipes and
 * wake nobody. One that takes longer than this is listened to. A shorter time saves nothing: as the
 * next timer of all it would cost setting the machine's clock twice. A longer one would hold up who
 * has more to say than a pipe takes.
 */
#define QUICK_NS UINT64_C(5000000)

enum slot { SLOT_IN, SLOT_OUT, SLOT_ERR, SLOT_PID, SLOT_ABORT, SLOTS };

#define PIPES (SLOT_ERR + 1)

enum phase { PHASE_QUICK, PHASE_RUNNING, PHASE_TERMINATED, PHASE_KILLED, PHASE_DONE };

struct child {
    const struct proc *proc;
    struct proc_result *result;
    struct pollfd *slots; /* SLOTS of them: what is waited for, -1: nothing */
    int pipes[PIPES];     /* our ends, by slot; -1: closed */
    struct str unfed;     /* what is left of the input */
    enum phase phase;
    bool exited; /* but not reaped, so that its group can still be named */
    pid_t pid;
    int pidfd;
    uint64_t began_ns, deadline_ns;
    uint64_t wake_ns; /* when the phase is over */
};

static void shut(struct child *c, enum slot at)
{
    fd_cleanup(&c->pipes[at]);
    c->pipes[at] = c->slots[at].fd = -1;
}

static void finish(struct child *c)
{
    for (enum slot at = 0; at < PIPES; at++)
        shut(c, at);
    c->slots[SLOT_PID].fd = c->slots[SLOT_ABORT].fd = -1;
    fd_cleanup(&c->pidfd);
    c->pidfd = -1;
    c->phase = PHASE_DONE;
    c->result->duration_ns = clock_mono_ns() - c->began_ns;
}

/* A child that stops reading loses the rest; that is its own affair. */
static void feed(struct child *c)
{
    ssize_t n = launch_write(c->pipes[SLOT_IN], c->unfed);

    if (n >= 0) {
        c->unfed.ptr += n;
        c->unfed.len -= (size_t)n;
    }
    if (c->unfed.len == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        shut(c, SLOT_IN);
}

static struct proc_output *output_of(struct child *c, enum slot at)
{
    return at == SLOT_OUT ? &c->result->out : &c->result->err;
}

/* One piece. Returns its length: less than CHUNK when there is no more just now. */
static size_t drain(struct child *c, enum slot at)
{
    struct proc_output *o = output_of(c, at);
    char chunk[CHUNK];
    ssize_t n = read(c->pipes[at], chunk, CHUNK);

    if (n > 0) {
        o->bytes += (size_t)n;
        strbuf_add(&o->text, chunk, (size_t)n);
        return (size_t)n;
    }
    if (n == 0 || (errno != EAGAIN && errno != EINTR))
        shut(c, at);
    return 0;
}

/*
 * What the child left in a pipe. Not until end-of-file, which a descendant may hold back, and not
 * more than a pipe can hold, because a descendant may go on writing.
 */
static void drain_rest(struct child *c, enum slot at)
{
    size_t left = PIPE_MAX / CHUNK;

    while (c->pipes[at] >= 0 && left-- > 0)
        if (drain(c, at) < CHUNK)
            return;
}

static void listen_to(struct child *c)
{
    c->slots[SLOT_OUT].fd = c->pipes[SLOT_OUT];
    c->slots[SLOT_ERR].fd = c->pipes[SLOT_ERR];
    c->wake_ns = c->deadline_ns;
    c->phase = PHASE_RUNNING;
}

static void end_group(struct child *c, enum proc_end why, uint64_t now)
{
    uint64_t grace = c->proc->grace_ns ? c->proc->grace_ns : PROC_GRACE_NS;

    c->result->end = why;
    c->slots[SLOT_ABORT].fd = -1;
    c->phase = PHASE_TERMINATED;
    c->wake_ns = now + grace;
    kill(-c->pid, SIGTERM);
    kill(-c->pid, SIGCONT); /* who is stopped could not follow */
}

static void kill_group(struct child *c, uint64_t now)
{
    c->phase = PHASE_KILLED;
    c->wake_ns = now + REAP_NS;
    kill(-c->pid, SIGKILL);
}

/*
 * The child is gone. When it was told to go its descendants were told too: as long as they hold an
 * output open the rest of the grace is theirs.
 */
static void see_off(struct child *c, uint64_t now)
{
    bool silent = c->pipes[SLOT_OUT] < 0 && c->pipes[SLOT_ERR] < 0;

    if (c->phase == PHASE_TERMINATED && !silent)
        return;
    if (c->phase == PHASE_TERMINATED)
        kill_group(c, now);
    drain_rest(c, SLOT_OUT);
    drain_rest(c, SLOT_ERR);
    launch_reap(c->pidfd, c->result);
    finish(c);
}

static void watch_clock(struct child *c, uint64_t now)
{
    if (c->phase == PHASE_QUICK)
        listen_to(c);
    if (c->phase == PHASE_RUNNING && now >= c->deadline_ns) {
        end_group(c, PROC_TIMED_OUT, now);
    } else if (c->phase == PHASE_TERMINATED) {
        kill_group(c, now);
        if (c->exited)
            see_off(c, now);
    } else if (c->phase == PHASE_KILLED) {
        c->result->signal = SIGKILL;
        finish(c);
    }
}

static void serve(struct child *c, uint64_t now)
{
    struct pollfd *s = c->slots;

    if (s[SLOT_IN].revents)
        feed(c);
    for (enum slot at = SLOT_OUT; at <= SLOT_ERR; at++) {
        if (s[at].revents & POLLIN)
            drain(c, at);
        else if (s[at].revents)
            shut(c, at);
    }
    if (s[SLOT_PID].revents) {
        s[SLOT_PID].fd = -1;
        c->exited = true;
    }
    if (c->exited)
        see_off(c, now);
    if (c->phase <= PHASE_RUNNING && s[SLOT_ABORT].revents) {
        listen_to(c);
        end_group(c, PROC_ABORTED, now);
    }
    if (now >= c->wake_ns)
        watch_clock(c, now);
}

/* How long nothing will happen by itself; false when every child is done. */
static bool next_wake(const struct child *children, size_t count, struct timespec *left)
{
    uint64_t wake = UINT64_MAX, now;
    bool live = false;

    for (size_t i = 0; i < count; i++) {
        if (children[i].phase == PHASE_DONE)
            continue;
        live = true;
        if (children[i].wake_ns < wake)
            wake = children[i].wake_ns;
    }
    if (!live)
        return false;
    now = clock_mono_ns();
    wake = wake > now ? wake - now : 0;
    *left = (struct timespec){ (time_t)(wake / 1000000000), (long)(wake % 1000000000) };
    return true;
}

/*
 * poll() refuses more entries than the process may have descriptors, which many children reach with
 * entries that are closed. They are then looked at in turn.
 */
static void poll_in_turn(struct child *children, size_t count)
{
    const struct timespec pause = { .tv_nsec = 1000000 }, none = { 0 };

    nanosleep(&pause, NULL);
    for (size_t i = 0; i < count; i++)
        if (ppoll(children[i].slots, SLOTS, &none, NULL) < 0)
            for (int at = 0; at < SLOTS; at++)
                children[i].slots[at].revents = 0;
}

static void serve_all(struct child *children, size_t count)
{
    struct timespec left;

    while (next_wake(children, count, &left)) {
        uint64_t now;
        int n = ppoll(children->slots, count * SLOTS, &left, NULL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            poll_in_turn(children, count);
        now = clock_mono_ns();
        for (size_t i = 0; i < count; i++)
            if (children[i].phase != PHASE_DONE)
                serve(&children[i], now);
    }
}

/* What need not be done before the child exists is done while its program is being loaded. */
static void begin(struct child *c, const struct launched *l)
{
    launch_unblock(l);
    c->wake_ns = clock_mono_ns() + QUICK_NS;
    if (c->wake_ns > c->deadline_ns)
        c->wake_ns = c->deadline_ns;
    if (c->pipes[SLOT_IN] >= 0)
        feed(c);
    c->slots[SLOT_IN].fd = c->pipes[SLOT_IN];
    if (c->unfed.len > 0) /* whose input is that long is not quick */
        listen_to(c);
}

/* Leaves a child that runs, or one that is done. */
static void start(struct child *c)
{
    struct launched l;
    bool runs = ahead_take(c->proc->ahead, &l) ||
                launch(c->proc, c->unfed.len ? LAUNCH_FED : LAUNCH_NULL, &l, c->result);

    c->result->spawn_ns = clock_mono_ns() - c->began_ns;
    if (!runs) {
        finish(c);
        return;
    }
    memcpy(c->pipes, l.pipes, sizeof(c->pipes));
    c->pid = l.pid;
    c->pidfd = c->slots[SLOT_PID].fd = l.pidfd;
    c->phase = PHASE_QUICK;
    begin(c, &l);
}

static void prepare(struct child *c, uint64_t now)
{
    const struct proc *p = c->proc;
    struct proc_result *r = c->result;

    for (int i = 0; i < SLOTS; i++)
        c->slots[i] = (struct pollfd){ .fd = -1, .events = i == SLOT_IN ? POLLOUT : POLLIN };
    if (p->abort_fd > 0)
        c->slots[SLOT_ABORT].fd = p->abort_fd;
    for (int i = 0; i < PIPES; i++)
        c->pipes[i] = -1;
    c->phase = PHASE_DONE;
    c->pidfd = -1;
    c->unfed = p->input;
    c->began_ns = now;
    c->deadline_ns = p->deadline_ns ? p->deadline_ns : now + PROC_TIMEOUT_NS;
    r->out.text.max = p->out_max ? p->out_max : PROC_OUTPUT_MAX;
    r->err.text.max = p->err_max ? p->err_max : PROC_OUTPUT_MAX;
    r->allowed_ns = c->deadline_ns > now ? c->deadline_ns - now : 0;
}

void proc_run_many(const struct proc *procs, struct proc_result *results, size_t count)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct child *children = arena_array(&a, struct child, count);
    struct pollfd *slots = arena_array(&a, struct pollfd, count * SLOTS);
    uint64_t now = clock_mono_ns();

    for (size_t i = 0; i < count; i++) {
        struct child *c = &children[i];

        *c = (struct child){ .proc = &procs[i], .result = &results[i], .slots = &slots[i * SLOTS] };
        prepare(c, now);
        if (c->result->allowed_ns > 0) {
            start(c);
        } else {
            proc_ahead_drop(c->proc->ahead);
            c->result->end = PROC_TIMED_OUT;
        }
    }
    if (count > 0)
        serve_all(children, count);
}

void proc_run(const struct proc *p, struct proc_result *r)
{
    proc_run_many(p, r, 1);
}

void proc_result_release(struct proc_result *r)
{
    strbuf_release(&r->out.text);
    strbuf_release(&r->err.text);
    free(r->interpreter);
    *r = (struct proc_result){ 0 };
}
