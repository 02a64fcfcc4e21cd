#include "runner/lua_box.h"

#include "base/clock.h"
#include "base/mem.h"
#include "hook/registry.h"
#include "runner/lua_json.h"
#include "runner/lua_library.h"

#include <errno.h>
#include <lua5.4/lauxlib.h>

#define MEMORY_MAX       ((size_t)16 << 20)
#define INSTRUCTIONS_MAX 10000000
#define CHECK_EVERY      10000 /* instructions between two looks at the limits */

struct lua_box {
    lua_State *L;
    size_t data;     /* what texts of this event may add */
    size_t memory;   /* in use */
    unsigned checks; /* of this run */
    bool timed_out;
    const struct hook_call *call; /* of this run */
    const struct json *session;   /* of this run, made when asked for */
    struct arena scratch;         /* for what passes into the state, whose memory is counted */
};

const char *const lua_box_words[] = {
    "point", "turn", "session", "agent", "cwd", "recipe", "invoked_by", "depth", NULL,
};

const char *const lua_box_library[] = {
    "has", "re", "glob", "tokens", "tostring", "tonumber", "type", "pairs", "ipairs", NULL,
};

/* The allocator is the limit: what it refuses becomes an error inside Lua. */
static void *allocate(void *context, void *p, size_t before, size_t size)
{
    struct lua_box *box = context;
    size_t had = p ? before : 0;
    void *q;

    if (size == 0) {
        box->memory -= had;
        free(p);
        return NULL;
    }
    if (size > had && box->memory - had + size > MEMORY_MAX + box->data)
        return NULL;
    q = realloc(p, size);
    if (q)
        box->memory = box->memory - had + size;
    return q;
}

static struct lua_box *box_of(lua_State *L)
{
    struct lua_box *box;

    (void)lua_getallocf(L, (void **)&box); /* its context is the box */
    return box;
}

static void check_limits(lua_State *L, lua_Debug *at)
{
    struct lua_box *box = box_of(L);
    const char *why = NULL;

    if (++box->checks > INSTRUCTIONS_MAX / CHECK_EVERY)
        why = "it does not come to an end";
    else if (box->call && clock_mono_ns() > box->call->deadline_ns)
        why = "its time is used up";
    box->timed_out = why && box->checks <= INSTRUCTIONS_MAX / CHECK_EVERY;
    if (!why)
        return;
    lua_getinfo(L, "Sl", at);
    luaL_error(L, "%s:%d: %s", at->short_src, at->currentline, why);
}

/* Names ---------------------------------------------------------------------------------------- */

static void push_text(lua_State *L, const char *text)
{
    if (text)
        lua_pushstring(L, text);
    else
        lua_pushnil(L);
}

static void push_session(lua_State *L, const struct hook_call *c)
{
    struct lua_box *box = box_of(L);

    if (!box->session)
        box->session = json_get(event_to_json(c->arena, c->event), STR("session"));
    lua_json_push(L, &box->scratch, box->session);
}

/* Whether the name is a word of the session; its value is then pushed. */
static bool push_word(lua_State *L, const struct hook_call *c, const char *name)
{
    const struct event *ev = c->event;
    const struct session *s = &ev->session;

    if (strcmp(name, "point") == 0)
        push_text(L, point_info(ev->point)->name);
    else if (strcmp(name, "turn") == 0)
        lua_pushinteger(L, ev->turn);
    else if (strcmp(name, "session") == 0)
        push_session(L, c);
    else if (strcmp(name, "agent") == 0)
        push_text(L, s->agent);
    else if (strcmp(name, "cwd") == 0)
        push_text(L, s->cwd);
    else if (strcmp(name, "recipe") == 0)
        push_text(L, s->recipe ? s->recipe : "");
    else if (strcmp(name, "invoked_by") == 0)
        push_text(L, s->invoked_by ? s->invoked_by : s->parent ? "subagent" : "main");
    else if (strcmp(name, "depth") == 0)
        lua_pushinteger(L, s->depth);
    else
        return false;
    return true;
}

/* Data, then words of the session, then the library. A field the point may have is nil. */
static int look_up(lua_State *L)
{
    struct lua_box *box = box_of(L);
    const struct hook_call *c = box->call;
    const char *name = luaL_checkstring(L, 2);
    const struct json *field = event_data(c->event, str_of(name));

    if (field) {
        lua_json_push(L, &box->scratch, field);
        return 1;
    }
    if (push_word(L, c, name))
        return 1;
    lua_pushglobaltable(L);
    lua_pushvalue(L, 2);
    lua_rawget(L, -2);
    return 1;
}

static int refuse_assignment(lua_State *L)
{
    return luaL_error(L, "'%s' can't be assigned to", luaL_checkstring(L, 2));
}

/* The table code sees as its globals: empty, with the two functions above behind it. */
static void push_environment(lua_State *L)
{
    lua_newtable(L);
    lua_newtable(L);
    lua_pushcfunction(L, look_up);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, refuse_assignment);
    lua_setfield(L, -2, "__newindex");
    lua_setmetatable(L, -2);
}

/* Life ----------------------------------------------------------------------------------------- */

static int open_state(lua_State *L)
{
    lua_library_open(L);
    lua_json_open(L);
    lua_library_soften_nil(L);
    return 0;
}

struct lua_box *lua_box_new(void)
{
    struct lua_box *box = xcalloc(1, sizeof(*box));

    box->L = lua_newstate(allocate, box);
    if (!box->L)
        mem_exhausted();
    lua_pushcfunction(box->L, open_state);
    if (lua_pcall(box->L, 0, 0, 0) != LUA_OK)
        mem_exhausted();
    lua_sethook(box->L, check_limits, LUA_MASKCOUNT, CHECK_EVERY);
    return box;
}

void lua_box_free(struct lua_box *box)
{
    if (!box)
        return;
    lua_close(box->L);
    arena_release(&box->scratch);
    free(box);
}

/* The message Lua left, and a state that is as good as new. */
static void explain(lua_State *L, struct err *e)
{
    err_set(e, -EINVAL, "%s",
            lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "no reason given");
    lua_settop(L, 0);
    lua_gc(L, LUA_GCCOLLECT);
}

/* The text as a chunk whose lines are those of its file. */
static void write_chunk(struct strbuf *chunk, unsigned line, struct str text)
{
    for (unsigned i = 1; i < line; i++)
        strbuf_addch(chunk, '\n');
    strbuf_addstr(chunk, "return ");
    strbuf_add(chunk, text.ptr, text.len);
}

struct loading {
    struct strbuf chunk, one_value, name;
    unsigned line;
};

/* Text only: compiled code could break out of the box. */
static int compile(lua_State *L, const struct strbuf *chunk, const struct loading *l)
{
    return luaL_loadbufferx(L, chunk->buf, chunk->len, l->name.buf, "t");
}

/* Called by Lua, so that running out of its memory here is an error like any other. */
static int load_chunk(lua_State *L)
{
    const struct loading *l = lua_touserdata(L, 1);

    if (compile(L, &l->chunk, l) != LUA_OK)
        return lua_error(L);
    if (compile(L, &l->one_value, l) != LUA_OK)
        return luaL_error(L, "%s:%d: expected one expression", l->name.buf + 1, (int)l->line);
    lua_rawsetp(L, LUA_REGISTRYINDEX, box_of(L));
    push_environment(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &box_of(L)->checks);
    return 0;
}

int lua_box_load(struct lua_box *box, const char *file, unsigned line, struct str text,
                 struct err *e)
{
    struct loading l = { .line = line };
    int r;

    write_chunk(&l.chunk, line, text);
    /* In parentheses it is one value; they end on a line of their own, behind any comment. */
    write_chunk(&l.one_value, line, STR("("));
    strbuf_add(&l.one_value, text.ptr, text.len);
    strbuf_addstr(&l.one_value, "\n)");
    strbuf_printf(&l.name, "@%s", file);
    lua_pushcfunction(box->L, load_chunk);
    lua_pushlightuserdata(box->L, &l);
    r = lua_pcall(box->L, 1, 0, 0);
    if (r != LUA_OK)
        explain(box->L, e);
    strbuf_release(&l.chunk);
    strbuf_release(&l.one_value);
    strbuf_release(&l.name);
    return r == LUA_OK ? 0 : -EINVAL;
}

int lua_box_test(struct lua_box *box, const struct hook_call *c, bool *truth, struct err *e)
{
    lua_State *L = box->L;
    int r;

    box->call = c;
    box->session = NULL;
    box->data = 4 * json_source(c->event->data).len; /* or a large argument would evade its guard */
    box->checks = 0;
    box->timed_out = false;
    lua_rawgetp(L, LUA_REGISTRYINDEX, box);
    /* Anew each time: code may assign to _ENV, and what it put there would outlive the event. */
    lua_rawgetp(L, LUA_REGISTRYINDEX, &box->checks);
    lua_setupvalue(L, -2, 1);
    r = lua_pcall(L, 0, 1, 0);
    box->call = NULL;
    arena_release(&box->scratch);
    if (r != LUA_OK) {
        explain(L, e);
        return box->timed_out ? -ETIMEDOUT : -EINVAL;
    }
    *truth = lua_toboolean(L, -1);
    lua_settop(L, 0);
    return 0;
}
