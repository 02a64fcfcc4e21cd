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
};

/*
 * Of `p` this takes argv, env, cwd and fallback; `fed`: stdin is a pipe, else /dev/null. False: `r`
 * says in `step` and `error` why not, and nothing is left open.
 */
bool launch(const struct proc *p, bool fed, struct launched *to, struct proc_result *r);

/* Our ends no longer block. */
void launch_unblock(const struct launched *l);

/* Wait until the child is gone and take its status into `r`, whose end is set unless it was. */
void launch_reap(int pidfd, struct proc_result *r);

/* write() without SIGPIPE: a child that does not read gives EPIPE and no more. */
ssize_t launch_write(int fd, struct str text);
