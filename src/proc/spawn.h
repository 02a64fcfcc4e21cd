/*
 * spawn.h - start one process. Private to src/proc.
 *
 * spawn_child() returns when the program runs or it is certain that it will not; a process that
 * failed on the way has been reaped by then. On success the caller owns `pidfd` and has to reap.
 */
#pragma once

#include "proc/proc.h"

#include <sys/types.h>

struct spawn {
    char *const *argv, *const *env;
    char *const *candidates; /* of env_candidates() */
    const char *cwd;         /* NULL: stay */
    int stdio[3];            /* all above 2 */
    bool fallback;
};

struct spawned {
    pid_t pid;
    int pidfd;
    enum proc_step step; /* PROC_STEP_NONE: it runs */
    int error;
};

void spawn_child(const struct spawn *s, struct spawned *to);
