/*
 * find.h - hooks that people already have: files in the folders of hooke, Kodelet and acai, and the
 * `hooks` of Claude's settings. Each becomes an entry in the shape of an item of `hooks`.
 *
 *     struct config_where where = { .find = find_hooks };
 *     CLEANUP(config) struct config *c = config_load(&where);
 *
 * docs/finding-hooks.md says what is found where, and what it is called. Nothing of a workspace is
 * run or read before it is trusted, and nothing of it displaces a hook of the user.
 */
#pragma once

#include "hook/config.h"

config_find_fn find_hooks;
