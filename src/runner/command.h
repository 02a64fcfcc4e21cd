/*
 * command.h - hooks that are programs, a process per event: one, or a group that runs side by side.
 *
 * `exec` as a text is run by /bin/sh -c, or the shell of its dialect; as a list it is executed
 * directly, a path with a slash being relative to the configuration file. Either way it works in
 * the session's folder, with HOOKE_SESSION, HOOKE_HOOK, HOOKE_POINT and HOOKE_DEPTH in its
 * environment (and HOOKE_AGAIN, when a guard looks at changed args), and what its dialect promises
 * besides, and without the keys of model providers unless its `env` names them.
 */
#pragma once

#include "hook/hook.h"

extern const struct runner command_runner;
