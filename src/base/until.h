/*
 * until.h - one descriptor for "it is time to give up": a deadline has passed, or one of some
 * descriptors has become readable or was hung up.
 *
 *     CLEANUP(until) struct until u;
 *     until_open(&u, deadline_ns, abort_fd);
 *     … wait for your own things and for u.fd, which is never read …
 *
 * For waits that know only one `abort_fd`. A descriptor may be closed while it is watched: then it
 * counts no more. Where the system gives no descriptors, `fd` is the first that was to be watched.
 */
#pragma once

#include <stdint.h>

struct until {
    int fd; /* 0: nothing to wait for */
    int set, timer;
};

/* `deadline_ns` on the monotonic clock, 0: none; `abort_fd` 0: none. */
void until_open(struct until *u, uint64_t deadline_ns, int abort_fd);

/* Watch one more. 0 is none. */
void until_watch(struct until *u, int fd);

/* Of a socket: whether the other end has gone. What can be read from it does not matter. */
void until_watch_end(struct until *u, int fd);
void until_cleanup(struct until *u);
