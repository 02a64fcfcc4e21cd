#include "runner/script_library.h"

#include "runner/lua_core.h"
#include "runner/lua_freeze.h"
#include "runner/lua_library.h"

#include <ctype.h>
#include <lua5.4/lauxlib.h>
#include <lua5.4/lualib.h>
#include <string.h>

#define BYTES_PER_WORK 32 /* of a text, looked at one by one in the time of an instruction */
#define PIECE_WORK     8  /* of a piece cut off a text */

/* What Lua does in one go ---------------------------------------------------------------------- */

/* Upvalue 1 is the function of Lua's; what it walks through, a text or a list, is its first one. */
static int call_charged(lua_State *L)
{
    lua_CFunction function = lua_tocfunction(L, lua_upvalueindex(1));
    uint64_t work = 0;

    if (lua_type(L, 1) == LUA_TSTRING)
        work = lua_rawlen(L, 1) / BYTES_PER_WORK;
    else if (lua_istable(L, 1))
        work = (uint64_t)luaL_len(L, 1);
    lua_core_charge(L, work);
    return function(L);
}

/* Sorting takes more than one walk. */
static int sort_charged(lua_State *L)
{
    lua_CFunction function = lua_tocfunction(L, lua_upvalueindex(1));

    lua_core_charge_slow(L, lua_istable(L, 1) ? (uint64_t)luaL_len(L, 1) * 32 : 0);
    return function(L);
}

/* The fields of the table on top, which goes, into the one below, as closures of `with`. */
static void keep_charged(lua_State *L, const char *const *names, lua_CFunction with)
{
    for (; *names; names++) {
        lua_getfield(L, -1, *names);
        lua_pushcclosure(L, with, 1);
        lua_setfield(L, -3, *names);
    }
    lua_pop(L, 1);
}

/* Errors --------------------------------------------------------------------------------------- */

/* A limit that was passed is no error to live with. */
static int library_pcall(lua_State *L)
{
    int status;

    luaL_checkany(L, 1);
    status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
    if (status != LUA_OK && lua_core_of(L)->over)
        return lua_error(L);
    lua_pushboolean(L, status == LUA_OK);
    lua_insert(L, 1);
    return lua_gettop(L);
}

static int refuse_name(lua_State *L)
{
    return luaL_error(L, "unknown name '%s'", luaL_tolstring(L, 2, NULL));
}

/* Texts ---------------------------------------------------------------------------------------- */

static int text_trim(lua_State *L)
{
    struct str s;

    s.ptr = luaL_checklstring(L, 1, &s.len);
    s = str_trim(s);
    lua_pushlstring(L, s.ptr, s.len);
    return 1;
}

static int text_starts(lua_State *L)
{
    struct str s, with;

    s.ptr = luaL_checklstring(L, 1, &s.len);
    with.ptr = luaL_checklstring(L, 2, &with.len);
    lua_pushboolean(L, str_starts(s, with));
    return 1;
}

static int text_ends(lua_State *L)
{
    struct str s, with;

    s.ptr = luaL_checklstring(L, 1, &s.len);
    with.ptr = luaL_checklstring(L, 2, &with.len);
    lua_pushboolean(L, str_ends(s, with));
    return 1;
}

/* text:split(separator): the pieces between, a list; of nothing one empty piece. */
static int text_split(lua_State *L)
{
    struct str s, by;
    lua_Integer count = 0;
    const char *at;

    s.ptr = luaL_checklstring(L, 1, &s.len);
    by.ptr = luaL_checklstring(L, 2, &by.len);
    luaL_argcheck(L, by.len > 0, 2, "must not be empty");
    lua_newtable(L);
    while ((at = memmem(s.ptr, s.len, by.ptr, by.len))) {
        size_t len = (size_t)(at - s.ptr);

        lua_core_charge(L, PIECE_WORK + len / BYTES_PER_WORK);
        lua_pushlstring(L, s.ptr, len);
        lua_rawseti(L, -2, ++count);
        s.ptr += len + by.len;
        s.len -= len + by.len;
    }
    lua_pushlstring(L, s.ptr, s.len);
    lua_rawseti(L, -2, ++count);
    return 1;
}

/* Lua repeats nothing as often as it is told to, without allocating or an instruction. */
static int text_rep(lua_State *L)
{
    lua_CFunction function = lua_tocfunction(L, lua_upvalueindex(1));
    size_t len = 0, separator = 0;

    (void)luaL_checklstring(L, 1, &len);
    (void)luaL_optlstring(L, 3, "", &separator);
    if (len + separator > 0)
        return function(L);
    (void)luaL_checkinteger(L, 2);
    lua_pushliteral(L, "");
    return 1;
}

static void open_string(lua_State *L)
{
    static const char *const kept[] = { "byte", "char",    "format", "len", "lower",
                                        "sub",  "reverse", "upper",  NULL };
    static const char *const repeating[] = { "rep", NULL };
    static const luaL_Reg own[] = {
        { "trim", text_trim }, { "starts", text_starts },
        { "ends", text_ends }, { "split", text_split },
        { NULL, NULL },
    };

    lua_newtable(L);
    luaL_requiref(L, "string", luaopen_string, 0);
    lua_library_keep(L, kept);
    luaL_requiref(L, "string", luaopen_string, 0);
    keep_charged(L, repeating, text_rep);
    luaL_setfuncs(L, own, 0);
    lua_pushvalue(L, -1);
    lua_library_text_methods(L);
    lua_setfield(L, -2, "string");
}

/* The rest ------------------------------------------------------------------------------------- */

static void open_base(lua_State *L)
{
    static const char *const kept[] = { "assert", "error", "ipairs",   "pairs",
                                        "select", "type",  "tostring", NULL };
    static const char *const charged[] = { "tonumber", NULL };

    luaL_requiref(L, "_G", luaopen_base, 0);
    lua_pushvalue(L, -1);
    lua_insert(L, -3); /* _G, table, _G */
    lua_library_keep(L, kept);
    lua_insert(L, -2); /* table, _G */
    keep_charged(L, charged, call_charged);
    lua_pushcfunction(L, library_pcall);
    lua_setfield(L, -2, "pcall");
}

static void open_table(lua_State *L)
{
    static const char *const kept[] = { "concat", "insert", "remove", "unpack", "pack", NULL };
    static const char *const sort[] = { "sort", NULL };

    lua_newtable(L);
    luaL_requiref(L, "table", luaopen_table, 0);
    keep_charged(L, kept, call_charged);
    luaL_requiref(L, "table", luaopen_table, 0);
    keep_charged(L, sort, sort_charged);
    lua_freeze_table(L);
    lua_setfield(L, -2, "table");
}

static void open_math(lua_State *L)
{
    static const char *const kept[] = {
        "abs", "ceil",       "cos",       "exp",        "floor",  "fmod", "huge", "log",
        "max", "maxinteger", "min",       "mininteger", "modf",   "pi",   "sin",  "sqrt",
        "tan", "type",       "tointeger", "ult",        "random", NULL,
    };

    lua_newtable(L);
    luaL_requiref(L, "math", luaopen_math, 0);
    lua_library_keep(L, kept);
    lua_freeze_table(L);
    lua_setfield(L, -2, "math");
}

static void open_utf8(lua_State *L)
{
    static const char *const kept[] = { "char", "codepoint", "codes", "len", "offset", NULL };

    lua_newtable(L);
    luaL_requiref(L, "utf8", luaopen_utf8, 0);
    keep_charged(L, kept, call_charged);
    lua_freeze_table(L);
    lua_setfield(L, -2, "utf8");
}

void script_library_open(lua_State *L)
{
    lua_newtable(L);
    open_base(L);
    open_string(L);
    open_table(L);
    open_math(L);
    open_utf8(L);
    lua_library_add(L);
    lua_newtable(L);
    lua_pushcfunction(L, refuse_name);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
}
