#include "runner/script_box.h"

#include "base/mem.h"
#include "runner/lua_core.h"
#include "runner/lua_freeze.h"
#include "runner/lua_json.h"
#include "runner/lua_library.h"
#include "runner/lua_value.h"
#include "runner/script_library.h"
#include "runner/script_services.h"

#include <errno.h>
#include <lua5.4/lauxlib.h>

#define EVENT             "hooke.event"
#define CALLBACK_NAME_MAX 100

struct script_box {
    struct lua_core core;                 /* first: the state's core is the box */
    unsigned lines[POINT_COUNT];          /* where a function was registered; 0: none was */
    bool loading;                         /* hooke.on() may be called */
    struct script_learned *learned;       /* while loading; NULL: nobody wants to know */
    const struct json *answer;            /* of this run */
    const struct callback_call *callback; /* the same; NULL: it is of an event */
    char *text;                           /* what the callback said */
    /* Of this run too, made when first asked for: a loop that asks must not fill the arena. */
    const struct json *session, *data, *verdict;
};

/* Keys of the registry: their addresses count. */
static const char functions_key;   /* what was registered, by point */
static const char callbacks_key;   /* the same, by name */
static const char event_key;       /* the one value that stands for whatever event is handled */
static const char environment_key; /* the script's globals */

static struct script_box *box_of(lua_State *L)
{
    return (struct script_box *)lua_core_of(L);
}

/* Registering ---------------------------------------------------------------------------------- */

static struct subscription check_point(lua_State *L)
{
    size_t len;
    const char *name = luaL_checklstring(L, 1, &len);
    struct subscription on = { 0 };
    const char *nearest;

    if (point_resolve((struct str){ name, len }, &on))
        return on;
    nearest = point_nearest(name);
    if (nearest)
        luaL_error(L, "unknown point '%s', did you mean '%s'?", name, nearest);
    else
        luaL_error(L, "unknown point '%s', 'hooke show POINT' knows them", name);
    return on; /* not reached */
}

static unsigned line_of_caller(lua_State *L)
{
    lua_Debug at;

    if (!lua_getstack(L, 1, &at) || !lua_getinfo(L, "l", &at) || at.currentline <= 0)
        return 1;
    return (unsigned)at.currentline;
}

static void learn(lua_State *L, struct script_learned *learned, const struct subscription *on,
                  unsigned line)
{
    struct script_registration *r = &learned->list[learned->count];

    *r = (struct script_registration){ .on = *on, .line = line };
    if (lua_istable(L, 2))
        r->options = lua_value_to_json(L, 2, learned->arena, "options");
    learned->count++;
}

/* hooke.on(point, function) or hooke.on(point, options, function). */
static int script_on(lua_State *L)
{
    struct script_box *box = box_of(L);
    struct subscription on = check_point(L);
    int function = lua_isfunction(L, 2) ? 2 : 3;

    if (!box->loading)
        return luaL_error(L, "hooke.on() can be called only while the script is loaded");
    if (function == 3)
        luaL_checktype(L, 2, LUA_TTABLE);
    luaL_checktype(L, function, LUA_TFUNCTION);
    if (box->lines[on.point])
        return luaL_error(L, "'%s' has a function already, registered in line %d",
                          point_info(on.point)->name, (int)box->lines[on.point]);
    box->lines[on.point] = line_of_caller(L);
    if (box->learned)
        learn(L, box->learned, &on, box->lines[on.point]);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &functions_key);
    lua_pushvalue(L, function);
    lua_rawseti(L, -2, (lua_Integer)on.point + 1);
    return 0;
}

/* hooke.callback(name, function). */
static int script_callback(lua_State *L)
{
    struct script_box *box = box_of(L);
    struct script_learned *learned = box->learned;
    const char *name = luaL_checkstring(L, 1);

    luaL_argcheck(L, name[0] && strlen(name) <= CALLBACK_NAME_MAX, 1, "must have 1 to 100 bytes");
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    if (!box->loading)
        return luaL_error(L, "hooke.callback() can be called only while the script is loaded");
    lua_rawgetp(L, LUA_REGISTRYINDEX, &callbacks_key);
    lua_pushvalue(L, 1);
    if (lua_rawget(L, 3) != LUA_TNIL)
        return luaL_error(L, "the callback '%s' has a function already", name);
    if (learned && learned->callback_count == SCRIPT_CALLBACKS_MAX)
        return luaL_error(L, "a script offers up to %d callbacks", SCRIPT_CALLBACKS_MAX);
    if (learned)
        learned->callbacks[learned->callback_count++] = arena_strdup(learned->arena, name);
    lua_settop(L, 3);
    lua_insert(L, 1); /* table, name, function */
    lua_rawset(L, 1);
    return 0;
}

/* The event ------------------------------------------------------------------------------------ */

static const struct json *session_of(struct script_box *box, const struct hook_call *c)
{
    if (!box->session)
        box->session = json_get(event_to_json(c->arena, c->event), STR("session"));
    return box->session;
}

static const struct json *data_of(struct script_box *box, const struct hook_call *c)
{
    if (!box->data)
        box->data = c->event->data ? c->event->data : json_object(c->arena);
    return box->data;
}

static const struct json *verdict_of(struct script_box *box, const struct hook_call *c)
{
    if (!box->verdict && c->final)
        box->verdict = verdict_to_json(c->arena, c->final);
    return box->verdict;
}

static int event_index(lua_State *L)
{
    struct script_box *box = box_of(L);
    const struct hook_call *c = box->core.call;
    const char *name = luaL_checkstring(L, 2);

    if (!c)
        return luaL_error(L, "an event is good only while it is handled");
    if (strcmp(name, "data") == 0)
        lua_json_push(L, data_of(box, c));
    else if (strcmp(name, "point") == 0)
        lua_pushstring(L, point_info(c->event->point)->name);
    else if (strcmp(name, "session") == 0)
        lua_json_push(L, session_of(box, c));
    else if (strcmp(name, "turn") == 0)
        lua_pushinteger(L, c->event->turn);
    else if (strcmp(name, "id") == 0)
        lua_pushstring(L, c->event->id);
    else if (strcmp(name, "again") == 0)
        lua_pushboolean(L, c->again);
    else if (strcmp(name, "verdict") == 0)
        lua_json_push(L, verdict_of(box, c));
    else
        return luaL_error(L, "an event has no '%s'", name);
    return 1;
}

static void open_event(lua_State *L)
{
    lua_newuserdatauv(L, 0, 0);
    luaL_newmetatable(L, EVENT);
    lua_pushcfunction(L, event_index);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, lua_json_refuse_change);
    lua_setfield(L, -2, "__newindex");
    lua_pushboolean(L, false);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &event_key);
}

/* Life ----------------------------------------------------------------------------------------- */

static void open_hooke(lua_State *L)
{
    lua_newtable(L);
    lua_pushcfunction(L, script_on);
    lua_setfield(L, -2, "on");
    lua_pushcfunction(L, script_callback);
    lua_setfield(L, -2, "callback");
    lua_value_open(L);
    script_services_open(L);
    lua_freeze_table(L);
    lua_setfield(L, -2, "hooke");
}

/* The script's globals: its own, and behind them the library. */
static int open_state(lua_State *L)
{
    lua_json_open(L);
    open_event(L);
    lua_newtable(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &functions_key);
    lua_newtable(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &callbacks_key);
    lua_newtable(L);
    lua_newtable(L);
    script_library_open(L);
    open_hooke(L);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &environment_key);
    lua_library_soften_nil(L, false);
    return 0;
}

struct script_box *script_box_new(void)
{
    struct script_box *box = xcalloc(1, sizeof(*box));

    lua_core_open(&box->core, open_state);
    box->core.traces = true;
    return box;
}

void script_box_free(struct script_box *box)
{
    if (!box)
        return;
    lua_core_close(&box->core);
    free(box);
}

/* Loading -------------------------------------------------------------------------------------- */

static int load_inside(lua_State *L)
{
    const struct script_source *source = lua_touserdata(L, 1);

    lua_pushfstring(L, "@%s", source->name);
    if (luaL_loadbufferx(L, source->text.ptr, source->text.len, lua_tostring(L, -1), "t") != LUA_OK)
        return lua_error(L);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &environment_key);
    lua_setupvalue(L, -2, 1);
    lua_call(L, 0, 0);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &functions_key);
    lua_freeze_reachable(L);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &callbacks_key);
    lua_freeze_reachable(L);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &environment_key);
    lua_freeze_reachable(L);
    return 0;
}

int script_box_load(struct script_box *box, const struct script_source *source,
                    uint64_t deadline_ns, struct script_learned *learned, struct err *e)
{
    int r;

    box->loading = true;
    box->learned = learned;
    lua_core_begin(&box->core, NULL, deadline_ns);
    lua_pushcfunction(box->core.L, load_inside);
    lua_pushlightuserdata(box->core.L, (void *)(uintptr_t)source);
    r = lua_core_call(&box->core, 1, 0, e);
    lua_core_end(&box->core);
    box->loading = false;
    box->learned = NULL;
    return r;
}

/* Running -------------------------------------------------------------------------------------- */

/* Where the function at 1 stands, for messages that concern all of it. */
static const char *place_of_function(lua_State *L)
{
    lua_Debug at;

    lua_pushvalue(L, 1);
    lua_getinfo(L, ">S", &at);
    return lua_pushfstring(L, "%s:%d", at.short_src, at.linedefined);
}

static int fire_inside(lua_State *L)
{
    struct script_box *box = box_of(L);
    const struct hook_call *c = box->core.call;

    lua_rawgetp(L, LUA_REGISTRYINDEX, &functions_key);
    lua_freeze_push_content(L, 1);
    lua_rawgeti(L, -1, (lua_Integer)c->event->point + 1);
    lua_replace(L, 1);
    lua_settop(L, 1);
    lua_pushvalue(L, 1);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &event_key);
    lua_call(L, 1, 1);
    if (lua_isnil(L, 2))
        return 0;
    if (!lua_istable(L, 2))
        return luaL_error(L, "%s: a hook returns a verdict, which is a table, or nil, not a %s",
                          place_of_function(L), luaL_typename(L, 2));
    box->answer = lua_value_to_json(L, 2, c->arena, "verdict");
    return 0;
}

static int answer_inside(lua_State *L)
{
    struct script_box *box = box_of(L);

    lua_rawgetp(L, LUA_REGISTRYINDEX, &callbacks_key);
    lua_freeze_push_content(L, 1);
    lua_pushstring(L, box->callback->name);
    lua_rawget(L, -2);
    lua_replace(L, 1);
    lua_settop(L, 1);
    lua_pushvalue(L, 1);
    lua_json_push(L, box->callback->args);
    lua_json_push(L, box->callback->messages);
    lua_call(L, 2, 1);
    if (lua_isnil(L, 2))
        return 0;
    if (lua_type(L, 2) != LUA_TSTRING)
        return luaL_error(L, "%s: a callback returns a text or nil, not a %s", place_of_function(L),
                          luaL_typename(L, 2));
    box->text = arena_strdup(box->callback->arena, lua_tostring(L, 2));
    return 0;
}

/* Run `inside`, and see that it has left everything as it was. */
static int run_inside(struct script_box *box, lua_CFunction inside, struct err *e)
{
    const char *changed;
    int r;

    lua_pushcfunction(box->core.L, inside);
    r = lua_core_call(&box->core, 0, 0, e);
    changed = lua_freeze_check(box->core.L);
    lua_core_end(&box->core);
    if (r == 0 && changed)
        r = err_set(e, -EINVAL,
                    "'%s' was changed: what a script sets up is read-only once it is loaded, use "
                    "hooke.state",
                    changed);
    return r;
}

static void forget_run(struct script_box *box)
{
    box->answer = box->session = box->data = box->verdict = NULL;
    box->callback = NULL;
    box->text = NULL;
}

int script_box_fire(struct script_box *box, const struct hook_call *c, const struct json **answer,
                    struct err *e)
{
    int r;

    forget_run(box);
    lua_core_begin(&box->core, c, c->deadline_ns);
    r = run_inside(box, fire_inside, e);
    *answer = box->answer;
    return r;
}

int script_box_answer(struct script_box *box, const struct hook_call *c,
                      const struct callback_call *callback, char **text, struct err *e)
{
    int r;

    forget_run(box);
    lua_core_begin(&box->core, c, c->deadline_ns);
    box->callback = callback;
    box->core.callback = callback->name;
    r = run_inside(box, answer_inside, e);
    *text = box->text;
    return r;
}
