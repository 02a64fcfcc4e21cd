/*
 * script_library.h - what a script may call besides `hooke`: the library of conditions
 * (lua_library.h), and more of Lua's own.
 *
 * Left out, and why: files, processes, modules, load - a script decides, it does not act; Lua's
 * patterns - no limit reaches them; metatables - finalizers run where no limit reaches; coroutines
 * - they would outlive the event they were made for.
 */
#pragma once

#include <lua5.4/lua.h>

/*
 * Leave on the stack a table with everything in it, whose own tables are frozen. A name it does not
 * have is an error.
 */
void script_library_open(lua_State *L);
