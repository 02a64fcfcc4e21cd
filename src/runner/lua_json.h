/*
 * lua_json.h - JSON values in Lua: scalars become Lua's own, containers stay where they are and are
 * seen through a proxy (`x.key`, `x[1]`, `#x`, `pairs(x)`, `tostring(x)`).
 *
 * A proxy is good only while the event it looks at is being handled: the core (lua_core.h) numbers
 * its runs, and a proxy of another run is an error.
 */
#pragma once

#include "json/json.h"

#include <lua5.4/lua.h>

/* Make the proxies known to a state; once, before anything is pushed. */
void lua_json_open(lua_State *L);

/* Push a value; absent and null are nil. It must live until the run ends. */
void lua_json_push(lua_State *L, const struct json *j);

/* The value behind a proxy; NULL: there is none at that place of the stack. */
const struct json *lua_json_test(lua_State *L, int index);

/* A metamethod for what stands for an event: says how to change it. */
int lua_json_refuse_change(lua_State *L);
