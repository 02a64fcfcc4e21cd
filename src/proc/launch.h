/*
 * launch.h - a child with pipes on its descriptors 0, 1 and 2. Private to src/proc.
 *
 * Whoever launches owns our ends of the pipes and the pidfd, and has to reap.
 */
#pragma once

#include "proc/proc.h"

#include <sys/types.h>

struct launched {
    pid_t pid;
    int pidfd;
    int pipes[3]; /* our ends: of its stdin, stdout and stderr; -1: none */
    int held;     /* of its stdin the other end, which it has too; -1: only it has it */
};

enum launch_input {
    LAUNCH_NULL, /* stdin is /dev/null */
    LAUNCH_FED,  /* a pipe */
    LAUNCH_HELD, /* a pipe whose other end we hold as well: writing never raises SIGPIPE */
};

/*
 * Of `p` this takes argv, env, cwd and fallback. False: `r` says in `step` and `error` why not, and
 * nothing is left open.
 */
bool launch(const struct proc *p, enum launch_input input, struct launched *to,
            struct proc_result *r);

/* Our ends no longer block. */
void launch_unblock(const struct launched *l);

/* Wait until the child is gone and take its status into `r`, whose end is set unless it was. */
void launch_reap(int pidfd, struct proc_result *r);

/* write() without SIGPIPE: a child that does not read gives EPIPE and no more. */
ssize_t launch_write(int fd, struct str text);
