#include "runner/lua_library.h"

#include "base/glob.h"
#include "base/regex.h"
#include "hook/inject.h"

#include <lua5.4/lauxlib.h>
#include <lua5.4/lualib.h>

#define REGEX      "hooke.regex"
#define REGEX_MEMO "hooke.regex.memo" /* compiled expressions by their text */
#define MEMO_MAX   64                 /* an expression may be put together anew each time */

/* The text at a place of the stack; unset for anything that is none. */
static struct str text_at(lua_State *L, int index)
{
    struct str s = { 0 };

    if (lua_type(L, index) == LUA_TSTRING || lua_type(L, index) == LUA_TNUMBER)
        s.ptr = lua_tolstring(L, index, &s.len);
    return s;
}

static int library_has(lua_State *L)
{
    struct str text = text_at(L, 1), plain = text_at(L, 2);

    lua_pushboolean(L, str_is_set(text) && str_is_set(plain) &&
                           (plain.len == 0 || memmem(text.ptr, text.len, plain.ptr, plain.len)));
    return 1;
}

static int library_glob(lua_State *L)
{
    struct str path = text_at(L, 1), pattern = text_at(L, 2);
    int r = str_is_set(path) && str_is_set(pattern) ? glob_match(pattern, path) : 0;

    if (r < 0)
        return luaL_error(L, "glob() gave up on the pattern '%s'", pattern.ptr);
    lua_pushboolean(L, r);
    return 1;
}

static int library_tokens(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)inject_tokens(text_at(L, 1)));
    return 1;
}

/* Regular expressions -------------------------------------------------------------------------- */

static int regex_collect(lua_State *L)
{
    struct regex **re = luaL_checkudata(L, 1, REGEX);

    regex_free(*re);
    *re = NULL;
    return 0;
}

/* Leave the compiled expression of the text at 2 on the stack. */
static const struct regex *compiled(lua_State *L)
{
    struct regex **slot;
    struct err e = { 0 };

    lua_getfield(L, LUA_REGISTRYINDEX, REGEX_MEMO);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, -2) == LUA_TUSERDATA)
        return *(struct regex **)lua_touserdata(L, -1);
    lua_pop(L, 1);
    slot = lua_newuserdatauv(L, sizeof(struct regex *), 0);
    *slot = NULL;
    luaL_setmetatable(L, REGEX);
    if (regex_new(text_at(L, 2), slot, &e) < 0) {
        luaL_error(L, "%s", e.msg);
        return NULL; /* not reached */
    }
    if (lua_rawlen(L, -2) < MEMO_MAX) {
        lua_pushvalue(L, -1);
        lua_rawseti(L, -3, (lua_Integer)lua_rawlen(L, -3) + 1); /* only counts */
        lua_pushvalue(L, 2);
        lua_pushvalue(L, -2);
        lua_rawset(L, -4);
    }
    return *slot;
}

static int library_re(lua_State *L)
{
    struct str text = text_at(L, 1);
    const struct regex *re;
    struct err e = { 0 };
    int r;

    if (lua_type(L, 2) != LUA_TSTRING)
        return luaL_error(L, "re() needs a regular expression as its second argument");
    re = compiled(L);
    r = str_is_set(text) ? regex_match(re, text, &e) : 0;
    if (r < 0)
        return luaL_error(L, "%s", e.msg);
    lua_pushboolean(L, r);
    return 1;
}

/* Opening -------------------------------------------------------------------------------------- */

static void keep_from_base(lua_State *L)
{
    static const char *const kept[] = { "tostring", "tonumber", "type", "pairs", "ipairs" };

    lua_newtable(L);
    luaL_requiref(L, "_G", luaopen_base, 1);
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        lua_getfield(L, -1, kept[i]);
        lua_setfield(L, -3, kept[i]);
    }
    lua_pop(L, 1);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}

/* Upvalue 1 holds the methods texts have. A guard must not rest on one that is not there. */
static int text_index(lua_State *L)
{
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) == LUA_TNIL)
        return luaL_error(L, "texts have no method '%s', use has() or re()",
                          lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?");
    return 1;
}

static void keep_from_string(lua_State *L)
{
    static const char *const kept[] = { "lower", "upper", "sub", "len" };

    lua_newtable(L);
    luaL_requiref(L, "string", luaopen_string, 0);
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        lua_getfield(L, -1, kept[i]);
        lua_setfield(L, -3, kept[i]);
    }
    lua_pop(L, 1);
    lua_pushcclosure(L, text_index, 1);
    lua_pushliteral(L, "");
    lua_newtable(L);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_pop(L, 2);
}

void lua_library_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "has", library_has },       { "re", library_re }, { "glob", library_glob },
        { "tokens", library_tokens }, { NULL, NULL },
    };

    keep_from_base(L);
    keep_from_string(L);
    luaL_newmetatable(L, REGEX);
    lua_pushcfunction(L, regex_collect);
    lua_setfield(L, -2, "__gc");
    lua_pop(L, 1);
    lua_newtable(L);
    lua_setfield(L, LUA_REGISTRYINDEX, REGEX_MEMO);
    lua_pushglobaltable(L);
    luaL_setfuncs(L, functions, 0);
    lua_pop(L, 1);
}

static int give_nil(lua_State *L)
{
    lua_pushnil(L);
    return 1;
}

static int give_false(lua_State *L)
{
    lua_pushboolean(L, 0);
    return 1;
}

static int give_zero(lua_State *L)
{
    lua_pushinteger(L, 0);
    return 1;
}

void lua_library_soften_nil(lua_State *L)
{
    static const luaL_Reg methods[] = {
        { "__index", give_nil }, { "__call", give_nil },   { "__add", give_nil },
        { "__sub", give_nil },   { "__mul", give_nil },    { "__div", give_nil },
        { "__mod", give_nil },   { "__pow", give_nil },    { "__idiv", give_nil },
        { "__band", give_nil },  { "__bor", give_nil },    { "__bxor", give_nil },
        { "__bnot", give_nil },  { "__shl", give_nil },    { "__shr", give_nil },
        { "__unm", give_nil },   { "__concat", give_nil }, { "__lt", give_false },
        { "__le", give_false },  { "__len", give_zero },   { NULL, NULL },
    };

    lua_pushnil(L);
    lua_newtable(L);
    luaL_setfuncs(L, methods, 0);
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}
