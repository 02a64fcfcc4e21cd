#include "runner/lua_freeze.h"

#include "runner/lua_value.h"

#include <lua5.4/lauxlib.h>

/* Keys of the registry: their addresses count. */
static const char seen_key;      /* what was walked: objects, and ids of variables */
static const char variables_key; /* function, number, value; and so on */

/* The metatable of a frozen table -------------------------------------------------------------- */

void lua_freeze_push_content(lua_State *L, int index)
{
    if (luaL_getmetafield(L, index, "__frozen") == LUA_TNIL)
        lua_pushvalue(L, index);
}

static int refuse_change(lua_State *L)
{
    return luaL_error(L,
                      "'%s' can't be changed: what a script sets up is read-only once it is "
                      "loaded, use hooke.state",
                      luaL_tolstring(L, 2, NULL));
}

static int frozen_len(lua_State *L)
{
    lua_freeze_push_content(L, 1);
    lua_pushinteger(L, (lua_Integer)lua_rawlen(L, -1));
    return 1;
}

/* The content stays out of reach: whoever held it could change it. */
static int frozen_next(lua_State *L)
{
    lua_settop(L, 2);
    lua_freeze_push_content(L, 1);
    lua_insert(L, 2);
    return lua_next(L, 2) ? 2 : 0;
}

static int frozen_pairs(lua_State *L)
{
    lua_pushcfunction(L, frozen_next);
    lua_pushvalue(L, 1);
    lua_pushnil(L);
    return 3;
}

/* From the table at `from` to the one at `to`. */
static void move_content(lua_State *L, int from, int to)
{
    lua_pushnil(L);
    while (lua_next(L, from)) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, to);
        lua_pushvalue(L, -1);
        lua_pushnil(L);
        lua_rawset(L, from); /* emptying a field does not disturb the walk */
    }
}

/* What was behind the table before (a library of names) is behind its content now. */
static void keep_index(lua_State *L, int table, int content)
{
    if (luaL_getmetafield(L, table, "__index") == LUA_TNIL)
        return;
    lua_newtable(L);
    lua_insert(L, -2);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, content);
}

void lua_freeze_table(lua_State *L)
{
    static const luaL_Reg methods[] = {
        { "__newindex", refuse_change },
        { "__len", frozen_len },
        { "__pairs", frozen_pairs },
        { NULL, NULL },
    };
    int table = lua_gettop(L), content = table + 1;
    bool array = lua_value_is_array(L, table);

    lua_newtable(L);
    move_content(L, table, content);
    keep_index(L, table, content);
    lua_newtable(L);
    luaL_setfuncs(L, methods, 0);
    lua_pushvalue(L, content);
    lua_setfield(L, -2, "__index");
    lua_pushvalue(L, content);
    lua_setfield(L, -2, "__frozen");
    lua_pushboolean(L, array);
    lua_setfield(L, -2, "__array");
    lua_pushboolean(L, false);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, table);
    lua_settop(L, table);
}

/* Walking -------------------------------------------------------------------------------------- */

struct walk {
    lua_State *L;
    int seen, variables, todo; /* places of the stack */
    lua_Integer variable_count, todo_count;
};

/* Whether the value on top is met for the first time. */
static bool is_new(struct walk *w)
{
    bool is;

    lua_pushvalue(w->L, -1);
    is = lua_rawget(w->L, w->seen) == LUA_TNIL;
    lua_pop(w->L, 1);
    if (is) {
        lua_pushvalue(w->L, -1);
        lua_pushboolean(w->L, true);
        lua_rawset(w->L, w->seen);
    }
    return is;
}

/* The value on top, which goes, is to be walked. */
static void add(struct walk *w)
{
    int type = lua_type(w->L, -1);

    if ((type == LUA_TTABLE || type == LUA_TFUNCTION) && is_new(w))
        lua_rawseti(w->L, w->todo, ++w->todo_count);
    else
        lua_pop(w->L, 1);
}

static void walk_table(struct walk *w)
{
    lua_State *L = w->L;

    if (luaL_getmetafield(L, -1, "__frozen") == LUA_TNIL)
        lua_freeze_table(L);
    else
        lua_pop(L, 1);
    lua_freeze_push_content(L, lua_gettop(L));
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        add(w);
        lua_pushvalue(L, -1);
        add(w);
    }
    lua_pop(L, 1);
}

/* Variable `n` of the function on top: remembered once, whoever shares it. */
static void remember(struct walk *w, int n)
{
    lua_State *L = w->L;
    bool fresh;

    lua_pushlightuserdata(L, lua_upvalueid(L, -1, n));
    fresh = is_new(w);
    lua_pop(L, 1);
    if (!fresh)
        return;
    lua_pushvalue(L, -1);
    lua_rawseti(L, w->variables, ++w->variable_count);
    lua_pushinteger(L, n);
    lua_rawseti(L, w->variables, ++w->variable_count);
    lua_getupvalue(L, -1, n);
    if (lua_isnil(L, -1)) { /* a list with holes has no length */
        lua_pop(L, 1);
        lua_pushlightuserdata(L, w->L);
    }
    lua_pushvalue(L, -1);
    lua_rawseti(L, w->variables, ++w->variable_count);
    add(w);
}

static void walk_function(struct walk *w)
{
    int n = 1;

    if (lua_iscfunction(w->L, -1))
        return;
    while (lua_getupvalue(w->L, -1, n)) {
        lua_pop(w->L, 1);
        remember(w, n++);
    }
}

static void push_list(lua_State *L, const void *key)
{
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, key) == LUA_TTABLE)
        return;
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

void lua_freeze_reachable(lua_State *L)
{
    struct walk w = { .L = L };

    luaL_checkstack(L, 16, "no room to freeze");
    push_list(L, &seen_key);
    push_list(L, &variables_key);
    lua_newtable(L);
    w.todo = lua_gettop(L);
    w.variables = w.todo - 1;
    w.seen = w.todo - 2;
    w.variable_count = (lua_Integer)lua_rawlen(L, w.variables);
    lua_pushvalue(L, w.seen - 1);
    add(&w);
    while (w.todo_count > 0) {
        lua_rawgeti(L, w.todo, w.todo_count);
        lua_pushnil(L);
        lua_rawseti(L, w.todo, w.todo_count--);
        if (lua_istable(L, -1))
            walk_table(&w);
        else
            walk_function(&w);
        lua_pop(L, 1);
    }
    lua_settop(L, w.seen - 2);
}

/* Checking ------------------------------------------------------------------------------------- */

/* The function is on the stack, its variable and what that was are pushed. */
static const char *check_variable(lua_State *L, int n)
{
    const char *name = lua_getupvalue(L, -2, n);
    bool was_nil = lua_touserdata(L, -2) == L && lua_islightuserdata(L, -2);

    if (was_nil ? lua_isnil(L, -1) : lua_rawequal(L, -1, -2)) {
        lua_pop(L, 1);
        return NULL;
    }
    lua_pop(L, 1);
    if (was_nil)
        lua_pushnil(L);
    else
        lua_pushvalue(L, -1);
    lua_setupvalue(L, -3, n);
    return name;
}

const char *lua_freeze_check(lua_State *L)
{
    const char *changed = NULL;
    lua_Integer count;

    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &variables_key) != LUA_TTABLE) {
        lua_pop(L, 1);
        return NULL;
    }
    count = (lua_Integer)lua_rawlen(L, -1);
    for (lua_Integer i = 1; i <= count; i += 3) {
        const char *name;
        int n;

        lua_rawgeti(L, -1, i);
        lua_rawgeti(L, -2, i + 1);
        n = (int)lua_tointeger(L, -1);
        lua_pop(L, 1);
        lua_rawgeti(L, -2, i + 2);
        name = check_variable(L, n);
        changed = name ? name : changed;
        lua_pop(L, 2);
    }
    lua_pop(L, 1);
    return changed;
}
