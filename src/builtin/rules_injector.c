/*
 * rules-injector - after a tool worked on a file, the rule texts of the project that hold for it.
 *
 * Points:  tool.execute.after; session.created puts back what a compaction has lost
 * Options: folders, max_size
 * Tests:   tests/unit/builtin/test_rules_injector.c
 *
 * Looked for in every folder from the file's up to the workspace's root; the nearest come first. A
 * rule is said once per session, by its path and by its text: copies of it say nothing new.
 */
#include "base/file.h"
#include "base/map.h"
#include "base/path.h"
#include "hook/rule_text.h"
#include "hook/site.h"

#include <inttypes.h>

#define DEPTH_MAX 64  /* folders above the file */
#define NEST_MAX  4   /* folders inside a folder of rules */
#define FILES_MAX 200 /* looked at per event */
#define RULE_END  "\n</rule>"

struct options {
    const char *const *folders;
    int64_t max_size;
};

static const struct option options[] = {
    OPTION_LIST("folders", struct options, folders,
                "[.hooke/rules, .cursor/rules, .claude/rules, .github/instructions]",
                "where rules are looked for, in the file's folder and those above it"),
    OPTION_SIZE("max_size", struct options, max_size, "16k", 256, 1048576,
                "bytes of one rule; the rest is left to be read"),
    OPTION_END,
};

struct gathering {
    const struct hook_call *call;
    struct verdict *verdict;
    struct site site;
    const char *base; /* the folder the rules belong to */
    size_t looked_at, bytes;
    bool again; /* a compaction has lost what was said */
};

static bool is_rule_name(const char *name)
{
    struct str s = str_of(name);

    return str_ends(s, STR(".md")) || str_ends(s, STR(".mdc"));
}

static const char *text_key(struct arena *a, struct str body)
{
    return arena_printf(a, "text/%016" PRIx64 "-%zu", map_hash(0, body), body.len);
}

/* Both marks are looked at before either is set: who finds one of them says nothing. */
static int is_new(const struct gathering *g, const struct site_text *t, const char *key,
                  bool *is_new_rule, struct err *e)
{
    bool said = false, copy = false;
    int r = site_was_said(g->call, t->path, &said, e);

    if (r == 0 && !said)
        r = site_was_said(g->call, key, &copy, e);
    *is_new_rule = !said && !copy;
    return r;
}

static int mark(const struct gathering *g, const struct site_text *t, const char *key, bool *first,
                struct err *e)
{
    bool ignored;
    int r = site_say(g->call, key, first, e);

    return r < 0 ? r : site_say(g->call, t->path, &ignored, e);
}

static const char *rule_block(const struct gathering *g, const struct site_text *t, const char *why)
{
    const struct options *o = g->call->options;
    struct arena *a = g->call->arena;
    const char *head = arena_printf(a, "<rule file=\"%s\" because=\"%s\">\n", t->name, why);
    size_t room = site_room(g->call, strlen(head) + sizeof(RULE_END) + 4, (size_t)o->max_size);

    return arena_printf(a, "%s%.*s%s", head, STR_ARG(site_cut(a, t, room)), RULE_END);
}

/* What does not fit any more is not marked: it comes with a later call. */
static int say_rule(struct gathering *g, const struct site_text *t, const char *why, struct err *e)
{
    struct arena *a = g->call->arena;
    const char *text = rule_block(g, t, why);
    bool first = false;
    int r;

    if (g->bytes + strlen(text) + 4 > site_budget(g->call))
        return 0;
    r = mark(g, t, text_key(a, t->text), &first, e);
    if (r == 0)
        r = site_keep(g->call, t->path, why, e);
    if (r < 0 || !(first || g->again))
        return r;
    g->bytes += strlen(text) + 4;
    verdict_inject(a, g->verdict, t->name, text);
    return 0;
}

/* NULL: it does not hold for the file, or says nothing. */
static const char *reason_of(const struct gathering *g, const char *path, struct site_text *t)
{
    struct arena *a = g->call->arena;
    struct rule_text rule;
    const char *why;

    if (!site_read(a, &g->site, path, t) || strcmp(t->path, g->site.file) == 0)
        return NULL;
    rule_text_parse(a, t->text, &rule);
    why = rule_text_match(&rule, site_below(g->site.root, g->site.file),
                          site_below(g->base, g->site.file));
    t->text = rule.body;
    return rule.body.len ? why : NULL;
}

static int add_rule(struct gathering *g, const char *path, struct err *e)
{
    struct site_text t;
    const char *why = reason_of(g, path, &t);
    bool fresh = false;
    int r;

    if (!why)
        return 0;
    r = is_new(g, &t, text_key(g->call->arena, t.text), &fresh, e);
    return r < 0 || !fresh ? r : say_rule(g, &t, why, e);
}

static int put_back(struct gathering *g, const struct site_kept *kept, struct err *e)
{
    struct arena *a = g->call->arena;
    struct rule_text rule;
    struct site_text t;
    bool first;

    if (!site_read(a, &g->site, kept->path, &t))
        return 0;
    rule_text_parse(a, t.text, &rule);
    t.text = rule.body;
    if (!t.text.len)
        return 0;
    return site_survived(g->call, t.text) ? mark(g, &t, text_key(a, t.text), &first, e)
                                          : say_rule(g, &t, kept->why, e);
}

static int session_created(const struct hook_call *c, struct verdict *v, struct err *e)
{
    struct gathering g = { .call = c, .verdict = v, .again = true };
    struct site_kept *list;
    size_t count;
    int r = site_kept(c, &list, &count, e);

    if (r < 0 || count == 0 || !site_root(c, &g.site))
        return r;
    for (size_t i = 0; i < count && r == 0; i++)
        r = put_back(&g, &list[i], e);
    return r;
}

static int no_dots(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

static int add_folder(struct gathering *g, const char *folder, unsigned depth, struct err *e)
{
    struct arena *a = g->call->arena;
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, no_dots, alphasort), r = 0;

    for (int i = 0; i < count; i++) {
        const char *path = path_join(a, folder, entries[i]->d_name);
        struct stat st;

        if (r == 0 && g->looked_at < FILES_MAX && stat(path, &st) == 0) {
            g->looked_at++;
            if (S_ISDIR(st.st_mode) && depth < NEST_MAX)
                r = add_folder(g, path, depth + 1, e);
            else if (S_ISREG(st.st_mode) && is_rule_name(path))
                r = add_rule(g, path, e);
        }
        free(entries[i]);
    }
    free(entries);
    return r;
}

/* An agent that reads a folder of rules by itself is not told them twice. */
static bool is_known(const struct hook_call *c, const char *folder)
{
    const char *agent = c->config ? c->config->answering : NULL;

    return agent && strcmp(agent, "claude") == 0 && strcmp(folder, ".claude/rules") == 0;
}

/* Not by `tools` of the hook, which would keep it from other points too. */
static bool is_wanted(const struct hook_call *c)
{
    struct str tool = event_tool(c->arena, c->event);

    return str_is(tool, "read") || str_is(tool, "write") || str_is(tool, "edit") ||
           str_is(tool, "apply_patch");
}

static int add_rules(struct gathering *g, struct err *e)
{
    struct arena *a = g->call->arena;
    const struct options *o = g->call->options;
    int r = 0;

    g->base = path_dirname(a, g->site.file);
    for (unsigned i = 0; i < DEPTH_MAX && r == 0 && path_within(g->site.root, g->base); i++) {
        for (const char *const *f = o->folders; *f && r == 0; f++)
            if (!is_known(g->call, *f))
                r = add_folder(g, path_join(a, g->base, *f), 0, e);
        if (strcmp(g->base, g->site.root) == 0)
            break;
        g->base = path_dirname(a, g->base);
    }
    return r;
}

static int tool_execute_after(const struct hook_call *c, struct verdict *v, struct err *e)
{
    struct gathering g = { .call = c, .verdict = v };
    bool more = is_wanted(c) && site_find(c, &g.site);
    int r = 0;

    while (more && r == 0) {
        r = add_rules(&g, e);
        more = site_next(c, &g.site);
    }
    return r;
}

const struct hook_def rules_injector_hook = {
    .name = "rules-injector",
    .summary = "tells which rule texts of the project hold for a file, once",
    .layer = LAYER_PRODUCE,
    .options = options,
    .options_size = sizeof(struct options),
    .on = { [POINT_SESSION_CREATED] = session_created,
            [POINT_TOOL_EXECUTE_AFTER] = tool_execute_after },
};
