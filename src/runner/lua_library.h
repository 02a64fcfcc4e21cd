/*
 * lua_library.h - what code in a box may call.
 *
 *   has(text, plain)       whether the text contains it        glob(path, pattern)
 *   re(text, regex)        whether the expression matches      tokens(text)   bytes / 4
 *   tostring tonumber type pairs ipairs, and text:lower() :upper() :sub() :len()
 *
 * Lua's own patterns are left out: they can take time without end where no limit reaches them.
 */
#pragma once

#include <lua5.4/lua.h>

void lua_library_open(lua_State *L);

/* Make nil go through everything (see lua_box.h). */
void lua_library_soften_nil(lua_State *L);
