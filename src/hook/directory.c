#include "hook/directory.h"

#include "base/path.h"
#include "hook/known.h"
#include "hook/site.h"
#include "hook/state.h"

#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#define DEPTH_MAX 64
#define SEPARATOR "\n\n---\n\n"
#define SYSTEM    "system" /* key of the state: the text that the system prompt has */

struct gathering {
    const struct hook_call *call;
    const struct directory_options *options;
    const char *name;
    struct site site;
    const char *in_system; /* a path, or NULL */
    struct str output;     /* of the tool */
    bool again;            /* a compaction has lost what was said */
    struct strbuf block;
};

static bool is_wanted(const struct hook_call *c, const struct directory_options *o)
{
    const char *tool = arena_cstr(c->arena, event_tool(c->arena, c->event));

    for (const char *const *t = o->tools; tool && *t; t++)
        if (strcasecmp(*t, tool) == 0)
            return true;
    return false;
}

/* It was read itself, or the agent has put it there: some do. */
static bool is_in_output(const struct gathering *g, const struct site_text *t)
{
    return (g->site.file && strcmp(t->path, g->site.file) == 0) ||
           (g->output.len && memmem(g->output.ptr, g->output.len, t->text.ptr, t->text.len));
}

/* What does not fit any more is not marked: it comes with a later call. */
static int add_text(struct gathering *g, const struct site_text *t, struct err *e)
{
    static const size_t around = sizeof("<directory-context>\n\n</directory-context>") + 16;
    struct arena *a = g->call->arena;
    const char *head = arena_printf(a, "%s[%s]\n", g->block.len ? SEPARATOR : "", t->name);
    size_t room = site_room(g->call, around + strlen(head), (size_t)g->options->max_size);
    struct str text = site_cut(a, t, room);
    bool first;
    int r;

    if (g->block.len + strlen(head) + text.len + around > site_budget(g->call))
        return 0;
    r = site_say(g->call, t->path, &first, e);
    if (r == 0)
        r = site_keep(g->call, t->path, g->name, e);
    if (r < 0 || !(first || g->again) || is_in_output(g, t))
        return r;
    strbuf_addstr(&g->block, head);
    strbuf_add(&g->block, text.ptr, text.len);
    return 0;
}

/* The text of one folder. */
static int add_folder(struct gathering *g, const char *folder, struct err *e)
{
    struct arena *a = g->call->arena;
    struct site_text t;
    bool said;
    int r;

    if (!site_read(a, &g->site, path_join(a, folder, g->name), &t))
        return 0;
    if (g->in_system && strcmp(t.path, g->in_system) == 0)
        return 0;
    r = site_was_said(g->call, t.path, &said, e);
    return r < 0 || said ? r : add_text(g, &t, e);
}

static bool is_known(const struct gathering *g, const char *folder)
{
    const struct hook_call *c = g->call;
    const struct known_place place = {
        .cwd = c->event->session.cwd,
        .folder = folder,
        .read = str_is(event_tool(c->arena, c->event), "read"),
    };

    return c->config && strcmp(g->name, "AGENTS.md") == 0 &&
           known_to_agent(c->arena, c->config->answering, &place);
}

static int add_folders(struct gathering *g, struct err *e)
{
    struct arena *a = g->call->arena;
    const char *up[DEPTH_MAX], *folder = path_dirname(a, g->site.file);
    size_t count = 0;
    int r = 0;

    while (count < DEPTH_MAX && path_within(g->site.root, folder)) {
        if (!is_known(g, folder))
            up[count++] = folder;
        if (strcmp(folder, g->site.root) == 0)
            break;
        folder = path_dirname(a, folder);
    }
    while (count > 0 && r == 0)
        r = add_folder(g, up[--count], e);
    return r;
}

static void inject_block(struct gathering *g, struct verdict *v)
{
    struct arena *a = g->call->arena;

    if (g->block.len)
        verdict_inject(a, v, "directory",
                       arena_printf(a, "<directory-context>\n%s\n</directory-context>",
                                    strbuf_cstr(&g->block)));
    strbuf_release(&g->block);
}

int directory_inject(const struct hook_call *c, const char *name, struct verdict *v, struct err *e)
{
    struct gathering g = { .call = c, .options = c->options, .name = name };
    struct str known = { 0 };
    int r;

    if (!is_wanted(c, g.options) || !site_find(c, &g.site))
        return 0;
    r = state_get(c, SYSTEM, &known, e);
    if (r < 0)
        return r;
    g.in_system = arena_cstr(c->arena, known);
    g.output = json_str(c->arena, event_data(c->event, STR("output")));
    r = add_folders(&g, e);
    inject_block(&g, v);
    return r;
}

int directory_put_back(const struct hook_call *c, const char *name, struct verdict *v,
                       struct err *e)
{
    struct gathering g = { .call = c, .options = c->options, .name = name, .again = true };
    struct site_kept *list;
    size_t count;
    int r = site_kept(c, &list, &count, e);

    if (r < 0 || count == 0 || !site_root(c, &g.site))
        return r;
    for (size_t i = 0; i < count && r == 0; i++) {
        struct site_text t;
        bool first;

        if (!site_read(c->arena, &g.site, list[i].path, &t))
            continue;
        r = site_survived(c, t.text) ? site_say(c, t.path, &first, e) : add_text(&g, &t, e);
    }
    inject_block(&g, v);
    return r;
}

static bool holds(struct arena *a, const struct json *system, struct str text)
{
    for (const struct json *s = json_first(system); s; s = json_next(s)) {
        struct str part = json_str(a, s);

        if (part.len && memmem(part.ptr, part.len, text.ptr, text.len))
            return true;
    }
    return false;
}

int directory_note_system(const struct hook_call *c, const char *name, struct err *e)
{
    const struct json *system = event_data(c->event, STR("system"));
    struct site site;
    struct site_text t;
    struct str known = { 0 };
    const char *path;
    int r;

    if (!site_root(c, &site))
        return 0;
    path = path_join(c->arena, site.root, name);
    if (access(path, R_OK) < 0)
        return 0;
    r = state_get(c, SYSTEM, &known, e);
    if (r < 0 || str_is_set(known))
        return r;
    if (!site_read(c->arena, &site, path, &t) || !holds(c->arena, system, t.text))
        return 0;
    return state_set(c, SYSTEM, str_of(t.path), e);
}
