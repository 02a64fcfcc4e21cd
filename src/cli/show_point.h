/*
 * show_point.h - a point in words and as JSON; and the lines `hooke show` is made of.
 */
#pragma once

#include "cli/cli.h"

void show_title(struct cli *cli, const char *name, const char *summary);

/* One labelled value, broken where the terminal ends. */
void show_field(struct cli *cli, const char *label, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* `cadence` is the one named for the point; may be NULL. */
void show_point(struct cli *cli, enum point point, const struct cadence *cadence, bool json);
