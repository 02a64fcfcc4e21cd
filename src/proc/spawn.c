#include "proc/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* Enough for the child's few calls and for a lazy binding of the first of them. */
#define STACK_SIZE ((size_t)32 << 10)

/* Bytes of the kernel's set of signals. */
#define KERNEL_SIGSET (_NSIG / 8)

/*
 * The child shares memory, thread-local storage included, with the thread that waits for it in
 * clone(), until it executes a program. So it makes bare system calls only: the C library's
 * wrappers may allocate, take locks and, under a sanitizer, are replaced by functions that note in
 * shared memory what is true only of the child. For the same reason its functions carry no
 * instrumentation.
 */
#define IN_CHILD __attribute__((no_sanitize("address", "thread", "undefined")))

/*
 * ThreadSanitizer replaces clone() by one that takes every child for a fork and, in the memory that
 * is shared, declares this process to be the child. glibc's other name for it is left alone.
 */
#ifdef __SANITIZE_THREAD__
int __clone(int (*run)(void *), void *stack, int flags, void *arg, ...);
#define clone __clone
#endif

struct attempt {
    const struct spawn *spawn;
    enum proc_step step;
    int error;
};

/* Whether a file that cannot be executed is like one that is not there. */
IN_CHILD static bool search_goes_on(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EACCES || error == ENAMETOOLONG ||
           error == ELOOP || error == ESTALE || error == ENODEV || error == ETIMEDOUT;
}

/* Not even close_range(): old kernels and strict sandboxes lack it. */
IN_CHILD static void close_one_by_one(void)
{
    struct rlimit64 limit = { 0 };

    if (syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) != 0 || limit.rlim_cur > 1 << 20)
        limit.rlim_cur = 1 << 20;
    for (unsigned fd = 3; fd < limit.rlim_cur; fd++)
        syscall(SYS_close, fd);
}

/*
 * What one process sends another, or the kernel to tell a process something. The rest needs no
 * reset: faults cannot be ignored, and nobody aims a real-time signal at a process this young. All
 * sixty-four would take a tenth of the time that a small child runs.
 */
static const unsigned char resettable[] = {
    SIGHUP,    SIGINT,  SIGQUIT,  SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM,
    SIGTERM,   SIGCHLD, SIGTSTP,  SIGTTIN, SIGTTOU, SIGXCPU, SIGXFSZ,
    SIGVTALRM, SIGPROF, SIGWINCH, SIGIO,   32,      33, /* glibc's own two: its posix_spawn(), and
                                                           so make, leaves them ignored */
};

/*
 * exec makes caught signals default again and leaves ignored ones ignored. Both are reset before
 * the mask is, else the caller's handlers could run here, in the caller's memory.
 */
IN_CHILD static void reset_signals(void)
{
    static const uint64_t deflt[8]; /* the kernel's struct sigaction on any machine: all zero */
    static const uint64_t none;

    for (size_t i = 0; i < sizeof(resettable); i++)
        syscall(SYS_rt_sigaction, resettable[i], deflt, NULL, KERNEL_SIGSET);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, KERNEL_SIGSET);
}

/* Returns errno, and only if no candidate could be executed. */
IN_CHILD static int execute(const struct spawn *s)
{
    bool denied = false;
    int error = ENOENT;

    for (char *const *file = s->candidates; *file; file++) {
        syscall(SYS_execve, *file, s->argv, s->env);
        error = errno;
        if (!search_goes_on(error))
            return error;
        denied = denied || error == EACCES;
    }
    return denied ? EACCES : error;
}

/*
 * Returning ends the child: glibc's clone() passes the value to the exit system call. `error` is in
 * the caller's memory and stays zero when a program runs.
 */
IN_CHILD static int run_child(void *arg)
{
    struct attempt *t = arg;
    const struct spawn *s = t->spawn;

    syscall(SYS_setsid);
    for (int fd = 0; fd < 3; fd++)
        syscall(SYS_dup3, s->stdio[fd], fd, 0);
    if (syscall(SYS_close_range, 3, ~0u, 0) != 0)
        close_one_by_one();
    reset_signals();
    if (s->cwd && syscall(SYS_chdir, s->cwd) != 0) {
        t->step = PROC_STEP_CHDIR;
        t->error = errno;
        return 127;
    }
    t->step = PROC_STEP_EXEC;
    t->error = execute(s);
    return 127;
}

static void reap(int pidfd)
{
    siginfo_t info;

    while (waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED) < 0 && errno == EINTR)
        continue;
}

static void spawn_with_clone(const struct spawn *s, struct spawned *to)
{
    const int flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD;
    char stack[STACK_SIZE] __attribute__((aligned(16)));
    struct attempt t = { .spawn = s };
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    to->pid = clone(run_child, stack + sizeof(stack), flags, &t, &to->pidfd);
    to->step = to->pid < 0 ? PROC_STEP_SPAWN : PROC_STEP_NONE;
    to->error = to->pid < 0 ? errno : 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (to->pid > 0 && t.error) {
        CLEANUP(fd) int pidfd = to->pidfd;

        reap(pidfd);
        *to = (struct spawned){ .pid = -1, .pidfd = -1, .step = t.step, .error = t.error };
    }
}

static int fill_actions(posix_spawn_file_actions_t *files, const struct spawn *s, int cwd)
{
    int r = 0;

    for (int fd = 0; fd < 3 && r == 0; fd++)
        r = posix_spawn_file_actions_adddup2(files, s->stdio[fd], fd);
    if (r == 0 && cwd >= 0)
        r = posix_spawn_file_actions_addfchdir_np(files, cwd);
    if (r == 0)
        r = posix_spawn_file_actions_addclosefrom_np(files, 3);
    return r;
}

static int try_candidates(const struct spawn *s, const posix_spawn_file_actions_t *files,
                          const posix_spawnattr_t *attr, pid_t *pid)
{
    bool denied = false;
    int r = ENOENT;

    for (char *const *file = s->candidates; *file; file++) {
        r = posix_spawn(pid, *file, files, attr, s->argv, s->env);
        if (r == 0 || !search_goes_on(r))
            return r;
        denied = denied || r == EACCES;
    }
    return denied ? EACCES : r;
}

/* Errors of posix_spawn() that are about making a process and not about the program. */
static bool is_shortage(int error)
{
    return error == EAGAIN || error == ENOMEM || error == ENOSYS || error == EPERM;
}

static void start_plainly(const struct spawn *s, int cwd, struct spawned *to)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t all, none;

    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setflags(&attr,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigdefault(&attr, &all);
    posix_spawnattr_setsigmask(&attr, &none);
    to->step = PROC_STEP_SPAWN;
    to->error = fill_actions(&files, s, cwd);
    if (to->error == 0) {
        to->error = try_candidates(s, &files, &attr, &to->pid);
        to->step = is_shortage(to->error) ? PROC_STEP_SPAWN : PROC_STEP_EXEC;
    }
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
}

/* posix_spawn() does not say which step failed, so the folder is tried here first. */
static void spawn_with_posix(const struct spawn *s, struct spawned *to)
{
    CLEANUP(fd) int cwd = -1;

    if (s->cwd) {
        cwd = open(s->cwd, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (cwd < 0 || faccessat(cwd, ".", X_OK, AT_EACCESS) < 0) {
            to->step = PROC_STEP_CHDIR;
            to->error = errno;
            return;
        }
    }
    start_plainly(s, cwd, to);
    if (to->error)
        return;
    to->step = PROC_STEP_NONE;
    to->pidfd = (int)syscall(SYS_pidfd_open, to->pid, 0);
    if (to->pidfd < 0) { /* it could be neither watched nor ended in time: it must not run */
        to->step = PROC_STEP_SPAWN;
        to->error = errno;
        kill(-to->pid, SIGKILL);
        while (waitpid(to->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
}

/* How sandboxes and old kernels say that a system call or one of its flags is not for us. */
static bool is_refused(const struct spawned *to)
{
    return to->step == PROC_STEP_SPAWN &&
           (to->error == EPERM || to->error == ENOSYS || to->error == EINVAL);
}

void spawn_child(const struct spawn *s, struct spawned *to)
{
    *to = (struct spawned){ .pid = -1, .pidfd = -1 };
    if (!s->fallback)
        spawn_with_clone(s, to);
    if (s->fallback || is_refused(to)) {
        *to = (struct spawned){ .pid = -1, .pidfd = -1 };
        spawn_with_posix(s, to);
    }
}
