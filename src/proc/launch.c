#include "proc/launch.h"

#include "base/vars.h"
#include "proc/env.h"
#include "proc/fault.h"
#include "proc/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

/* Descriptors 0 to 2 of the child are put in place over whatever has these numbers here. */
static int above_stderr(int fd)
{
    CLEANUP(fd) int low = fd;

    if (fd < 0 || fd > STDERR_FILENO)
        return take_fd(&low);
    return fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

/* `ours` is 1 for the end that writes, 0 to read. */
static int open_pipe(int ours, int *our_fd, int *child_fd)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    *our_fd = ends[ours];
    *child_fd = above_stderr(ends[1 - ours]);
    return *child_fd < 0 ? -1 : 0;
}

static int open_stdio(enum launch_input input, int ours[3], int stdio[3])
{
    if (input == LAUNCH_NULL) {
        stdio[STDIN_FILENO] = above_stderr(open("/dev/null", O_RDONLY | O_CLOEXEC));
        if (stdio[STDIN_FILENO] < 0)
            return -1;
    } else if (open_pipe(1, &ours[STDIN_FILENO], &stdio[STDIN_FILENO]) < 0) {
        return -1;
    }
    if (open_pipe(0, &ours[STDOUT_FILENO], &stdio[STDOUT_FILENO]) < 0)
        return -1;
    return open_pipe(0, &ours[STDERR_FILENO], &stdio[STDERR_FILENO]);
}

static void close_three(int fds[3])
{
    for (int i = 0; i < 3; i++) {
        fd_cleanup(&fds[i]);
        fds[i] = -1;
    }
}

static void spawn_into(const struct spawn *s, struct launched *to, struct proc_result *r)
{
    struct spawned made;

    spawn_child(s, &made);
    to->pid = made.pid;
    to->pidfd = made.pidfd;
    r->step = made.step;
    r->error = made.error;
    if (made.step != PROC_STEP_NONE)
        fault_refine(s, r);
}

bool launch(const struct proc *p, enum launch_input input, struct launched *to,
            struct proc_result *r)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct spawn s = { .cwd = p->cwd, .stdio = { -1, -1, -1 }, .fallback = p->fallback };
    size_t argc = 0;
    char **argv;

    *to = (struct launched){ .pid = -1, .pidfd = -1, .pipes = { -1, -1, -1 }, .held = -1 };
    while (p->argv[argc])
        argc++;
    argv = arena_array(&a, char *, argc + 1);
    memcpy(argv, p->argv, argc * sizeof(*argv));
    s.argv = argv;
    s.env = env_change(&a, vars_all(), p->env);
    s.candidates = env_candidates(&a, s.env, argc ? argv[0] : "");
    if (open_stdio(input, to->pipes, s.stdio) < 0) {
        r->step = PROC_STEP_PIPES;
        r->error = errno;
    } else {
        spawn_into(&s, to, r);
    }
    if (input == LAUNCH_HELD && r->step == PROC_STEP_NONE)
        to->held = take_fd(&s.stdio[STDIN_FILENO]);
    close_three(s.stdio);
    if (r->step != PROC_STEP_NONE)
        close_three(to->pipes);
    return r->step == PROC_STEP_NONE;
}

void launch_unblock(const struct launched *l)
{
    for (int i = 0; i < 3; i++)
        if (l->pipes[i] >= 0)
            fcntl(l->pipes[i], F_SETFL, O_NONBLOCK);
}

void launch_reap(int pidfd, struct proc_result *r)
{
    siginfo_t info = { 0 };
    int n;

    do
        n = waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED);
    while (n < 0 && errno == EINTR);
    if (r->end == PROC_NOT_STARTED)
        r->end = n < 0 ? PROC_LOST : info.si_code == CLD_EXITED ? PROC_EXITED : PROC_SIGNALED;
    if (n == 0 && info.si_code == CLD_EXITED)
        r->exit_code = info.si_status;
    else if (n == 0)
        r->signal = info.si_status;
}

/*
 * A pipe is read faster than a socket pair, but writing to one that nobody reads raises SIGPIPE.
 * The signal is for this thread: it is blocked, and taken when it came from here. One that was
 * pending before stays.
 */
ssize_t launch_write(int fd, struct str text)
{
    const struct timespec now = { 0 };
    sigset_t pipe_only, before, pending;
    bool mine = true;
    ssize_t n;
    int error;

    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
    if (sigismember(&before, SIGPIPE) && sigpending(&pending) == 0)
        mine = !sigismember(&pending, SIGPIPE);
    n = write(fd, text.ptr, text.len);
    error = errno;
    if (n < 0 && error == EPIPE && mine)
        while (sigtimedwait(&pipe_only, NULL, &now) < 0 && errno == EINTR)
            continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return n;
}
