/*
 * lua_core.h - a Lua 5.4 state with limits: memory, work, and the time of the call it works for.
 *
 *     lua_core_open(&core, open_libraries);
 *     lua_core_begin(&core, call, call->deadline_ns);
 *     … push a function and its arguments …
 *     r = lua_core_call(&core, arguments, results, e);
 *     lua_core_end(&core);
 *
 * Work is counted in instructions; what is done in C at one go (a text of a megabyte is copied, a
 * long list is walked) is charged in the same measure, and the clock is looked at as often. A run
 * that has passed a limit stays over: whatever catches the error must raise it again.
 * One state is for one thread at a time.
 */
#pragma once

#include "hook/hook.h"

#include <lua5.4/lua.h>

enum lua_over { LUA_WITHIN, LUA_ENDLESS, LUA_LATE };

struct lua_core {
    lua_State *L;
    size_t memory, memory_max;
    uint64_t work, looked; /* of this run; at the last look at the clock */
    uint64_t deadline_ns;
    uint64_t run; /* its number: what was pushed in another run is no longer good */
    enum lua_over over;
    bool traces;                  /* messages say who called */
    const struct hook_call *call; /* of this run; NULL: none */
    const char *callback;         /* that this run is of; NULL: it is of an event */
    bool updating;                /* in the middle of the store's work: nothing slow may begin */
    struct arena scratch;         /* for what passes into the state, whose memory is counted */
    struct arena held;            /* for what must outlive that, until the run ends */
};

/* `open` is called inside the state, to fill it. */
void lua_core_open(struct lua_core *core, lua_CFunction open);
void lua_core_close(struct lua_core *core);

/* The core of a state that lua_core_open() has made. */
struct lua_core *lua_core_of(lua_State *L);

/* A run, of which `call` may be NULL, begins and ends. */
void lua_core_begin(struct lua_core *core, const struct hook_call *call, uint64_t deadline_ns);
void lua_core_end(struct lua_core *core);

/* Call what was pushed. On failure the stack is empty; -ETIMEDOUT: the deadline has passed. */
MUST_CHECK int lua_core_call(struct lua_core *core, int arguments, int results, struct err *e);

/* For C functions: so much was done that takes as long as `work` instructions. May not return. */
void lua_core_charge(lua_State *L, uint64_t work);

/* The same, and look at the clock now: something slow is about to begin. */
void lua_core_charge_slow(lua_State *L, uint64_t work);
