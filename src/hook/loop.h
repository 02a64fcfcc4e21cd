/*
 * loop.h - loops end: how often hooks may keep an agent going.
 *
 * Whoever runs a session keeps one `struct loop` for it, tells it when the user speaks and when a
 * tool runs, and asks before following a continuation or a callback.
 */
#pragma once

#include "base/arena.h"

#include <stdint.h>

#define LOOP_CONTINUATIONS 8 /* in a row, unless `limits.continuations` says otherwise */

struct loop {
    unsigned continuations; /* since the user spoke */
    uint64_t last_reason;   /* hash; 0: none */
    bool tool_ran;          /* since the last continuation */
    bool in_callback;
};

void loop_user_spoke(struct loop *l);
void loop_tool_ran(struct loop *l);

/*
 * Whether a continuation for this reason may happen; it is counted when it may. Else `why` says in
 * one line why not.
 */
bool loop_continue(struct loop *l, unsigned limit, const char *reason, struct arena *a,
                   const char **why);

/* Whether a callback may start: never from inside one. */
bool loop_may_call(const struct loop *l, const char **why);

/* The same, and it starts. Balance with loop_callback_ended(). */
bool loop_callback(struct loop *l, const char **why);
void loop_callback_ended(struct loop *l);
