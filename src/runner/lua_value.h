/*
 * lua_value.h - Lua's own values as JSON, and back.
 *
 * A table whose keys are 1 to n is an array, one whose keys are texts an object, with its keys in
 * the order of their bytes, so that the same answer has the same bytes. An empty table is an object
 * unless lua_value_open()'s function `array` has marked it. `null` stands for null, since nil means
 * that there is no such field. A proxy (lua_json.h) is the very value it looks at.
 */
#pragma once

#include "json/json.h"

#include <lua5.4/lua.h>

/* Put `array` and `null` into the table on top of the stack. */
void lua_value_open(lua_State *L);

/*
 * The value at a place of the stack, in the arena. What JSON cannot hold, and what is nested too
 * deep or too large, is an error of Lua's: `what` and the keys that lead there are named.
 */
const struct json *lua_value_to_json(lua_State *L, int index, struct arena *a, const char *what);

/* Push a copy: containers become tables of the state's own. */
void lua_value_push(lua_State *L, const struct json *j);

/* Whether a table was marked as an array. */
bool lua_value_is_array(lua_State *L, int index);
