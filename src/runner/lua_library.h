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
#include <stdbool.h>

void lua_library_open(lua_State *L);

/* The parts of it, for who opens more: has, re, glob and tokens into the table on top; */
void lua_library_add(lua_State *L);

/* fields of the table on top, which goes, into the one below; */
void lua_library_keep(lua_State *L, const char *const *names);

/* the table on top, which goes, as what texts have for methods. */
void lua_library_text_methods(lua_State *L);

/* Make nil go through everything (see lua_box.h); calling it too, or not. */
void lua_library_soften_nil(lua_State *L, bool calls);
