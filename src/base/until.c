#include "base/until.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void watch(const struct until *u, int fd, uint32_t events)
{
    struct epoll_event in = { .events = events };

    if (fd > 0 && u->set > 0)
        (void)epoll_ctl(u->set, EPOLL_CTL_ADD, fd, &in);
}

void until_watch(struct until *u, int fd)
{
    watch(u, fd, EPOLLIN | EPOLLHUP);
}

void until_watch_end(struct until *u, int fd)
{
    watch(u, fd, EPOLLHUP);
}

static void watch_clock(struct until *u, uint64_t deadline_ns)
{
    const struct itimerspec at = {
        .it_value = { (time_t)(deadline_ns / 1000000000u), (long)(deadline_ns % 1000000000u) },
    };

    u->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (u->timer > 0 && timerfd_settime(u->timer, TFD_TIMER_ABSTIME, &at, NULL) == 0)
        until_watch(u, u->timer);
}

void until_open(struct until *u, uint64_t deadline_ns, int abort_fd)
{
    *u = (struct until){ .fd = abort_fd };
    u->set = epoll_create1(EPOLL_CLOEXEC);
    if (u->set <= 0)
        return;
    u->fd = u->set;
    until_watch(u, abort_fd);
    if (deadline_ns)
        watch_clock(u, deadline_ns);
}

void until_cleanup(struct until *u)
{
    if (u->timer > 0)
        close(u->timer);
    if (u->set > 0)
        close(u->set);
    *u = (struct until){ 0 };
}
