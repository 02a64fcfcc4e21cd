/*
 * lua_freeze.h - make what a script has set up read-only.
 *
 * Several states may run one script, each with what the script set up in it: whoever changed that
 * would see the change now and then. So after loading every table that is within reach is frozen
 * (its content moves behind a metatable that refuses to change it), and the local variables that
 * functions share are remembered: lua_freeze_check() puts back what a run has changed and names it.
 */
#pragma once

#include <lua5.4/lua.h>
#include <stdbool.h>

/* Freeze the table on top of the stack alone. May raise an error, as all but the last of these. */
void lua_freeze_table(lua_State *L);

/* Freeze whatever can be reached from the value on top of the stack, which goes. */
void lua_freeze_reachable(lua_State *L);

/* Push the content of the table at `index`: for one that is not frozen itself. */
void lua_freeze_push_content(lua_State *L, int index);

/* Put back variables that were changed; the name of one of them, or NULL. */
const char *lua_freeze_check(lua_State *L);
