#include "proc/live.h"

#include "base/clock.h"
#include "base/mem.h"
#include "proc/launch.h"

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <time.h>

#define CHUNK ((size_t)64 << 10)

/*
 * Most answers come soon: for that long only its outputs are watched, which costs half as much
 * as everything does.
 */
#define QUICK_NS UINT64_C(5000000)

/* How long a child may take to vanish after SIGKILL before it is given up, unreaped. */
#define REAP_NS UINT64_C(5000000000)

enum slot { SLOT_OUT, SLOT_ERR, SLOT_PID, SLOT_WAKE, SLOT_IN, SLOTS };

#define QUICK_SLOTS (SLOT_ERR + 1)

struct live {
    struct launched child;
    int wake;             /* an eventfd: somebody has left work for who waits */
    struct strbuf unsent; /* what its pipe had no room for yet */
    uint64_t sent;        /* all that was to be sent */
    struct strbuf out;    /* what it wrote, from `next` on not handed out */
    size_t next, seen;    /* up to `seen` there is no newline */
    size_t line_max;
    struct strbuf err;
    bool skips;  /* the rest of a line that is too long goes unread */
    bool exited; /* but not reaped, so that its group can still be named */
};

struct live *live_start(const struct proc *p, struct proc_result *why)
{
    struct live *l = xcalloc(1, sizeof(*l));

    l->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (l->wake < 0) {
        why->step = PROC_STEP_PIPES;
        why->error = errno;
    }
    if (l->wake < 0 || !launch(p, LAUNCH_HELD, &l->child, why)) {
        fd_cleanup(&l->wake);
        free(l);
        return NULL;
    }
    launch_unblock(&l->child);
    l->line_max = p->out_max ? p->out_max : PROC_OUTPUT_MAX;
    l->out.max = l->line_max + 2 * CHUNK;
    l->err.max = p->err_max ? p->err_max : PROC_OUTPUT_MAX;
    l->unsent.max = LIVE_UNSENT_MAX;
    return l;
}

/* Sending -------------------------------------------------------------------------------------- */

static void shut(struct live *l, int at)
{
    fd_cleanup(&l->child.pipes[at]);
    l->child.pipes[at] = -1;
}

/*
 * How many bytes its pipe has taken. We hold the other end too, so that this cannot fail and raises
 * no signal, however the child is.
 */
static size_t push(struct live *l, struct str text)
{
    size_t taken = 0;
    ssize_t n;

    do {
        n = write(l->child.pipes[STDIN_FILENO], text.ptr + taken, text.len - taken);
        taken += n > 0 ? (size_t)n : 0;
    } while (taken < text.len && (n > 0 || (n < 0 && errno == EINTR)));
    return taken;
}

static void push_unsent(struct live *l)
{
    size_t taken = push(l, strbuf_str(&l->unsent));

    if (taken < l->unsent.len) {
        memmove(l->unsent.buf, l->unsent.buf + taken, l->unsent.len - taken);
        l->unsent.len -= taken;
        l->unsent.buf[l->unsent.len] = '\0';
    } else {
        strbuf_reset(&l->unsent);
    }
}

static void wake_waiter(struct live *l)
{
    const uint64_t one = 1;

    (void)!write(l->wake, &one, sizeof(one)); /* full means that it is awake already */
}

int live_send(struct live *l, struct str text)
{
    size_t taken = 0;

    if (l->unsent.len + text.len > LIVE_UNSENT_MAX)
        return -ENOBUFS;
    if (l->unsent.len == 0)
        taken = push(l, text);
    l->sent += text.len;
    if (taken < text.len) {
        strbuf_add(&l->unsent, text.ptr + taken, text.len - taken);
        wake_waiter(l);
    }
    return 0;
}

uint64_t live_sent(const struct live *l)
{
    return l->sent;
}

uint64_t live_unread(const struct live *l)
{
    int in_pipe = 0;

    if (ioctl(l->child.pipes[STDIN_FILENO], FIONREAD, &in_pipe) < 0)
        in_pipe = 0;
    return l->unsent.len + (uint64_t)in_pipe;
}

/* Receiving ------------------------------------------------------------------------------------ */

/* Move what was not handed out to the front, so that there is room behind it. */
static void compact(struct live *l)
{
    if (l->next == 0)
        return;
    if (l->next < l->out.len)
        memmove(l->out.buf, l->out.buf + l->next, l->out.len - l->next);
    l->out.len -= l->next;
    l->seen -= l->next;
    l->next = 0;
    l->out.buf[l->out.len] = '\0';
}

static void drain(struct live *l, int at)
{
    struct strbuf *to = at == STDOUT_FILENO ? &l->out : &l->err;
    char chunk[CHUNK];
    ssize_t n = read(l->child.pipes[at], chunk, CHUNK);

    if (n > 0)
        strbuf_add(to, chunk, (size_t)n);
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        shut(l, at);
}

/* There is room for a chunk whenever no complete line waits: a line is never longer than that. */
static bool has_room(const struct live *l)
{
    return l->out.max - (l->out.len - l->next) > CHUNK;
}

static void cut(struct live *l, size_t end, struct str *line)
{
    *line = (struct str){ l->out.buf + l->next, end - l->next };
    l->next = l->seen = end < l->out.len ? end + 1 : end;
}

int live_line(struct live *l, struct str *line)
{
    while (l->seen < l->out.len) {
        const char *end = memchr(l->out.buf + l->seen, '\n', l->out.len - l->seen);

        l->seen = end ? (size_t)(end - l->out.buf) : l->out.len;
        if (l->skips && end) { /* the end of what was too long */
            l->skips = false;
            l->next = ++l->seen;
            continue;
        }
        if (l->skips) {
            l->next = l->seen;
            return 0;
        }
        if (end) {
            bool fits = l->seen - l->next <= l->line_max;

            cut(l, l->seen, line);
            return fits ? 1 : -EMSGSIZE;
        }
    }
    if (l->out.len - l->next <= l->line_max)
        return 0;
    l->skips = true;
    cut(l, l->out.len, line);
    return -EMSGSIZE;
}

bool live_is_over(const struct live *l)
{
    return l->exited || l->child.pipes[STDOUT_FILENO] < 0;
}

struct str live_stderr(const struct live *l)
{
    return strbuf_str(&l->err);
}

void live_forget_stderr(struct live *l)
{
    if (l->err.len == 0)
        return;
    strbuf_reset(&l->err);
    l->err.truncated = false;
}

struct str live_last_words(struct live *l)
{
    if (l->child.pipes[STDERR_FILENO] >= 0)
        drain(l, STDERR_FILENO);
    return live_stderr(l);
}

/* The loop ------------------------------------------------------------------------------------- */

void live_prepare(const struct live *l, struct live_poll *p)
{
    const int *pipes = l->child.pipes;

    p->slots[SLOT_IN] = (struct pollfd){ .fd = l->unsent.len ? pipes[0] : -1, .events = POLLOUT };
    p->slots[SLOT_OUT] = (struct pollfd){ .fd = has_room(l) ? pipes[1] : -1, .events = POLLIN };
    p->slots[SLOT_ERR] = (struct pollfd){ .fd = pipes[2], .events = POLLIN };
    p->slots[SLOT_PID] = (struct pollfd){ .fd = l->exited ? -1 : l->child.pidfd, .events = POLLIN };
    p->slots[SLOT_WAKE] = (struct pollfd){ .fd = l->wake, .events = POLLIN };
}

static int wait_for(struct live_poll *p, size_t count, uint64_t ns)
{
    struct timespec t = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
    int n = ppoll(p->slots, count, &t, NULL);

    for (size_t at = n > 0 ? count : 0; at < SLOTS; at++)
        p->slots[at].revents = 0;
    return n;
}

void live_wait(struct live_poll *p, uint64_t deadline_ns)
{
    uint64_t now = clock_mono_ns(), left = deadline_ns > now ? deadline_ns - now : 0;

    if (left > QUICK_NS && p->slots[SLOT_IN].fd < 0) {
        if (wait_for(p, QUICK_SLOTS, QUICK_NS) != 0)
            return;
        left -= QUICK_NS;
    }
    (void)wait_for(p, SLOTS, left);
}

/* What a child that is gone has left behind, up to what there is room for. */
static void drain_rest(struct live *l)
{
    for (int at = STDOUT_FILENO; at <= STDERR_FILENO; at++) {
        struct strbuf *to = at == STDOUT_FILENO ? &l->out : &l->err;
        size_t before = to->len + 1;

        while (l->child.pipes[at] >= 0 && to->len != before &&
               (at == STDERR_FILENO || has_room(l))) {
            before = to->len;
            drain(l, at);
        }
    }
}

void live_serve(struct live *l, const struct live_poll *p)
{
    uint64_t count;

    if (p->slots[SLOT_WAKE].revents)
        (void)!read(l->wake, &count, sizeof(count));
    if (p->slots[SLOT_IN].revents)
        push_unsent(l);
    if (p->slots[SLOT_OUT].revents && l->child.pipes[STDOUT_FILENO] >= 0) {
        compact(l);
        drain(l, STDOUT_FILENO);
    }
    if (p->slots[SLOT_ERR].revents && l->child.pipes[STDERR_FILENO] >= 0)
        drain(l, STDERR_FILENO);
    if (p->slots[SLOT_PID].revents) {
        l->exited = true;
        compact(l);
        drain_rest(l);
    }
}

void live_look(struct live *l)
{
    size_t before;

    if (l->child.pipes[STDOUT_FILENO] < 0 || !has_room(l))
        return;
    compact(l);
    before = l->out.len;
    drain(l, STDOUT_FILENO);
    /* What it wrote to stderr before its answer belongs to it. */
    if (l->out.len != before && l->child.pipes[STDERR_FILENO] >= 0)
        drain(l, STDERR_FILENO);
}

void live_turn(struct live *l, uint64_t deadline_ns)
{
    struct live_poll p;

    live_prepare(l, &p);
    live_wait(&p, deadline_ns);
    live_serve(l, &p);
}

/* The end -------------------------------------------------------------------------------------- */

/* Listen without keeping anything, until it is gone or time is up. */
static bool leaves_by(struct live *l, uint64_t deadline_ns)
{
    do {
        l->next = l->seen = l->out.len;
        compact(l);
        if (!l->exited)
            live_turn(l, deadline_ns);
    } while (!l->exited && clock_mono_ns() < deadline_ns);
    return l->exited;
}

bool live_await_exit(struct live *l, uint64_t deadline_ns)
{
    struct pollfd gone = { .fd = l->child.pidfd, .events = POLLIN };
    uint64_t now = clock_mono_ns(), left = deadline_ns > now ? deadline_ns - now : 0;
    struct timespec t = { (time_t)(left / 1000000000), (long)(left % 1000000000) };

    return l->exited || ppoll(&gone, 1, &t, NULL) > 0;
}

void live_end(struct live *l, const struct live_limits *limits, struct proc_result *how)
{
    uint64_t now = clock_mono_ns();

    push_unsent(l);
    strbuf_reset(&l->unsent);
    shut(l, STDIN_FILENO);
    if (!leaves_by(l, now + limits->leave_ns)) {
        how->end = PROC_TIMED_OUT;
        how->allowed_ns = limits->leave_ns;
        kill(-l->child.pid, SIGTERM);
        kill(-l->child.pid, SIGCONT); /* who is stopped could not follow */
        (void)leaves_by(l, clock_mono_ns() + limits->grace_ns);
    }
    kill(-l->child.pid, SIGKILL); /* what it started goes with it */
    if (leaves_by(l, clock_mono_ns() + REAP_NS))
        launch_reap(l->child.pidfd, how);
    for (int at = 0; at < 3; at++)
        shut(l, at);
    fd_cleanup(&l->child.held);
    fd_cleanup(&l->child.pidfd);
    fd_cleanup(&l->wake);
    strbuf_release(&l->unsent);
    strbuf_release(&l->out);
    strbuf_release(&l->err);
    free(l);
}
