#include "cli/interrupt.h"

#include "base/macros.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* Longer than a process has between SIGTERM and SIGKILL. */
#define PATIENCE_S 4

/* A handler has nothing but globals. */
static volatile sig_atomic_t came;  /* the first signal */
static volatile sig_atomic_t count; /* of signals since the last interrupt_clear() */
static volatile sig_atomic_t last;  /* one of them asks the process to end */
static bool session;
static int ends[2]; /* of a pipe; 0: not made */
static void (*at_end)(void);

static void die(void)
{
    sigset_t set;

    if (at_end)
        at_end();
    signal(came, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, came);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(came);
}

static void take_signal(int sig)
{
    if (sig != SIGALRM) {
        count = count + 1;
        came = came ? came : sig;
        last = last || sig != SIGINT;
    }
    if (sig == SIGALRM || count >= (session ? 3 : 2)) {
        die();
        return;
    }
    if (!session)
        alarm(PATIENCE_S);
    (void)!write(ends[1], "", 1);
}

/* 0 means none to whoever is handed it, and may be free. */
static int above_standard(int fd)
{
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

    close(fd);
    return moved;
}

int interrupt_fd(void)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM };
    struct sigaction now, take = { .sa_handler = take_signal, .sa_flags = SA_RESTART };
    int fds[2];

    if (ends[0])
        return ends[0];
    if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
        return 0;
    ends[0] = above_standard(fds[0]);
    ends[1] = above_standard(fds[1]);
    if (ends[0] < 0 || ends[1] < 0) {
        ends[0] = 0;
        return 0;
    }
    for (size_t i = 0; i < ARRAY_LEN(signals); i++)
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) /* nohup */
            sigaction(signals[i], &take, NULL);
    return ends[0];
}

int interrupt_open(void)
{
    int fd;

    session = true;
    fd = interrupt_fd();
    return fd ? fd : -1;
}

void interrupt_clear(void)
{
    char unused[8];

    count = 0;
    if (last)
        return;
    came = 0;
    while (read(ends[0], unused, sizeof(unused)) > 0)
        ;
}

bool interrupt_ends(void)
{
    return last != 0;
}

void interrupt_raise(void)
{
    came = came ? came : SIGPIPE;
    last = 1;
    if (ends[1])
        (void)!write(ends[1], "", 1);
}

void interrupt_at_end(void (*clean)(void))
{
    at_end = clean;
}

bool interrupt_came(void)
{
    return came != 0;
}

void interrupt_finish(void)
{
    if (came && !session)
        die();
}
