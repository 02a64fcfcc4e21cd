#include "hook/directory.h"

#include "base/path.h"
#include "hook/site.h"
#include "hook/state.h"

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

/* Some agents (OpenCode) show such files themselves, behind what was read. */
static bool is_shown(const struct gathering *g, struct str text)
{
    struct str output = json_str(g->call->arena, event_data(g->call->event, STR("output")));

    return output.len && memmem(output.ptr, output.len, text.ptr, text.len);
}

/* The text of one folder. What does not fit any more is not marked: it comes with a later call. */
static int add_folder(struct gathering *g, const char *folder, struct err *e)
{
    static const size_t around = sizeof("<directory-context>\n\n</directory-context>") + 16;
    struct arena *a = g->call->arena;
    struct site_text t;
    struct str text;
    const char *head;
    bool said, first;
    int r;

    if (!site_read(a, &g->site, path_join(a, folder, g->name), &t))
        return 0;
    if (g->in_system && strcmp(t.path, g->in_system) == 0)
        return 0;
    r = site_was_said(g->call, t.path, &said, e);
    if (r < 0 || said)
        return r;
    text = site_cut(a, &t, (size_t)g->options->max_size);
    head = arena_printf(a, "%s[%s]\n", g->block.len ? SEPARATOR : "", t.name);
    if (g->block.len + strlen(head) + text.len + around > site_budget(g->call))
        return 0;
    r = site_say(g->call, t.path, &first, e);
    if (r < 0 || !first || strcmp(t.path, g->site.file) == 0 || is_shown(g, t.text))
        return r; /* it is there already, or has just been read itself */
    strbuf_addstr(&g->block, head);
    strbuf_add(&g->block, text.ptr, text.len);
    return 0;
}

static int add_folders(struct gathering *g, struct err *e)
{
    struct arena *a = g->call->arena;
    const char *up[DEPTH_MAX], *folder = path_dirname(a, g->site.file);
    size_t count = 0;
    int r = 0;

    while (count < DEPTH_MAX && path_within(g->site.root, folder)) {
        up[count++] = folder;
        if (strcmp(folder, g->site.root) == 0)
            break;
        folder = path_dirname(a, folder);
    }
    while (count > 0 && r == 0)
        r = add_folder(g, up[--count], e);
    return r;
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
    r = add_folders(&g, e);
    if (r == 0 && g.block.len)
        verdict_inject(c->arena, v, "directory",
                       arena_printf(c->arena, "<directory-context>\n%s\n</directory-context>",
                                    strbuf_cstr(&g.block)));
    strbuf_release(&g.block);
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
