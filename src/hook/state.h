/*
 * state.h - what a hook remembers: texts by key, per session and hook, in the store.
 *
 * Keys that begin with '@' are the engine's own.
 */
#pragma once

#include "hook/engine.h"

/* Unset when there is none. */
MUST_CHECK int state_get(const struct hook_call *c, const char *key, struct str *value,
                         struct err *e);
MUST_CHECK int state_set(const struct hook_call *c, const char *key, struct str value,
                         struct err *e);
MUST_CHECK int state_incr(const struct hook_call *c, const char *key, int64_t by, int64_t *now,
                          struct err *e);
MUST_CHECK int state_update(const struct hook_call *c, const char *key, store_decide_fn *decide,
                            void *context, struct err *e);

/* 1 the first time it is asked for this key in this session, 0 ever after. */
MUST_CHECK int state_once(const struct hook_call *c, const char *key, struct err *e);
