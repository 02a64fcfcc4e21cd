#include "runner/lua_json.h"

#include "runner/lua_core.h"

#include <lua5.4/lauxlib.h>

#define PROXY "hooke.json"

#define NODES_PER_WORK 16 /* of a list, walked in the time of an instruction */

struct proxy {
    const struct json *value;
    uint64_t run;             /* it is good in */
    size_t index;             /* of the element asked for last */
    const struct json *child; /* that element; NULL: none was asked for */
};

static struct proxy *check_proxy(lua_State *L, int index)
{
    struct proxy *p = luaL_checkudata(L, index, PROXY);

    if (p->run != lua_core_of(L)->run)
        luaL_error(L, "a value of an event is good only while that event is handled");
    return p;
}

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

void lua_json_push(lua_State *L, const struct json *j)
{
    struct lua_core *core;
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
        core = lua_core_of(L);
        arena_reset(&core->scratch);
        text = json_str(&core->scratch, j);
        lua_pushlstring(L, text.ptr, text.len);
        return;
    case JSON_ARRAY:
    case JSON_OBJECT:
        break;
    }
    p = lua_newuserdatauv(L, sizeof(*p), 0);
    *p = (struct proxy){ .value = j, .run = lua_core_of(L)->run };
    luaL_setmetatable(L, PROXY);
}

const struct json *lua_json_test(lua_State *L, int index)
{
    return luaL_testudata(L, index, PROXY) ? check_proxy(L, index)->value : NULL;
}

/* Lists are mostly read from front to back: going on from the last element makes that cheap. */
static const struct json *element(lua_State *L, struct proxy *p, size_t index)
{
    bool onwards = p->child && index >= p->index;
    const struct json *child = onwards ? p->child : json_first(p->value);
    size_t steps = onwards ? index - p->index : index;

    if (json_type(p->value) != JSON_ARRAY || index >= json_count(p->value))
        return NULL;
    lua_core_charge(L, steps / NODES_PER_WORK);
    while (steps-- > 0)
        child = json_next(child);
    p->index = index;
    p->child = child;
    return child;
}

static int proxy_index(lua_State *L)
{
    struct proxy *p = check_proxy(L, 1);
    struct str key;

    if (lua_isinteger(L, 2) && lua_tointeger(L, 2) > 0) {
        lua_json_push(L, element(L, p, (size_t)lua_tointeger(L, 2) - 1));
        return 1;
    }
    if (lua_type(L, 2) != LUA_TSTRING) {
        lua_pushnil(L);
        return 1;
    }
    lua_core_charge(L, json_count(p->value) / NODES_PER_WORK);
    key.ptr = lua_tolstring(L, 2, &key.len);
    lua_json_push(L, json_get(p->value, key));
    return 1;
}

int lua_json_refuse_change(lua_State *L)
{
    return luaL_error(L, "an event can't be changed in place: answer with 'replace' or 'modify'");
}

static int proxy_len(lua_State *L)
{
    const struct proxy *p = check_proxy(L, 1);

    lua_pushinteger(L, (lua_Integer)json_count(p->value));
    return 1;
}

static int proxy_tostring(lua_State *L)
{
    const struct proxy *p = check_proxy(L, 1);
    struct lua_core *core = lua_core_of(L);

    arena_reset(&core->scratch);
    lua_pushstring(L, json_text(&core->scratch, p->value));
    return 1;
}

static int proxy_eq(lua_State *L)
{
    const struct json *x = lua_json_test(L, 1), *y = lua_json_test(L, 2);

    lua_core_charge_slow(L, json_source(x).len / NODES_PER_WORK);
    lua_pushboolean(L, x && y && json_equal(x, y));
    return 1;
}

/* Upvalue 1 is the child that comes next, upvalue 2 its number, upvalue 3 the proxy it is of. */
static int next_child(lua_State *L)
{
    struct lua_core *core = lua_core_of(L);
    const struct json *child = lua_touserdata(L, lua_upvalueindex(1));
    lua_Integer number = lua_tointeger(L, lua_upvalueindex(2));
    struct str key;

    (void)check_proxy(L, lua_upvalueindex(3));
    if (!child)
        return 0;
    arena_reset(&core->scratch);
    key = json_key(&core->scratch, child);
    if (str_is_set(key))
        lua_pushlstring(L, key.ptr, key.len);
    else
        lua_pushinteger(L, number);
    lua_json_push(L, child);
    /* The state only hands the pointer back: a value is never changed through it. */
    lua_pushlightuserdata(L, (void *)(uintptr_t)json_next(child));
    lua_replace(L, lua_upvalueindex(1));
    lua_pushinteger(L, number + 1);
    lua_replace(L, lua_upvalueindex(2));
    return 2;
}

static int proxy_pairs(lua_State *L)
{
    const struct proxy *p = check_proxy(L, 1);

    lua_pushlightuserdata(L, (void *)(uintptr_t)json_first(p->value));
    lua_pushinteger(L, 1);
    lua_pushvalue(L, 1);
    lua_pushcclosure(L, next_child, 3);
    return 1;
}

void lua_json_open(lua_State *L)
{
    static const luaL_Reg methods[] = {
        { "__index", proxy_index },
        { "__len", proxy_len },
        { "__tostring", proxy_tostring },
        { "__eq", proxy_eq },
        { "__pairs", proxy_pairs },
        { "__newindex", lua_json_refuse_change },
        { NULL, NULL },
    };

    luaL_newmetatable(L, PROXY);
    luaL_setfuncs(L, methods, 0);
    lua_pushboolean(L, false); /* what getmetatable() would show */
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
}
