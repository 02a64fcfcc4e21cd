#include "runner/lua_core.h"

#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <lua5.4/lauxlib.h>
#include <stdio.h>

#define MEMORY_MAX     ((size_t)16 << 20)
#define WORK_MAX       10000000
#define CHECK_EVERY    1000 /* instructions, or work like them, between two looks at the limits */
#define BYTES_PER_WORK 128  /* allocated; about what is copied in the time of an instruction */
#define SMALL          4096 /* what a state over its limit still gets, for the message */
#define TRACE_MAX      3

static const char *over_text(enum lua_over over)
{
    return over == LUA_LATE ? "its time is used up" : "it does not come to an end";
}

/* Whether a limit has been passed. */
static bool is_over(struct lua_core *core)
{
    if (core->over)
        return true;
    core->looked = core->work;
    if (core->work > WORK_MAX)
        core->over = LUA_ENDLESS;
    else if (core->deadline_ns && clock_mono_ns() > core->deadline_ns)
        core->over = LUA_LATE;
    return core->over != LUA_WITHIN;
}

/* The allocator is a limit too: what it refuses becomes an error inside Lua. */
static void *allocate(void *context, void *p, size_t before, size_t size)
{
    struct lua_core *core = context;
    size_t had = p ? before : 0;
    void *q;

    if (size == 0) {
        core->memory -= had;
        free(p);
        return NULL;
    }
    if (size > had) {
        core->work += size / BYTES_PER_WORK;
        if (core->work - core->looked >= CHECK_EVERY)
            (void)is_over(core);
        if (core->memory - had + size > core->memory_max || (core->over && size > SMALL))
            return NULL;
    }
    q = realloc(p, size);
    if (q)
        core->memory = core->memory - had + size;
    return q;
}

struct lua_core *lua_core_of(lua_State *L)
{
    struct lua_core *core;

    (void)lua_getallocf(L, (void **)&core); /* its context is the core */
    return core;
}

static void check_limits(lua_State *L, lua_Debug *at)
{
    struct lua_core *core = lua_core_of(L);

    core->work += CHECK_EVERY;
    if (!is_over(core))
        return;
    lua_getinfo(L, "Sl", at);
    luaL_error(L, "%s:%d: %s", at->short_src, at->currentline, over_text(core->over));
}

void lua_core_charge(lua_State *L, uint64_t work)
{
    struct lua_core *core = lua_core_of(L);

    core->work += work;
    if (core->work - core->looked >= CHECK_EVERY && is_over(core))
        luaL_error(L, "%s", over_text(core->over));
}

void lua_core_charge_slow(lua_State *L, uint64_t work)
{
    struct lua_core *core = lua_core_of(L);

    core->work += work;
    if (is_over(core))
        luaL_error(L, "%s", over_text(core->over));
}

void lua_core_open(struct lua_core *core, lua_CFunction open)
{
    core->memory_max = MEMORY_MAX;
    core->L = lua_newstate(allocate, core);
    if (!core->L)
        mem_exhausted();
    lua_pushcfunction(core->L, open);
    if (lua_pcall(core->L, 0, 0, 0) != LUA_OK)
        mem_exhausted();
    lua_sethook(core->L, check_limits, LUA_MASKCOUNT, CHECK_EVERY);
}

void lua_core_close(struct lua_core *core)
{
    lua_close(core->L);
    arena_release(&core->scratch);
    arena_release(&core->held);
}

void lua_core_begin(struct lua_core *core, const struct hook_call *call, uint64_t deadline_ns)
{
    /* Texts of the event come on top, or a large argument would evade its guard. */
    core->memory_max = MEMORY_MAX + (call ? 4 * json_source(call->event->data).len : 0);
    core->call = call;
    core->deadline_ns = deadline_ns;
    core->work = core->looked = 0;
    core->over = LUA_WITHIN;
    core->run++;
}

void lua_core_end(struct lua_core *core)
{
    core->call = NULL;
    core->callback = NULL;
    core->updating = false;
    arena_release(&core->scratch);
    arena_release(&core->held);
}

/* Failing -------------------------------------------------------------------------------------- */

/* Behind the message: the places in the code that led there, nearest first. */
static void add_callers(lua_State *L, luaL_Buffer *b)
{
    lua_Debug at;
    int found = 0; /* the first is where it happened, which the message has */

    for (int level = 1; found <= TRACE_MAX && lua_getstack(L, level, &at); level++) {
        lua_getinfo(L, "Sl", &at);
        if (at.currentline <= 0 || found++ == 0)
            continue;
        lua_pushfstring(L, "%s%s:%d", found == 2 ? " (called from " : ", ", at.short_src,
                        at.currentline);
        luaL_addvalue(b);
    }
    if (found > 1)
        luaL_addchar(b, ')');
}

/* Called where the error was raised, with all callers still there. */
static int explain_error(lua_State *L)
{
    const struct lua_core *core = lua_core_of(L);
    luaL_Buffer b;

    if (!core->traces || core->over || lua_type(L, 1) != LUA_TSTRING)
        return 1;
    luaL_buffinit(L, &b);
    lua_pushvalue(L, 1);
    luaL_addvalue(&b);
    add_callers(L, &b);
    luaL_pushresult(&b);
    return 1;
}

/* The message Lua left, and a state that is as good as new. */
static int fail(struct lua_core *core, struct err *e)
{
    lua_State *L = core->L;
    const char *said = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "no reason given";

    if (core->over && !strstr(said, over_text(core->over)))
        said = over_text(core->over); /* it ran into the allocator */
    err_set(e, -EINVAL, "%s", said);
    lua_settop(L, 0);
    lua_gc(L, LUA_GCCOLLECT);
    return core->over == LUA_LATE ? -ETIMEDOUT : -EINVAL;
}

int lua_core_call(struct lua_core *core, int arguments, int results, struct err *e)
{
    int handler = lua_gettop(core->L) - arguments;

    lua_pushcfunction(core->L, explain_error);
    lua_insert(core->L, handler);
    if (lua_pcall(core->L, arguments, results, handler) != LUA_OK)
        return fail(core, e);
    lua_remove(core->L, handler);
    return 0;
}
