#include "proc/ahead.h"

#include "base/mem.h"

#include <poll.h>
#include <signal.h>

struct proc_ahead {
    struct launched child;
};

struct proc_ahead *proc_start_ahead(const struct proc *p)
{
    CLEANUP(proc_result) struct proc_result why = { 0 };
    struct launched child;
    struct proc_ahead *x;

    if (!launch(p, LAUNCH_FED, &child, &why))
        return NULL;
    x = xcalloc(1, sizeof(*x));
    x->child = child;
    return x;
}

void proc_ahead_drop(struct proc_ahead *x)
{
    struct proc_result end = { 0 };

    if (!x)
        return;
    kill(-x->child.pid, SIGKILL);
    launch_reap(x->child.pidfd, &end);
    for (int i = 0; i < 3; i++)
        fd_cleanup(&x->child.pipes[i]);
    fd_cleanup(&x->child.pidfd);
    free(x);
}

bool ahead_take(struct proc_ahead *x, struct launched *to)
{
    struct pollfd gone = { .events = POLLIN };

    if (!x)
        return false;
    gone.fd = x->child.pidfd;
    if (poll(&gone, 1, 0) != 0) {
        proc_ahead_drop(x);
        return false;
    }
    *to = x->child;
    free(x);
    return true;
}
