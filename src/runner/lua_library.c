#include "runner/lua_library.h"

#include "base/glob.h"
#include "base/regex.h"
#include "hook/inject.h"
#include "runner/lua_core.h"

#include <lua5.4/lauxlib.h>
#include <lua5.4/lualib.h>

#define REGEX          "hooke.regex"
#define REGEX_MEMO     "hooke.regex.memo" /* compiled expressions by their text */
#define MEMO_MAX       64                 /* an expression may be put together anew each time */
#define COMPILE_WORK   1000               /* of an expression, in instructions */
#define BYTES_PER_WORK 64                 /* searched in the time of an instruction */

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

    lua_core_charge(L, text.len / BYTES_PER_WORK);
    lua_pushboolean(L, str_is_set(text) && str_is_set(plain) &&
                           (plain.len == 0 || memmem(text.ptr, text.len, plain.ptr, plain.len)));
    return 1;
}

static int library_glob(lua_State *L)
{
    struct str path = text_at(L, 1), pattern = text_at(L, 2);
    int r;

    lua_core_charge_slow(L, path.len / BYTES_PER_WORK);
    r = str_is_set(path) && str_is_set(pattern) ? glob_match(pattern, path) : 0;
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

/* The compiled expression of the text at 2, left on the stack; NULL: there is no room for it. */
static const struct regex *compiled(lua_State *L)
{
    struct regex **slot;
    struct err e = { 0 };

    lua_getfield(L, LUA_REGISTRYINDEX, REGEX_MEMO);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, -2) == LUA_TUSERDATA)
        return *(struct regex **)lua_touserdata(L, -1);
    lua_pop(L, 1);
    lua_core_charge(L, COMPILE_WORK + lua_rawlen(L, 2));
    if (lua_rawlen(L, -1) >= MEMO_MAX)
        return NULL;
    slot = lua_newuserdatauv(L, sizeof(struct regex *), 0);
    *slot = NULL;
    luaL_setmetatable(L, REGEX);
    if (regex_new(text_at(L, 2), slot, &e) < 0)
        luaL_error(L, "%s", e.msg);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, (lua_Integer)lua_rawlen(L, -3) + 1); /* only counts */
    lua_pushvalue(L, 2);
    lua_pushvalue(L, -2);
    lua_rawset(L, -4);
    return *slot;
}

/* Not left to the collector, which knows nothing of the memory behind an expression. */
static int match_once(struct str text, struct str pattern, struct err *e)
{
    struct regex *re;
    int r = regex_new(pattern, &re, e);

    if (r < 0)
        return r;
    r = regex_match(re, text, e);
    regex_free(re);
    return r;
}

static int library_re(lua_State *L)
{
    struct str text = text_at(L, 1);
    const struct regex *re;
    struct err e = { 0 };
    int r = 0;

    if (lua_type(L, 2) != LUA_TSTRING)
        return luaL_error(L, "re() needs a regular expression as its second argument");
    lua_core_charge_slow(L, text.len / BYTES_PER_WORK);
    re = compiled(L);
    if (str_is_set(text))
        r = re ? regex_match(re, text, &e) : match_once(text, text_at(L, 2), &e);
    if (r < 0)
        return luaL_error(L, "%s", e.msg);
    lua_pushboolean(L, r);
    return 1;
}

/* Opening -------------------------------------------------------------------------------------- */

/* Upvalue 1 holds the methods texts have. A guard must not rest on one that is not there. */
static int text_index(lua_State *L)
{
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) == LUA_TNIL)
        return luaL_error(L, "texts have no method '%s', use has() or re()",
                          lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?");
    return 1;
}

void lua_library_text_methods(lua_State *L)
{
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

void lua_library_keep(lua_State *L, const char *const *names)
{
    for (; *names; names++) {
        lua_getfield(L, -1, *names);
        lua_setfield(L, -3, *names);
    }
    lua_pop(L, 1);
}

static void open_base(lua_State *L)
{
    static const char *const kept[] = { "tostring", "tonumber", "type", "pairs", "ipairs", NULL };

    lua_newtable(L);
    luaL_requiref(L, "_G", luaopen_base, 1);
    lua_library_keep(L, kept);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}

static void open_text_methods(lua_State *L)
{
    static const char *const kept[] = { "lower", "upper", "sub", "len", NULL };

    lua_newtable(L);
    luaL_requiref(L, "string", luaopen_string, 0);
    lua_library_keep(L, kept);
    lua_library_text_methods(L);
}

void lua_library_add(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "has", library_has },       { "re", library_re }, { "glob", library_glob },
        { "tokens", library_tokens }, { NULL, NULL },
    };

    luaL_newmetatable(L, REGEX);
    lua_pushcfunction(L, regex_collect);
    lua_setfield(L, -2, "__gc");
    lua_pop(L, 1);
    lua_newtable(L);
    lua_setfield(L, LUA_REGISTRYINDEX, REGEX_MEMO);
    luaL_setfuncs(L, functions, 0);
}

void lua_library_open(lua_State *L)
{
    open_base(L);
    open_text_methods(L);
    lua_pushglobaltable(L);
    lua_library_add(L);
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

void lua_library_soften_nil(lua_State *L, bool calls)
{
    static const luaL_Reg methods[] = {
        { "__index", give_nil },  { "__add", give_nil },  { "__sub", give_nil },
        { "__mul", give_nil },    { "__div", give_nil },  { "__mod", give_nil },
        { "__pow", give_nil },    { "__idiv", give_nil }, { "__band", give_nil },
        { "__bor", give_nil },    { "__bxor", give_nil }, { "__bnot", give_nil },
        { "__shl", give_nil },    { "__shr", give_nil },  { "__unm", give_nil },
        { "__concat", give_nil }, { "__lt", give_false }, { "__le", give_false },
        { "__len", give_zero },   { NULL, NULL },
    };

    lua_pushnil(L);
    lua_newtable(L);
    luaL_setfuncs(L, methods, 0);
    if (calls) {
        lua_pushcfunction(L, give_nil);
        lua_setfield(L, -2, "__call");
    }
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}
