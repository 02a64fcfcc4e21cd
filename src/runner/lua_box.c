#include "runner/lua_box.h"

#include "base/mem.h"
#include "hook/registry.h"
#include "runner/lua_core.h"
#include "runner/lua_json.h"
#include "runner/lua_library.h"

#include <lua5.4/lauxlib.h>

struct lua_box {
    struct lua_core core;       /* first: the state's core is the box */
    const struct json *session; /* of this run, made when asked for */
};

const char *const lua_box_words[] = {
    "point", "turn", "session", "agent", "cwd", "recipe", "invoked_by", "depth", NULL,
};

const char *const lua_box_library[] = {
    "has", "re", "glob", "tokens", "tostring", "tonumber", "type", "pairs", "ipairs", NULL,
};

static struct lua_box *box_of(lua_State *L)
{
    return (struct lua_box *)lua_core_of(L);
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
    lua_json_push(L, box->session);
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
    const struct hook_call *c = lua_core_of(L)->call;
    const char *name = luaL_checkstring(L, 2);
    const struct json *field = event_data(c->event, str_of(name));

    if (field) {
        lua_json_push(L, field);
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
    lua_library_soften_nil(L, true);
    return 0;
}

struct lua_box *lua_box_new(void)
{
    struct lua_box *box = xcalloc(1, sizeof(*box));

    lua_core_open(&box->core, open_state);
    return box;
}

void lua_box_free(struct lua_box *box)
{
    if (!box)
        return;
    lua_core_close(&box->core);
    free(box);
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
    lua_rawsetp(L, LUA_REGISTRYINDEX, &box_of(L)->session);
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
    lua_core_begin(&box->core, NULL, 0);
    lua_pushcfunction(box->core.L, load_chunk);
    lua_pushlightuserdata(box->core.L, &l);
    r = lua_core_call(&box->core, 1, 0, e);
    lua_core_end(&box->core);
    strbuf_release(&l.chunk);
    strbuf_release(&l.one_value);
    strbuf_release(&l.name);
    return r;
}

int lua_box_test(struct lua_box *box, const struct hook_call *c, bool *truth, struct err *e)
{
    lua_State *L = box->core.L;
    int r;

    lua_core_begin(&box->core, c, c->deadline_ns);
    box->session = NULL;
    lua_rawgetp(L, LUA_REGISTRYINDEX, box);
    /* Anew each time: code may assign to _ENV, and what it put there would outlive the event. */
    lua_rawgetp(L, LUA_REGISTRYINDEX, &box->session);
    lua_setupvalue(L, -2, 1);
    r = lua_core_call(&box->core, 0, 1, e);
    lua_core_end(&box->core);
    if (r < 0)
        return r;
    *truth = lua_toboolean(L, -1);
    lua_settop(L, 0);
    return 0;
}
