#include "find/claude_settings.h"

#include "base/file.h"
#include "base/path.h"
#include "base/suggest.h"
#include "find/claude_handler.h"
#include "find/entry.h"
#include "find/permit.h"

#define SETTINGS_MAX ((size_t)4 << 20)

/* Events of Claude's that nothing in hooke corresponds to. */
static const char *const without_point[] = {
    "Setup",           "UserPromptExpansion", "PermissionDenied",
    "PostToolBatch",   "MessageDisplay",      "TaskCreated",
    "TaskCompleted",   "TeammateIdle",        "InstructionsLoaded",
    "ConfigChange",    "CwdChanged",          "DirectoryAdded",
    "FileChanged",     "WorktreeCreate",      "WorktreeRemove",
    "Elicitation",     "ElicitationResult",   "PreModelSwitch",
    "PostModelSwitch",
};

/* Entries -------------------------------------------------------------------------------------- */

static struct setting *group_of(struct claude_settings *c, const struct setting *event)
{
    const char *name = arena_printf(c->arena, "claude/%s", event->key.ptr);
    struct origin where = setting_key_origin(event);
    struct setting *entry = c->first;

    while (entry && !str_is(setting_get(entry, "name")->text, name))
        entry = entry->next;
    if (!entry) {
        entry = entry_new(c->arena, &where, name);
        entry_text(c->arena, entry, "on", event->key.ptr);
        entry_text(c->arena, entry, "dialect", "claude");
        entry_list(c->arena, entry, "group");
        if (c->last)
            c->last->next = entry;
        else
            c->first = entry;
        c->last = entry;
    }
    for (struct setting *s = entry->first; s; s = s->next)
        if (str_is(s->key, "group"))
            return s;
    return NULL;
}

static bool is_said_alike(struct arena *a, const struct setting *x, const struct setting *y,
                          const char *key)
{
    const struct setting *in_x = setting_get(x, key), *in_y = setting_get(y, key);

    if (!in_x || !in_y)
        return in_x == in_y;
    return json_equal(setting_to_json(a, in_x), setting_to_json(a, in_y));
}

/*
 * The same handler, written in several files or twice in one, runs once; one that can refuse is not
 * the same as one that cannot.
 */
static bool is_there(struct arena *a, const struct setting *group, const struct setting *handler)
{
    static const char *const keys[] = { "exec", "match", "if", "async", "on_failure" };

    for (const struct setting *h = group->first; h; h = h->next) {
        size_t alike = 0;

        while (alike < ARRAY_LEN(keys) && is_said_alike(a, h, handler, keys[alike]))
            alike++;
        if (alike == ARRAY_LEN(keys))
            return true;
    }
    return false;
}

static void add_handler(struct claude_settings *c, const struct setting *event,
                        const struct setting *matcher, const struct setting *said)
{
    struct setting *handler = claude_handler_read(c, said), *group;

    if (!handler)
        return;
    if (matcher && matcher->text.len && !str_is(matcher->text, "*"))
        entry_copy(c->arena, handler, "match", matcher);
    group = group_of(c, event);
    if (!is_there(c->arena, group, handler))
        entry_copy(c->arena, group, NULL, handler);
}

/* The file ------------------------------------------------------------------------------------- */

static bool is_kind(struct claude_settings *c, const struct setting *s, enum setting_kind kind,
                    const char *what)
{
    if (s && s->kind == kind)
        return true;
    if (s)
        problem_warn(c->problems, &s->origin, "%s must be %s, not %s: it is left out", what,
                     setting_kind_name(kind), setting_kind_name(s->kind));
    return false;
}

static void read_matcher(struct claude_settings *c, const struct setting *event,
                         const struct setting *item)
{
    const struct setting *matcher = setting_get(item, "matcher");
    const struct setting *hooks = setting_get(item, "hooks");

    if (!is_kind(c, item, SETTING_MAP, "an entry of an event"))
        return;
    if (matcher && !is_kind(c, matcher, SETTING_STRING, "'matcher'"))
        return;
    if (!hooks) {
        problem_warn(c->problems, &item->origin, "an entry without 'hooks' is left out");
        return;
    }
    if (!is_kind(c, hooks, SETTING_LIST, "'hooks'"))
        return;
    for (const struct setting *h = hooks->first; h; h = h->next)
        add_handler(c, event, matcher, h);
}

/* Nothing is lost of what `hooke install` has written: it is there to answer the agent. */
static bool is_all_ours(const struct setting *event)
{
    size_t ours = 0;

    for (const struct setting *item = event->first; item; item = item->next) {
        const struct setting *hooks = setting_get(item, "hooks");

        for (const struct setting *h = hooks ? hooks->first : NULL; h; h = h->next) {
            const struct setting *command = setting_get(h, "command");

            if (!command || !claude_handler_runs_hooke(command->text))
                return false;
            ours++;
        }
    }
    return ours > 0;
}

/* Whether the event can happen here; else a warning. */
static bool has_point(struct claude_settings *c, const struct setting *event)
{
    struct origin where = setting_key_origin(event);

    if (point_alias_of("claude", event->key))
        return true;
    if (is_all_ours(event))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(without_point); i++)
        if (str_is(event->key, without_point[i])) {
            problem_warn(c->problems, &where, "hooke has no point for '%s': its hooks are left out",
                         event->key.ptr);
            return false;
        }
    problem_warn(c->problems, &where, "unknown event '%s'%s: its hooks are left out",
                 event->key.ptr,
                 suggest(c->arena, point_alias_nearest("claude", event->key.ptr), ""));
    return false;
}

static void read_hooks(struct claude_settings *c, const struct setting *hooks)
{
    if (!is_kind(c, hooks, SETTING_MAP, "'hooks'"))
        return;
    for (const struct setting *event = hooks->first; event; event = event->next) {
        if (!is_kind(c, event, SETTING_LIST, "an event") || !event->first || !has_point(c, event))
            continue;
        for (const struct setting *item = event->first; item; item = item->next)
            read_matcher(c, event, item);
    }
}

/* A workspace says it of its own only. */
static void drop_workspace(struct claude_settings *c)
{
    struct setting *entry, *next = c->first;

    c->first = c->last = NULL;
    while ((entry = next)) {
        struct setting **link;

        next = entry->next;
        entry->next = NULL;
        if (entry->origin.source == SOURCE_WORKSPACE)
            continue;
        for (struct setting *s = entry->first; s; s = s->next)
            for (link = &s->first; *link;)
                if ((*link)->origin.source == SOURCE_WORKSPACE)
                    *link = (*link)->next;
                else
                    link = &(*link)->next;
        if (c->last)
            c->last->next = entry;
        else
            c->first = entry;
        c->last = entry;
    }
}

void claude_settings_read(struct claude_settings *c, const struct origin *file, struct str text)
{
    struct origin bad = *file;
    struct setting *root;
    struct err e = { 0 };

    if (c->user_off)
        return;
    if (setting_parse(c->arena, file, text, &root, &bad, &e) < 0) {
        problem_add(c->problems, &bad, "the hooks of '%s' are not used: %s", file->file, e.msg);
        return;
    }
    if (setting_is_true(setting_get(root, "disableAllHooks"))) {
        if (c->changed)
            return;
        c->user_off = file->source != SOURCE_WORKSPACE;
        drop_workspace(c);
        return;
    }
    if (setting_get(root, "hooks"))
        read_hooks(c, setting_get(root, "hooks"));
}

/* Where they are ------------------------------------------------------------------------------- */

/* As `hooke install claude --project` makes it. */
static bool is_only_ours(struct arena *a, const struct origin *file, struct str text)
{
    struct origin bad = *file;
    const struct setting *hooks;
    struct setting *root;

    if (!memmem(text.ptr, text.len, "hooke", strlen("hooke")) ||
        setting_parse(a, file, text, &root, &bad, NULL) < 0 || setting_get(root, "disableAllHooks"))
        return false;
    hooks = setting_get(root, "hooks");
    if (!hooks || hooks->kind != SETTING_MAP)
        return false;
    for (const struct setting *event = hooks->first; event; event = event->next)
        if (!is_all_ours(event))
            return false;
    return true;
}

/* Before it is trusted only whether there is anything to trust. */
static bool has_hooks(const struct origin *file)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct str text;

    if (!permit_head(&a, file->file, SETTINGS_MAX, &text))
        return true;
    if (file->source == SOURCE_WORKSPACE && is_only_ours(&a, file, text))
        return false;
    return memmem(text.ptr, text.len, "\"hooks\"", strlen("\"hooks\"")) ||
           memmem(text.ptr, text.len, "disableAllHooks", strlen("disableAllHooks"));
}

/* Which handlers must not go missing; see permit.h. Its mistakes were told while it was trusted. */
static void read_kept(struct claude_settings *c, const struct origin *file, struct str text)
{
    struct problems *loud = c->problems, quiet = { .arena = c->arena };

    quiet.end = &quiet.first;
    c->problems = &quiet;
    c->changed = true;
    claude_settings_read(c, file, text);
    c->changed = false;
    c->problems = loud;
}

static void read_file(struct config_finding *f, struct claude_settings *c,
                      const struct origin *file)
{
    struct permit_count refused = { 0 };
    struct permit permit;
    struct stat st;
    struct err e = { 0 };
    bool there = stat(file->file, &st) == 0;

    /* Trusted hooks that are no longer in it must not go in silence. */
    if ((!there || !S_ISREG(st.st_mode) || !has_hooks(file)) &&
        (file->source != SOURCE_WORKSPACE || !trust_is_pinned(f->trust, file->file)))
        return;
    if (there && trust_owner_check(file->file, &e) < 0) {
        problem_warn(f->problems, file, "its hooks are not used: %s", e.msg);
    } else if (permit_file(f, file->file, file->source, SETTINGS_MAX, &permit)) {
        claude_settings_read(c, file, permit.bytes);
    } else {
        permit_count(&refused, file->file, permit.trust);
        permit_warn(f, file->file, &refused);
        if (permit.kept)
            read_kept(c, file, permit.bytes);
    }
}

void claude_settings_find(struct found *found)
{
    static const char *const names[] = { ".claude/settings.json", ".claude/settings.local.json" };
    struct config_finding *f = found->finding;
    struct claude_settings c = { f->arena, f->problems, .project = f->workspace };
    const char *users = path_join(f->arena, f->home, names[0]);
    struct setting *next;

    if (f->answering && strcmp(f->answering, "claude") == 0)
        return; /* it runs them itself */
    config_found_watch(f, users);
    read_file(f, &c, &(struct origin){ .source = SOURCE_USER, .file = users });
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const char *path = path_join(f->arena, f->workspace, names[i]);

        config_found_watch(f, path);
        if (!file_is_same(path, users))
            read_file(f, &c, &(struct origin){ .source = SOURCE_WORKSPACE, .file = path });
    }
    for (struct setting *entry = c.first; entry; entry = next) {
        next = entry->next;
        entry->next = NULL;
        found_add(found, entry);
    }
}
