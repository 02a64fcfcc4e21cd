/*
 * live.h - a child that is kept: any number of lines to its stdin, any number of lines from its
 * stdout, until it is told to go.
 *
 *     struct live *l = live_start(&p, &why);
 *     live_send(l, line);
 *     while (live_line(l, &line) == 0)
 *         live_turn(l, deadline_ns);
 *     live_end(l, &limits, &how);
 *
 * Of struct proc this takes argv, env and cwd, out_max (the longest line) and err_max (how much of
 * stderr is kept); all of it is borrowed for the call only. The child is started as any other (see
 * proc.h): a session and group of its own, no descriptor but 0, 1 and 2.
 *
 * Nothing here blocks but live_wait(), live_turn() and live_end(). What the child does not read is
 * kept, up to LIVE_UNSENT_MAX; its stderr is read along, so that it cannot fill up while somebody
 * waits. A child that is gone, or has closed its stdout, is `over`: lines that were complete by
 * then can still be had. What is sent to it then is lost.
 *
 * Threads: the owner has a lock. live_wait() is called without it, everything else with it; while
 * one thread waits, others may send: live_send() wakes it up where it matters.
 */
#pragma once

#include "proc/proc.h"

#include <poll.h>

#define LIVE_UNSENT_MAX ((size_t)8 << 20)

struct live;

/* NULL: `why`, to be released, says why not; see proc_explain(). */
struct live *live_start(const struct proc *p, struct proc_result *why);

/* -ENOBUFS: too much is unread already. That the child is gone is no error: see live_unread(). */
MUST_CHECK int live_send(struct live *l, struct str text);

/* How many bytes were sent so far, and how many of them, the last ones, the child never read. */
uint64_t live_sent(const struct live *l);
uint64_t live_unread(const struct live *l);

/*
 * The next complete line, without its newline, good until the next call for this child. 1: there is
 * one; 0: not yet; -EMSGSIZE: one was too long, and this is its beginning.
 */
int live_line(struct live *l, struct str *line);

/* Whether nothing more will come: it is gone, or has closed its stdout. */
bool live_is_over(const struct live *l);

/* What it has written to stderr, its head, since it was last forgotten. */
struct str live_stderr(const struct live *l);
void live_forget_stderr(struct live *l);

/* The same once it is over: some of it may have come after its stdout was seen to end. */
struct str live_last_words(struct live *l);

/* One turn of the loop, in three steps because of the lock: what to wait for, waiting, serving. */
struct live_poll {
    struct pollfd slots[5];
};
void live_prepare(const struct live *l, struct live_poll *p);
void live_wait(struct live_poll *p, uint64_t deadline_ns);
void live_serve(struct live *l, const struct live_poll *p);

/* Take what has arrived without waiting: a quick child may have answered before anybody could wait.
 */
void live_look(struct live *l);

/* The three at once, for who has no lock. */
void live_turn(struct live *l, uint64_t deadline_ns);

/* Whether the child itself is gone, at the latest at the deadline. */
bool live_await_exit(struct live *l, uint64_t deadline_ns);

/* How long it may take to leave: after its stdin has ended, and after SIGTERM. */
struct live_limits {
    uint64_t leave_ns, grace_ns;
};

/*
 * End it, reap it and forget it: its stdin ends, then its group gets SIGTERM, then SIGKILL, which
 * the rest of the group gets in any case. `how` says how it ended: PROC_EXITED or PROC_SIGNALED by
 * itself, PROC_TIMED_OUT when it had to be told.
 */
void live_end(struct live *l, const struct live_limits *limits, struct proc_result *how);
