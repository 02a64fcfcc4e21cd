/*
 * registry.h - all hooks of one configuration, in order, immutable and shared by reference.
 *
 * The order is total: layer, then priority (higher first), then configuration order, then name.
 */
#pragma once

#include "hook/hook.h"

struct registry_sources {
    struct config *config;              /* owned by the registry from here on; NULL: none */
    const struct registry *same_config; /* instead: the configuration of this registry */
    const struct hook_def *const *builtins;
    const struct runner *const *runners;
    bool use_builtins;
    const char *const *used; /* built-ins used by name, ended by NULL */
    const struct hook *callbacks;
    size_t callback_count;
    bool no_hooks;       /* but safety-critical ones and built-ins that stay */
    uint64_t generation; /* of the hooks that were used and registered */
};

/* Comes with one reference. */
struct registry *registry_new(const struct registry_sources *from);
struct registry *registry_ref(struct registry *reg);
void registry_unref(struct registry *reg);

uint64_t registry_generation(const struct registry *reg);

const struct config *registry_config(const struct registry *reg);

/* All hooks, in order. */
const struct hook *const *registry_hooks(const struct registry *reg, size_t *count);
const struct hook *registry_find(const struct registry *reg, const char *name);

/* The hooks that subscribe to a point, matching or not, in order. */
const struct hook *const *registry_at(const struct registry *reg, enum point point, size_t *count);

/* The first of these hooks that is in force and must not be passed over; NULL: none is. */
const struct hook *registry_critical(const struct hook *const *hooks, size_t count);

/* The callback of that name, and the hook that offers it: the first that is on. NULL: none. */
const struct hook_callback *registry_callback(const struct registry *reg, const char *name,
                                              const struct hook **hook);

/*
 * The cadence named for a point, as far as it goes for this hook (NULL: any): a locked one is
 * slowed only by the managed configuration.
 */
const struct cadence *registry_cadence(const struct registry *reg, const struct hook *h,
                                       enum point point);

/* Chains --------------------------------------------------------------------------------------- */

/* What decides whether a hook matches an event. */
struct chain_key {
    enum point point;
    struct str tool, agent;
    bool sub;
    enum result_match result; /* of the tool */
};

struct chain {
    const struct hook *const *hooks; /* observers last */
    size_t count, observers;         /* index of the first observer */
};

/* Why a hook at the point does not match, in a few words; NULL when it matches. */
const char *chain_mismatch(const struct hook *h, const struct chain_key *key);

/* By which of its subscriptions a hook matches; NULL: by none. */
const struct subscription *chain_subscription(const struct hook *h, const struct chain_key *key);

/* The hooks that match, found once per key and kept. `a` is used where the cache is full. */
const struct chain *registry_chain(struct registry *reg, const struct chain_key *key,
                                   struct arena *a);

struct chain_key chain_key_of(struct arena *a, const struct event *ev);
