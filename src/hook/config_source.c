#include "hook/config_source.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/path.h"
#include "base/yaml.h"
#include "hook/trust.h"

#include <errno.h>
#include <unistd.h>

#define WRITING_MS 2000

/* "config.json" for "config.yaml"; NULL for a name that ends otherwise. */
static char *with_json(struct arena *a, const char *path)
{
    const struct str yaml = STR(".yaml");
    struct str name = str_of(path);

    if (!str_ends(name, yaml))
        return NULL;
    return arena_printf(a, "%.*s.json", (int)(name.len - yaml.len), path);
}

static void add_source(struct arena *a, struct config_sources *out, enum source source,
                       const char *path)
{
    struct config_source *s = &out->list[out->count++];

    *s = (struct config_source){ .source = source, .name = path, .path = path };
    s->other = with_json(a, path);
    s->id = file_identify(path);
    if (s->other)
        s->other_id = file_identify(s->other);
    if (!s->id.exists && s->other_id.exists) {
        struct file_identity id = s->id;

        s->path = s->other;
        s->other = path;
        s->id = s->other_id;
        s->other_id = id;
    }
}

static const char *hive_path(struct arena *a)
{
    /* path_xdg() ends in "/hooke"; the neighbour's folder is beside it. */
    const char *config = path_dirname(a, path_xdg(a, PATH_CONFIG));

    return path_join(a, config, "opencode/agent_hive.json");
}

static const char *current_dir(struct arena *a)
{
    CLEANUP(mem) char *cwd = getcwd(NULL, 0);

    return arena_strdup(a, cwd ? cwd : "/");
}

void config_sources_find(struct arena *a, const struct config_where *where,
                         struct config_sources *out)
{
    const char *cwd = where->cwd ? where->cwd : current_dir(a);
    const char *managed = where->managed ? where->managed : "/etc/hooke/config.yaml";
    const char *hive = where->hive ? where->hive : hive_path(a);
    const char *usual;
    const char *user = where->user_file ? path_join(a, current_dir(a), where->user_file) : NULL;

    *out = (struct config_sources){
        .workspace = path_workspace(a, cwd),
        .user_dir = where->user_dir ? where->user_dir : path_xdg(a, PATH_CONFIG),
        .state_dir = where->state_dir ? where->state_dir : path_xdg(a, PATH_STATE),
    };
    usual = path_join(a, out->user_dir, "trusted");
    out->trust = where->trust ? where->trust : trust_file(a, out->user_dir);
    out->trust = path_normalize(a, path_join(a, current_dir(a), out->trust));
    out->trust_named = where->trust || strcmp(out->trust, usual) != 0;
    out->trust_id = file_identify(out->trust);
    add_source(a, out, SOURCE_MANAGED, managed);
    add_source(a, out, SOURCE_HIVE, hive);
    add_source(a, out, SOURCE_USER, user ? user : path_join(a, out->user_dir, "config.yaml"));
    add_source(a, out, SOURCE_WORKSPACE, path_join(a, out->workspace, ".hooke/config.yaml"));
    add_source(a, out, SOURCE_WORKSPACE, path_join(a, out->workspace, ".hooke/config.local.yaml"));
}

/* All other keys of the map go. */
static void keep_only(struct setting *map, const char *key)
{
    struct setting **link = &map->first;

    while (*link) {
        if (str_is((*link)->key, key))
            link = &(*link)->next;
        else
            *link = (*link)->next;
    }
}

static void parse_source(struct arena *a, struct config_source *s, struct str text)
{
    const struct origin file = { .source = s->source, .file = s->path };
    struct err e = { 0 };

    if (setting_parse(a, &file, text, &s->tree, &s->bad, &e) < 0) {
        s->state = STATE_BROKEN;
        s->message = arena_strdup(a, e.msg);
        return;
    }
    if (s->tree->kind != SETTING_MAP && s->tree->kind != SETTING_NULL) {
        s->state = STATE_BROKEN;
        s->bad = s->tree->origin;
        s->message =
            arena_printf(a, "expected a map of settings, not %s", setting_kind_name(s->tree->kind));
        s->tree = NULL;
        return;
    }
    s->state = STATE_READ;
    if (s->source == SOURCE_HIVE) /* the rest of the neighbour's file is none of our business */
        keep_only(s->tree, "hook_cadence");
}

/*
 * Of a file that has changed, what was trusted tells which hooks must not go missing: those that
 * are no part of the configuration now, but whose absence counts as a failure.
 */
static void read_pinned(struct arena *a, const struct config_sources *sources,
                        struct config_source *s)
{
    const struct origin file = { .source = s->source, .file = s->path };
    const char *copy = trust_kept_of(a, sources->trust, s->path);
    struct str text;

    if (!copy || file_read(a, copy, YAML_MAX_BYTES, &text, NULL) < 0 ||
        setting_parse(a, &file, text, &s->tree, &s->bad, NULL) < 0 || s->tree->kind != SETTING_MAP)
        s->tree = NULL;
    if (s->tree)
        keep_only(s->tree, "hooks");
}

static enum source_state state_of(enum trust trust)
{
    switch (trust) {
    case TRUST_PINNED:
        return STATE_READ;
    case TRUST_CHANGED:
        return STATE_CHANGED;
    case TRUST_UNKNOWN:
        break;
    }
    return STATE_UNTRUSTED;
}

/* Who saves a file by emptying it first must not switch off its guards for that moment. */
static bool is_being_written(const struct config_source *s, struct str text)
{
    return text.len == 0 && clock_wall_ms() - s->id.mtime_ns / 1000000 < WRITING_MS;
}

/* A trusted file that is no longer there, under either name; another in its place changes nothing.
 */
static bool has_vanished(const struct config_sources *sources, struct config_source *s)
{
    const char *other = s->other;

    if (s->source != SOURCE_WORKSPACE)
        return false;
    if (!s->id.exists && trust_is_pinned(sources->trust, s->path))
        return true;
    if (s->other_id.exists || !other || !trust_is_pinned(sources->trust, other))
        return false;
    s->other = s->path;
    s->path = other;
    s->other_id = s->id;
    s->id = (struct file_identity){ 0 };
    return true;
}

void config_source_read(struct arena *a, const struct config_sources *sources,
                        struct config_source *s)
{
    struct str text;
    struct err e = { 0 };
    int r;

    if (has_vanished(sources, s)) {
        s->state = STATE_CHANGED;
        read_pinned(a, sources, s);
        return;
    }
    if (!s->id.exists)
        return;
    r = file_read(a, s->path, YAML_MAX_BYTES, &text, &e);
    if (r == -ENOENT) /* it went since */
        return;
    if (r < 0 || is_being_written(s, text)) {
        /* Of a workspace nobody knows whether the bytes are the trusted ones. */
        s->state = s->source == SOURCE_WORKSPACE ? STATE_UNTRUSTED : STATE_BROKEN;
        s->emptied = r == 0;
        s->bad = (struct origin){ .source = s->source, .file = s->path };
        s->message = arena_strdup(a, r < 0 ? e.msg : "it is empty and changed a moment ago");
        return;
    }
    /* What others can write is not the user's word; the neighbour's file says little. */
    if ((s->source == SOURCE_USER || s->source == SOURCE_MANAGED) &&
        trust_owner_check(s->path, &e) < 0) {
        s->state = STATE_BROKEN;
        s->bad = (struct origin){ .source = s->source, .file = s->path };
        s->message = arena_strdup(a, e.msg);
        return;
    }
    if (s->source == SOURCE_WORKSPACE) {
        s->state = state_of(trust_check(sources->trust, s->path, text));
        if (s->state == STATE_CHANGED)
            read_pinned(a, sources, s);
        if (s->state != STATE_READ)
            return;
    }
    parse_source(a, s, text);
}
