#include "runner/lua_json.h"

#include <lua5.4/lauxlib.h>

#define PROXY "hooke.json"

struct proxy {
    const struct json *value;
    struct arena *scratch;
};

static void push_number(lua_State *L, const struct json *j)
{
    int64_t whole;
    double real = 0;

    if (json_to_int64(j, &whole) == 0)
        lua_pushinteger(L, whole);
    else if (json_to_double(j, &real) == 0)
        lua_pushnumber(L, real);
    else
        lua_pushnil(L); /* too large to be a number here */
}

void lua_json_push(lua_State *L, struct arena *scratch, const struct json *j)
{
    struct proxy *p;
    struct str text;

    switch (json_type(j)) {
    case JSON_ABSENT:
    case JSON_NULL:
        lua_pushnil(L);
        return;
    case JSON_BOOL:
        lua_pushboolean(L, json_is_true(j));
        return;
    case JSON_NUMBER:
        push_number(L, j);
        return;
    case JSON_STRING:
        arena_reset(scratch);
        text = json_str(scratch, j);
        lua_pushlstring(L, text.ptr, text.len);
        return;
    case JSON_ARRAY:
    case JSON_OBJECT:
        break;
    }
    p = lua_newuserdatauv(L, sizeof(*p), 0);
    p->value = j;
    p->scratch = scratch;
    luaL_setmetatable(L, PROXY);
}

static int proxy_index(lua_State *L)
{
    const struct proxy *p = luaL_checkudata(L, 1, PROXY);
    struct str key;

    if (lua_isinteger(L, 2) && lua_tointeger(L, 2) > 0) {
        lua_json_push(L, p->scratch, json_at(p->value, (size_t)lua_tointeger(L, 2) - 1));
        return 1;
    }
    if (lua_type(L, 2) != LUA_TSTRING) {
        lua_pushnil(L);
        return 1;
    }
    key.ptr = lua_tolstring(L, 2, &key.len);
    lua_json_push(L, p->scratch, json_get(p->value, key));
    return 1;
}

static int proxy_len(lua_State *L)
{
    const struct proxy *p = luaL_checkudata(L, 1, PROXY);

    lua_pushinteger(L, (lua_Integer)json_count(p->value));
    return 1;
}

static int proxy_tostring(lua_State *L)
{
    const struct proxy *p = luaL_checkudata(L, 1, PROXY);

    arena_reset(p->scratch);
    lua_pushstring(L, json_text(p->scratch, p->value));
    return 1;
}

static int proxy_eq(lua_State *L)
{
    const struct proxy *x = luaL_testudata(L, 1, PROXY), *y = luaL_testudata(L, 2, PROXY);

    lua_pushboolean(L, x && y && json_equal(x->value, y->value));
    return 1;
}

/* Upvalue 1 is the child that comes next, upvalue 2 its number. */
static int next_child(lua_State *L)
{
    const struct proxy *p = luaL_checkudata(L, 1, PROXY);
    const struct json *child = lua_touserdata(L, lua_upvalueindex(1));
    lua_Integer number = lua_tointeger(L, lua_upvalueindex(2));
    struct str key;

    if (!child)
        return 0;
    arena_reset(p->scratch);
    key = json_key(p->scratch, child);
    if (str_is_set(key))
        lua_pushlstring(L, key.ptr, key.len);
    else
        lua_pushinteger(L, number);
    lua_json_push(L, p->scratch, child);
    /* The state only hands the pointer back: a value is never changed through it. */
    lua_pushlightuserdata(L, (void *)(uintptr_t)json_next(child));
    lua_replace(L, lua_upvalueindex(1));
    lua_pushinteger(L, number + 1);
    lua_replace(L, lua_upvalueindex(2));
    return 2;
}

static int proxy_pairs(lua_State *L)
{
    const struct proxy *p = luaL_checkudata(L, 1, PROXY);

    lua_pushlightuserdata(L, (void *)(uintptr_t)json_first(p->value));
    lua_pushinteger(L, 1);
    lua_pushcclosure(L, next_child, 2);
    lua_pushvalue(L, 1);
    return 2;
}

void lua_json_open(lua_State *L)
{
    static const luaL_Reg methods[] = {
        { "__index", proxy_index }, { "__len", proxy_len },     { "__tostring", proxy_tostring },
        { "__eq", proxy_eq },       { "__pairs", proxy_pairs }, { NULL, NULL },
    };

    luaL_newmetatable(L, PROXY);
    luaL_setfuncs(L, methods, 0);
    lua_pushboolean(L, false); /* what getmetatable() would show */
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
}
