/*
 * lua_box.h - a Lua 5.4 state in a box: no files, no network, no operating system; bounded memory
 * and instructions; JSON values of the event seen through proxies, never converted whole.
 *
 *     struct lua_box *box = lua_box_new();
 *     r = lua_box_load(box, "=config.yaml", 9, "tool == \"bash\"", e);
 *     r = lua_box_test(box, call, &truth, e);
 *
 * What is missing is nil, and nil goes through everything: indexing it, calculating with it and
 * calling it give nil, comparing with it is false. So a rule copes with any field being absent.
 * One box is for one thread at a time and for one piece of code.
 */
#pragma once

#include "hook/hook.h"

struct lua_box;

/* Names that code may use besides the event's data: session words, then the library. */
extern const char *const lua_box_words[];   /* ended by NULL */
extern const char *const lua_box_library[]; /* ended by NULL */

struct lua_box *lua_box_new(void);
void lua_box_free(struct lua_box *box);

/* Compile an expression. `file` and `line` are where its text stands: errors name them. */
MUST_CHECK int lua_box_load(struct lua_box *box, const char *file, unsigned line, struct str text,
                            struct err *e);

/* Evaluate it for a call. */
MUST_CHECK int lua_box_test(struct lua_box *box, const struct hook_call *c, bool *truth,
                            struct err *e);
