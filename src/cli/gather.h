/*
 * gather.h - events saved to a folder as they happen, until there are enough of them.
 */
#pragma once

#include "cli/cli.h"
#include "hook/capture.h"

/*
 * Has every engine of the user save the events that `q` wants, until `most` have come (0: no
 * limit), SIGINT or SIGTERM, or until standard output is closed. `q->dir` is made if need be.
 * Returns the exit code.
 */
int gather_events(struct cli *cli, const struct capture_request *q, size_t most);
