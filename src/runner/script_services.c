#include "runner/script_services.h"

#include "hook/engine.h"
#include "hook/state.h"
#include "runner/lua_core.h"
#include "runner/lua_freeze.h"
#include "runner/lua_value.h"

#include <errno.h>
#include <lua5.4/lauxlib.h>

#define VALUE_MAX    ((size_t)1 << 20)
#define STORE_WORK   1000 /* of a trip to the store, in instructions */
#define LOG_TEXT_MAX 2000
#define TOO_LARGE    "a value of the state may have up to 1 MiB"

/* The call in hand, with an arena of its own: a script may ask for state any number of times. */
static struct hook_call call_in_hand(lua_State *L)
{
    struct lua_core *core = lua_core_of(L);
    static const struct hook nobody = { .name = "" };
    struct hook_call c = { .hook = &nobody };

    if (core->call)
        c = *core->call;
    else
        luaL_error(L, "this can be used only while an event is handled");
    arena_reset(&core->held);
    c.arena = &core->held;
    lua_core_charge_slow(L, STORE_WORK);
    return c;
}

static const char *check_key(lua_State *L)
{
    struct str key;
    const char *fault;

    key.ptr = luaL_checklstring(L, 1, &key.len);
    fault = state_key_fault(key);
    luaL_argcheck(L, !fault, 1, fault);
    return key.ptr;
}

/* Values --------------------------------------------------------------------------------------- */

static bool is_json(struct arena *a, struct str text, const struct json **value)
{
    return json_parse(a, text, NULL, value, NULL) == 0;
}

/* The value at `index` as it is stored; nil is unset. */
static struct str encode(lua_State *L, int index, struct arena *a)
{
    const struct json *j;
    struct str text;

    if (lua_isnil(L, index))
        return (struct str){ 0 };
    j = lua_value_to_json(L, index, a, "value");
    text = json_str(a, j);
    if (!str_is_set(text) || is_json(a, text, &(const struct json *){ NULL }))
        text = str_of(json_text(a, j));
    if (text.len > VALUE_MAX)
        luaL_error(L, TOO_LARGE);
    return text;
}

static void push_decoded(lua_State *L, struct arena *a, struct str text)
{
    const struct json *j;

    if (!str_is_set(text))
        lua_pushnil(L);
    else if (is_json(a, text, &j))
        lua_value_push(L, j);
    else
        lua_pushlstring(L, text.ptr, text.len);
}

/* State ---------------------------------------------------------------------------------------- */

static int state_failed(lua_State *L, const struct err *e)
{
    return luaL_error(L, "the state is out of reach: %s", e->msg);
}

static int script_get(lua_State *L)
{
    const char *key = check_key(L);
    struct hook_call c = call_in_hand(L);
    struct err e = { 0 };
    struct str value;

    if (state_get(&c, key, &value, &e) < 0)
        return state_failed(L, &e);
    push_decoded(L, c.arena, value);
    return 1;
}

static int script_set(lua_State *L)
{
    const char *key = check_key(L);
    struct hook_call c = call_in_hand(L);
    struct err e = { 0 };

    luaL_checkany(L, 2);
    if (state_set(&c, key, encode(L, 2, c.arena), &e) < 0)
        return state_failed(L, &e);
    return 0;
}

static int script_incr(lua_State *L)
{
    const char *key = check_key(L);
    lua_Integer by = luaL_optinteger(L, 2, 1);
    struct hook_call c = call_in_hand(L);
    struct err e = { 0 };
    int64_t now;

    if (state_incr(&c, key, by, &now, &e) < 0)
        return state_failed(L, &e);
    lua_pushinteger(L, now);
    return 1;
}

struct updating {
    lua_State *L;
    bool raised; /* an error of Lua's, which is on its stack */
};

struct coding {
    struct arena *arena;
    struct str text;
};

/* Inside Lua: the function, then its argument's text in, its answer's text out. */
static int decide_inside(lua_State *L)
{
    struct coding *coding = lua_touserdata(L, 2);

    lua_settop(L, 1);
    lua_pushvalue(L, 1);
    push_decoded(L, coding->arena, coding->text);
    lua_call(L, 1, 1);
    coding->text = encode(L, 2, coding->arena);
    return 1;
}

/* In the middle of the store's work, so no error of Lua's may leave it. */
static int decide(void *context, struct arena *a, struct str before, struct str *after,
                  struct err *e)
{
    struct updating *d = context;
    struct coding coding = { a, before };

    lua_settop(d->L, 2);
    lua_pushcfunction(d->L, decide_inside);
    lua_pushvalue(d->L, 2);
    lua_pushlightuserdata(d->L, &coding);
    lua_core_of(d->L)->updating = true;
    d->raised = lua_pcall(d->L, 2, 1, 0) != LUA_OK;
    lua_core_of(d->L)->updating = false;
    if (d->raised)
        return err_set(e, -ECANCELED, "the function failed");
    *after = coding.text;
    return 0;
}

static int script_update(lua_State *L)
{
    const char *key = check_key(L);
    struct hook_call c = call_in_hand(L);
    struct updating d = { .L = L };
    struct err e = { 0 };

    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    if (state_update(&c, key, decide, &d, &e) == 0)
        return 1;
    return d.raised ? lua_error(L) : state_failed(L, &e);
}

/* Log ------------------------------------------------------------------------------------------ */

/* hooke.log(text) or hooke.log(level, text). */
static int script_log(lua_State *L)
{
    static const char *const levels[] = { "warn", "info", "debug", NULL };
    bool says_level = !lua_isnoneornil(L, 2);
    int level = says_level ? luaL_checkoption(L, 1, NULL, levels) : 1;
    const char *text = luaL_tolstring(L, says_level ? 2 : 1, NULL);
    struct hook_call c = call_in_hand(L);
    struct log *log = engine_log(c.engine);
    const char *name = c.hook->name;

    if (level == 0)
        log_warn(log, "hook '%s': %.*s", name, LOG_TEXT_MAX, text);
    else if (level == 1)
        log_info(log, "hook '%s': %.*s", name, LOG_TEXT_MAX, text);
    else
        log_debug(log, "hook '%s': %.*s", name, LOG_TEXT_MAX, text);
    return 0;
}

/* What the agent does ---------------------------------------------------------------------------
 */

/* Push the result of a method of the agent's. Waiting for it is no work; the deadline holds. */
static void push_served(lua_State *L, const struct hook_call *c, const char *method,
                        const struct json *params)
{
    const struct service_call s = {
        .arena = c->arena,
        .hook = c->hook->name,
        .method = method,
        .params = params,
        .session = &c->event->session,
        .receipt_id = c->receipt_id,
        .deadline_ns = c->deadline_ns,
        .abort_fd = c->abort_fd,
        .callback = lua_core_of(L)->callback,
        .used = &c->io->llm,
    };
    const struct json *result = NULL;
    struct err e = { 0 };
    int r;

    if (lua_core_of(L)->updating)
        luaL_error(L, "'%s' can't be used inside hooke.state.update()", method);
    r = engine_serve(c->engine, &s, &result, &e);
    lua_core_charge_slow(L, 0);
    if (r < 0)
        luaL_error(L, "%s: %s", method, e.msg);
    lua_value_push(L, result);
}

/* The table at `index` as parameters; none: no parameters. */
static const struct json *check_params(lua_State *L, int index, struct arena *a)
{
    if (lua_isnoneornil(L, index))
        return json_object(a);
    luaL_checktype(L, index, LUA_TTABLE);
    return lua_value_to_json(L, index, a, "parameters");
}

static const struct json *with_text(lua_State *L, int index, struct arena *a, struct str name)
{
    struct str text;

    text.ptr = luaL_checklstring(L, index, &text.len);
    return json_with(a, NULL, name, json_string(a, text));
}

/* hooke.llm.complete(prompt) or hooke.llm.complete { prompt = …, … }. */
static int llm_complete(lua_State *L)
{
    struct hook_call c = call_in_hand(L);
    const struct json *params = lua_type(L, 1) == LUA_TSTRING
                                    ? with_text(L, 1, c.arena, STR("prompt"))
                                    : check_params(L, 1, c.arena);

    push_served(L, &c, "llm.complete", params);
    return 1;
}

/* hooke.recipe.run(name, args). */
static int recipe_run(lua_State *L)
{
    struct hook_call c = call_in_hand(L);
    const struct json *params = with_text(L, 1, c.arena, STR("name"));

    if (!lua_isnoneornil(L, 2))
        params = json_with(c.arena, params, STR("args"), check_params(L, 2, c.arena));
    push_served(L, &c, "recipe.run", params);
    return 1;
}

/* hooke.session.status { session = … }. */
static int session_status(lua_State *L)
{
    struct hook_call c = call_in_hand(L);

    push_served(L, &c, "session.status", check_params(L, 1, c.arena));
    return 1;
}

/* hooke.session.messages { session = …, limit = … }: the list. */
static int session_messages(lua_State *L)
{
    struct hook_call c = call_in_hand(L);

    push_served(L, &c, "session.messages", check_params(L, 1, c.arena));
    lua_getfield(L, -1, "messages");
    return 1;
}

static int session_abort(lua_State *L)
{
    struct hook_call c = call_in_hand(L);

    push_served(L, &c, "session.abort", with_text(L, 1, c.arena, STR("reason")));
    return 1;
}

static int session_prompt(lua_State *L)
{
    struct hook_call c = call_in_hand(L);

    push_served(L, &c, "session.prompt", with_text(L, 1, c.arena, STR("text")));
    return 1;
}

/* The functions become a table of that name in the one on top. */
static void open_table(lua_State *L, const char *name, const luaL_Reg *functions)
{
    lua_newtable(L);
    luaL_setfuncs(L, functions, 0);
    lua_freeze_table(L);
    lua_setfield(L, -2, name);
}

void script_services_open(lua_State *L)
{
    static const luaL_Reg state[] = {
        { "get", script_get },       { "set", script_set }, { "incr", script_incr },
        { "update", script_update }, { NULL, NULL },
    };
    static const luaL_Reg llm[] = { { "complete", llm_complete }, { NULL, NULL } };
    static const luaL_Reg recipe[] = { { "run", recipe_run }, { NULL, NULL } };
    static const luaL_Reg session[] = {
        { "status", session_status },
        { "messages", session_messages },
        { "abort", session_abort },
        { "prompt", session_prompt },
        { NULL, NULL },
    };

    open_table(L, "state", state);
    open_table(L, "llm", llm);
    open_table(L, "recipe", recipe);
    open_table(L, "session", session);
    lua_pushcfunction(L, script_log);
    lua_setfield(L, -2, "log");
}
