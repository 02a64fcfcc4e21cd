/*
 * scratch.h - a store for one try: hooks remember as ever, and nothing of it is left behind.
 *
 * A file, not memory: commands share it with the hooks in process through HOOKE_STORE, which is set
 * for them. It goes with scratch_close(), and when SIGINT, SIGTERM or SIGHUP ends the program.
 */
#pragma once

#include "cli/cli.h"

struct scratch {
    char *store; /* NULL: not open */
};

/* False: said why, `*rc` is the exit code. One at a time. */
MUST_CHECK bool scratch_open(struct cli *cli, struct scratch *s, int *rc);
void scratch_close(struct scratch *s);

static inline void scratch_cleanup(struct scratch *s)
{
    scratch_close(s);
}
