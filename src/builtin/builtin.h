/*
 * builtin.h - the built-in hooks, one file each, listed in builtin.def.
 */
#pragma once

#include "hook/hook.h"

/* Sorted by name, ended by NULL. */
extern const struct hook_def *const builtin_hooks[];
