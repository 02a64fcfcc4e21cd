/*
 * config_view.h - the values in force as lines, and the files they may come from.
 */
#pragma once

#include "cli/cli.h"
#include "hook/registry.h"

/* Print the values below `key` (NULL: all), one line per leaf. Returns the exit code. */
int config_view_show(struct cli *cli, const struct setting *root, const char *key, bool origin,
                     bool json);

/* The files that were looked for: whether each is there, whether it is trusted. */
void config_view_paths(struct cli *cli, const struct config *config, bool json);

/* How many of them were there. */
size_t config_view_count(const struct config *config);
