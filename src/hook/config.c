#include "hook/config.h"

#include "base/mem.h"
#include "base/path.h"
#include "hook/config_merge.h"
#include "hook/config_source.h"
#include "hook/trust.h"

/* What became of the files, as problems. */
static void report_source(struct config *c, const struct config_source *s)
{
    const struct origin file = { .source = s->source, .file = s->path };

    if (s->id.exists && s->other_id.exists) {
        const struct origin other = { .source = s->source, .file = s->other };

        problem_warn(&c->problems, &other, "'%s' is not used, because '%s' is there too", s->other,
                     s->path);
    }
    if (s->state == STATE_UNTRUSTED)
        problem_warn(&c->problems, &file, "'%s' is not trusted and is not used: run 'hooke trust'",
                     s->path);
    if (s->state == STATE_CHANGED)
        problem_warn(&c->problems, &file, "%s", trust_change(&c->arena, s->path));
    if (s->state == STATE_BROKEN && s->source == SOURCE_HIVE)
        problem_add(&c->problems, &s->bad, "%s; every cadence of it is 1", s->message);
}

/* A file that cannot be read must not take its guards with it. */
static void fall_back(struct config *c, const struct config_sources *sources,
                      struct config_source *s)
{
    s->tree = config_compiled_last_good(&c->arena, sources, s);
    if (s->emptied && !s->tree) /* an empty file, and always was */
        return;
    c->broken = true;
    if (s->tree)
        c->fallen_back = true;
    problem_add(&c->problems, &s->bad,
                s->tree ? "%s; the last good configuration is in force"
                        : "%s; without it, because there is no earlier good configuration",
                s->message);
}

static void read_sources(struct config *c, struct config_sources *sources, bool recompile)
{
    bool broken = false;

    if (!recompile && config_compiled_load(&c->arena, sources)) {
        c->problems.known = true;
        return;
    }
    for (size_t i = 0; i < sources->count; i++) {
        struct config_source *s = &sources->list[i];

        config_source_read(&c->arena, sources, s);
        broken = broken || (s->state == STATE_BROKEN && s->source != SOURCE_HIVE);
    }
    config_compiled_save(sources, !broken);
}

static void merge_sources(struct config *c, struct config_sources *sources, struct config_merge *m)
{
    for (size_t i = 0; i < sources->count; i++) {
        struct config_source *s = &sources->list[i];

        report_source(c, s);
        if (s->state == STATE_BROKEN && s->source == SOURCE_WORKSPACE)
            problem_add(&c->problems, &s->bad, "%s; the file is not used", s->message);
        else if (s->state == STATE_BROKEN && s->source != SOURCE_HIVE)
            fall_back(c, sources, s);
        if (s->tree)
            config_merge(m, s->tree);
        config_add_file(c, &(struct config_file){
                               .path = s->path,
                               .source = s->source,
                               .exists = s->id.exists,
                               .trusted = s->state != STATE_UNTRUSTED && s->state != STATE_CHANGED,
                           });
    }
}

void config_add_file(struct config *c, const struct config_file *file)
{
    for (size_t i = 0; i < c->file_count; i++)
        if (strcmp(c->files[i].path, file->path) == 0)
            return;
    c->files = arena_grow(&c->arena, c->files, c->file_count, &c->file_room, sizeof(*c->files));
    c->files[c->file_count++] = *file;
}

void config_watch(struct config *c, const char *path)
{
    if (!path)
        return;
    c->watched =
        arena_grow(&c->arena, c->watched, c->watched_count, &c->watched_room, sizeof(*c->watched));
    c->watched[c->watched_count++] = path;
}

/* Besides the sources: what entries of the user run is read when the hooks are made. */
static void watch_all(struct config *c, const struct config_sources *sources)
{
    config_watch(c, c->trust);
    for (size_t i = 0; i < sources->count; i++) {
        config_watch(c, sources->list[i].path);
        config_watch(c, sources->list[i].other);
    }
    for (size_t i = 0; i < c->hook_count; i++) {
        const struct hook_entry *h = &c->hooks[i];
        const struct setting *script = setting_get(h->spec, "script");

        if (h->runner != RUNNER_SCRIPT || !script || script->kind != SETTING_STRING)
            continue;
        config_watch(c, path_join(&c->arena,
                                  h->origin.file ? path_dirname(&c->arena, h->origin.file) : "",
                                  script->text.ptr));
    }
    for (size_t i = 0; i < c->file_count; i++)
        config_watch(c, c->files[i].path);
}

struct config *config_load(const struct config_where *where)
{
    struct config *c = xcalloc(1, sizeof(*c));
    struct config_merge m = { .arena = &c->arena, .problems = &c->problems };
    struct config_sources sources;

    c->problems.arena = &c->arena;
    config_merge_init(&m);
    config_sources_find(&c->arena, where, &sources);
    c->workspace = sources.workspace;
    c->answering = where->answering ? arena_strdup(&c->arena, where->answering) : NULL;
    c->trust = sources.trust;
    c->trust_named = sources.trust_named;
    config_check_trust(c);
    sources.trust = c->trust;
    read_sources(c, &sources, where->recompile);
    merge_sources(c, &sources, &m);
    config_environment(&m);
    config_flags(&m, where->flags);
    c->root = m.root;
    c->strict = m.values.strict;
    if (c->strict) /* every start must find every problem */
        c->problems.known = false;
    c->max_hooks = (uint32_t)m.values.max_hooks;
    c->max_continuations = (uint32_t)m.values.continuations;
    c->max_processes = (uint32_t)m.values.processes;
    c->event_timeout_ms =
        m.values.event_timeout < UINT32_MAX ? (uint32_t)m.values.event_timeout : UINT32_MAX;
    c->fetch_private = m.values.fetch_private;
    config_find_hooks(c, where, &sources, &m);
    config_read_hooks(c, where->builtins);
    config_read_programs(c);
    config_read_cadences(c, where->builtins);
    config_read_disabled(c, where->builtins);
    watch_all(c, &sources);
    return c;
}

void config_free(struct config *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->hook_count; i++) {
        match_release(c->hooks[i].traits.tool);
        match_release(c->hooks[i].traits.agent);
    }
    arena_release(&c->arena);
    free(c);
}

const struct setting *config_get_path(const struct config *c, const char *const *keys)
{
    const struct setting *s = c->root;

    for (; *keys; keys++)
        s = setting_get(s, *keys);
    return s;
}

const char *source_name(enum source s)
{
    static const char *const names[] = {
        [SOURCE_BUILTIN] = "built in",    [SOURCE_MANAGED] = "managed",
        [SOURCE_HIVE] = "agent-hive",     [SOURCE_USER] = "user",
        [SOURCE_WORKSPACE] = "workspace", [SOURCE_ENVIRONMENT] = "environment",
        [SOURCE_FLAG] = "flag",
    };

    return names[s];
}

const char *layer_name(enum layer l)
{
    static const char *const names[] = {
        [LAYER_GUARD] = "guard",     [LAYER_PRODUCE] = "produce",   [LAYER_TRANSFORM] = "transform",
        [LAYER_CONSUME] = "consume", [LAYER_VALIDATE] = "validate", [LAYER_OBSERVE] = "observe",
    };

    return names[l];
}

const char *failure_name(enum failure f)
{
    static const char *const names[] = {
        [FAILURE_ALLOW] = "allow",
        [FAILURE_ASK] = "ask",
        [FAILURE_BLOCK] = "block",
    };

    return names[f];
}

const char *runner_kind_name(enum runner_kind k)
{
    static const char *const names[] = {
        [RUNNER_BUILTIN] = "built-in", [RUNNER_RULE] = "rule",         [RUNNER_SCRIPT] = "script",
        [RUNNER_COMMAND] = "command",  [RUNNER_RESIDENT] = "resident",
    };

    return names[k];
}
