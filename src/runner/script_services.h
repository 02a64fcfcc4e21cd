/*
 * script_services.h - what the engine does for a script: `hooke.state` and `hooke.log`.
 *
 * A value of the state is whatever JSON can hold. In the store it is JSON, but a text that could
 * not be mistaken for JSON is kept as it is, so that `hooke state` shows and sets plain texts.
 */
#pragma once

#include <lua5.4/lua.h>

/* Put `state` and `log` into the table on top of the stack. */
void script_services_open(lua_State *L);
