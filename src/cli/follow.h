/*
 * follow.h - receipts as they come, until the reader has enough.
 */
#pragma once

#include "cli/cli.h"

/* Prints what `q` finds now, then whatever is added, until SIGINT or SIGTERM, or until standard
 * output is closed. Returns the exit code. */
int follow_receipts(struct cli *cli, struct runtime *rt, const struct store_query *q, bool json);
