#include "runner/lua_value.h"

#include "runner/lua_core.h"
#include "runner/lua_freeze.h"
#include "runner/lua_json.h"

#include <lua5.4/lauxlib.h>
#include <math.h>

#define ARRAY      "hooke.array"
#define DEPTH_MAX  64
#define VALUES_MAX 100000
#define BYTES_MAX  ((size_t)16 << 20)

struct conversion {
    lua_State *L;
    struct arena *arena;
    const char *what;
    const char *path[DEPTH_MAX]; /* keys that lead to the value in hand */
    unsigned depth;
    size_t values, bytes;
};

/* To JSON -------------------------------------------------------------------------------------- */

static void refuse(struct conversion *c, const char *why)
{
    const char *place = c->what;

    for (unsigned i = 0; i < c->depth && i < 8; i++)
        place = arena_printf(c->arena, "%s.%s", place, c->path[i]);
    luaL_error(c->L, "'%s' %s", place, why);
}

static struct str copy_text(struct conversion *c, int index)
{
    struct str s;

    s.ptr = lua_tolstring(c->L, index, &s.len);
    c->bytes += s.len;
    if (c->bytes > BYTES_MAX)
        refuse(c, "is too large: a value has up to 16 MiB of texts");
    return (struct str){ arena_cstr(c->arena, s), s.len };
}

static const struct json *number(struct conversion *c, int index)
{
    if (lua_isinteger(c->L, index))
        return json_int(c->arena, lua_tointeger(c->L, index));
    if (!isfinite(lua_tonumber(c->L, index)))
        refuse(c, "is a number that JSON does not have");
    return json_double(c->arena, lua_tonumber(c->L, index));
}

static const struct json *convert(struct conversion *c, int index);

static const struct json *child(struct conversion *c, const char *key)
{
    const struct json *j;

    c->path[c->depth++] = key;
    j = convert(c, lua_gettop(c->L));
    c->depth--;
    lua_pop(c->L, 1);
    return j;
}

/* The table on top has `count` keys, the texts of which are wanted. */
static const char **text_keys(struct conversion *c, size_t count)
{
    const char **keys = arena_array(c->arena, const char *, count + 1);
    size_t found = 0;

    lua_pushnil(c->L);
    while (lua_next(c->L, -2)) {
        lua_pop(c->L, 1);
        if (lua_type(c->L, -1) != LUA_TSTRING)
            refuse(c, "has keys that are not all texts, nor the numbers from 1 on");
        keys[found++] = copy_text(c, -1).ptr;
    }
    return keys;
}

static int compare_keys(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static const struct json *object(struct conversion *c, size_t count)
{
    const char **keys = text_keys(c, count);
    struct json *j = json_object(c->arena);

    qsort(keys, count, sizeof(*keys), compare_keys);
    for (size_t i = 0; i < count; i++) {
        lua_getfield(c->L, -1, keys[i]);
        json_add(c->arena, j, str_of(keys[i]), child(c, keys[i]));
    }
    return j;
}

static const struct json *array(struct conversion *c, size_t count)
{
    struct json *j = json_array(c->arena);

    for (size_t i = 1; i <= count; i++) {
        lua_rawgeti(c->L, -1, (lua_Integer)i);
        json_push(c->arena, j, child(c, arena_printf(c->arena, "%zu", i)));
    }
    return j;
}

static size_t count_keys(struct conversion *c)
{
    size_t count = 0;

    lua_pushnil(c->L);
    while (lua_next(c->L, -2)) {
        lua_pop(c->L, 1);
        count++;
    }
    c->values += count;
    lua_core_charge(c->L, count);
    if (c->values > VALUES_MAX)
        refuse(c, "has too many values: up to 100000 are read");
    return count;
}

/* Whether every key is one of 1 to `count`. */
static bool is_sequence(lua_State *L, size_t count)
{
    for (size_t i = 1; i <= count; i++) {
        int type = lua_rawgeti(L, -1, (lua_Integer)i);

        lua_pop(L, 1);
        if (type == LUA_TNIL)
            return false;
    }
    return true;
}

static const struct json *table(struct conversion *c, int index)
{
    const struct json *j;
    bool marked = lua_value_is_array(c->L, index);
    size_t count;

    if (c->depth >= DEPTH_MAX - 1)
        refuse(c, "is nested too deep, or holds itself");
    luaL_checkstack(c->L, 8, "too deep");
    lua_freeze_push_content(c->L, index);
    count = count_keys(c);
    if (is_sequence(c->L, count) && (count || marked))
        j = array(c, count);
    else
        j = object(c, count);
    lua_pop(c->L, 1);
    return j;
}

static const struct json *convert(struct conversion *c, int index)
{
    const struct json *proxied = lua_json_test(c->L, index);

    if (proxied)
        return proxied;
    switch (lua_type(c->L, index)) {
    case LUA_TBOOLEAN:
        return json_bool(c->arena, lua_toboolean(c->L, index));
    case LUA_TNUMBER:
        return number(c, index);
    case LUA_TSTRING:
        return json_string(c->arena, copy_text(c, index));
    case LUA_TTABLE:
        return table(c, index);
    case LUA_TLIGHTUSERDATA:
        return json_null(c->arena);
    default:
        refuse(c, arena_printf(c->arena, "is a %s, which JSON does not have",
                               luaL_typename(c->L, index)));
        return NULL; /* not reached */
    }
}

const struct json *lua_value_to_json(lua_State *L, int index, struct arena *a, const char *what)
{
    struct conversion c = { .L = L, .arena = a, .what = what };

    return convert(&c, lua_absindex(L, index));
}

/* From JSON ------------------------------------------------------------------------------------ */

static void push_container(lua_State *L, const struct json *j, unsigned depth);

static void push_value(lua_State *L, const struct json *j, unsigned depth)
{
    switch (json_type(j)) {
    case JSON_NULL:
        lua_pushlightuserdata(L, NULL);
        return;
    case JSON_ARRAY:
    case JSON_OBJECT:
        push_container(L, j, depth + 1);
        return;
    default:
        lua_json_push(L, j);
    }
}

static void push_container(lua_State *L, const struct json *j, unsigned depth)
{
    struct arena *scratch = &lua_core_of(L)->scratch;
    lua_Integer number = 1;

    if (depth > DEPTH_MAX)
        luaL_error(L, "a value is nested too deep");
    luaL_checkstack(L, 8, "too deep");
    lua_newtable(L);
    for (const struct json *child = json_first(j); child; child = json_next(child)) {
        if (json_type(j) == JSON_OBJECT) {
            struct str key = json_key(scratch, child);

            lua_pushlstring(L, key.ptr, key.len);
        } else {
            lua_pushinteger(L, number++);
        }
        push_value(L, child, depth);
        lua_rawset(L, -3);
    }
    if (json_type(j) == JSON_ARRAY)
        luaL_setmetatable(L, ARRAY);
}

void lua_value_push(lua_State *L, const struct json *j)
{
    if (json_type(j) == JSON_NULL || json_type(j) == JSON_ABSENT)
        lua_pushnil(L);
    else
        push_value(L, j, 0);
}

/* For scripts ---------------------------------------------------------------------------------- */

bool lua_value_is_array(lua_State *L, int index)
{
    bool is;

    if (!luaL_getmetafield(L, index, "__array"))
        return false;
    is = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return is;
}

static int mark_array(lua_State *L)
{
    if (lua_isnoneornil(L, 1))
        lua_newtable(L);
    else
        luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    if (!luaL_getmetafield(L, 1, "__array"))
        luaL_setmetatable(L, ARRAY);
    lua_settop(L, 1);
    return 1;
}

void lua_value_open(lua_State *L)
{
    luaL_newmetatable(L, ARRAY);
    lua_pushboolean(L, true);
    lua_setfield(L, -2, "__array");
    lua_pushboolean(L, false);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
    lua_pushcfunction(L, mark_array);
    lua_setfield(L, -2, "array");
    lua_pushlightuserdata(L, NULL);
    lua_setfield(L, -2, "null");
}
