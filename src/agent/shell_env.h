/*
 * shell_env.h - the environment of the commands a model runs: this process's, without the keys of
 * providers and without what HOOKE_* variables tell this process; with HOOKE_SESSION, and with what
 * hooks add.
 */
#pragma once

#include "hook/config.h"
#include "json/json.h"

/* Changes as in proc.h, in the arena. `added`: names and texts, an object; NULL: none. */
const char *const *shell_env(struct arena *a, const struct config *config, const char *session,
                             const struct json *added);
