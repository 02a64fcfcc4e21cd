/*
 * hook_make.h - from definitions and entries to hooks. Private to the registry.
 */
#pragma once

#include "hook/hook.h"

struct hook_making {
    struct arena *arena;
    const struct config *config; /* NULL: none */
    struct problems *problems;
    const struct runner *const *runners;
};

/* A built-in, with `entry` (NULL: none) and the later entries of its name laid over it in turn. */
struct hook *hook_make_builtin(const struct hook_making *m, const struct hook_def *def,
                               const struct hook_entry *entry);

/* The hook of an entry. One that its runner cannot load stays, and every run of it fails. */
struct hook *hook_make(const struct hook_making *m, const struct hook_entry *entry, unsigned order);

/* The first entry with that name at or after index `i`, or NULL. */
const struct hook_entry *hook_entry_from(const struct config *c, size_t i, const char *name);

/* NULL: there is none of that kind. */
const struct runner *hook_runner(const struct runner *const *runners, enum runner_kind kind);
