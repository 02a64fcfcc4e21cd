/*
 * input.h - a JSON object given on the command line: as text, as @FILE, or as - for standard input.
 */
#pragma once

#include "cli/cli.h"

/* NULL when it is none: the place and the reason were said and `*rc` is the exit code. */
const struct json *input_object(struct cli *cli, const char *flag, const char *value, int *rc);
