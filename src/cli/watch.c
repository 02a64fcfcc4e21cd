#include "cli/watch.h"

#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>

#define POLL_MS 1000 /* where the folder cannot be watched, or is on a network */

struct watch watch_open(const char *dir)
{
    struct watch w = { -1, inotify_init1(IN_CLOEXEC | IN_NONBLOCK) };
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    w.signals = signalfd(-1, &set, SFD_CLOEXEC);
    /* Without a watch the bounded wait finds what is new all the same. */
    if (w.folder >= 0 &&
        inotify_add_watch(w.folder, dir, IN_MODIFY | IN_CREATE | IN_MOVED_TO) < 0) {
        close(w.folder);
        w.folder = -1;
    }
    return w;
}

bool watch_wait(const struct watch *w)
{
    struct pollfd fds[] = {
        { .fd = w->signals, .events = POLLIN },
        { .fd = STDOUT_FILENO }, /* the reader went away */
        { .fd = w->folder, .events = POLLIN },
    };
    char events[4096];

    if (poll(fds, ARRAY_LEN(fds), POLL_MS) < 0)
        return true;
    if (fds[0].revents || (fds[1].revents & (POLLERR | POLLHUP)))
        return false;
    if (fds[2].revents && read(w->folder, events, sizeof(events)) < 0)
        return true;
    return true;
}

void watch_close(struct watch *w)
{
    if (w->signals >= 0)
        close(w->signals);
    if (w->folder >= 0)
        close(w->folder);
    *w = (struct watch){ -1, -1 };
}
