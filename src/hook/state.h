/*
 * state.h - what a hook remembers: texts by key, per session and hook, in the store.
 *
 * Keys that begin with '@' are the engine's own: what a script or program asks for goes through
 * state_key_fault() first.
 */
#pragma once

#include "hook/engine.h"

#define STATE_KEY_MAX 4096

/* Why a hook may not use the key, in words that follow its name: "must …"; NULL: it may. */
const char *state_key_fault(struct str key);

/* Unset when there is none. */
MUST_CHECK int state_get(const struct hook_call *c, const char *key, struct str *value,
                         struct err *e);
MUST_CHECK int state_set(const struct hook_call *c, const char *key, struct str value,
                         struct err *e);
MUST_CHECK int state_incr(const struct hook_call *c, const char *key, int64_t by, int64_t *now,
                          struct err *e);
MUST_CHECK int state_update(const struct hook_call *c, const char *key, store_decide_fn *decide,
                            void *context, struct err *e);
