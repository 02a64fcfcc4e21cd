/*
 * scrub.h - variables of the environment that a system keeps from its hooks.
 *
 *     const char **env = scrub_environment(a, is_telemetry, 2);
 *     env[count++] = …
 */
#pragma once

#include "base/arena.h"

/*
 * The names of all variables here for which `drops` holds, `*count` of them, with room for `room`
 * more entries and a NULL. Among what dialect->variables() gives, a name without a value takes the
 * variable out.
 */
const char **scrub_environment(struct arena *a, bool (*drops)(const char *name), size_t room,
                               size_t *count);
