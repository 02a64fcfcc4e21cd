/*
 * lua_json.h - JSON values in Lua: scalars become Lua's own, containers stay where they are and are
 * seen through a proxy (`x.key`, `x[1]`, `#x`, `pairs(x)`, `tostring(x)`).
 *
 * A proxy is good only while the event it looks at is being handled.
 */
#pragma once

#include "json/json.h"

#include <lua5.4/lua.h>

/* Make the proxies known to a state; once, before anything is pushed. */
void lua_json_open(lua_State *L);

/*
 * Push a value; absent and null are nil. `scratch` is where texts are decoded on their way into the
 * state, whose memory is counted: it is emptied at every use and must outlive the proxies.
 */
void lua_json_push(lua_State *L, struct arena *scratch, const struct json *j);
