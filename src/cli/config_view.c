#include "cli/config_view.h"

#include "base/suggest.h"

#include <stdio.h>

struct view {
    struct cli *cli;
    struct table table;
    struct json *flat; /* with --origin --json */
    bool origin;
};

/* A text that YAML would not read back as the same text is quoted. */
static const char *scalar_text(struct arena *a, const struct setting *s)
{
    static const char *const words[] = { "", "true", "false", "null", "~", "yes", "no" };
    CLEANUP(strbuf) struct strbuf b = { 0 };
    bool plain = strcspn(s->text.ptr, "\n\t\"#:'{}[]\\,&*") == s->text.len;

    if (s->kind == SETTING_NULL)
        return "null";
    if (s->kind != SETTING_STRING)
        return s->text.ptr;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        plain = plain && !str_is(s->text, words[i]);
    if (plain && strspn(s->text.ptr, "0123456789.+-eE") != s->text.len)
        return s->text.ptr;
    json_write_string(&b, s->text);
    return arena_strdup(a, strbuf_cstr(&b));
}

static const char *leaf_text(struct arena *a, const struct setting *s)
{
    if (s->kind == SETTING_MAP)
        return "{}";
    return s->kind == SETTING_LIST ? "[]" : scalar_text(a, s);
}

static void add_leaf(struct view *v, const char *path, const struct setting *s)
{
    struct arena *a = &v->cli->arena;

    if (v->flat) {
        struct json *j = json_object(a);

        json_add(a, j, STR("value"), setting_to_json(a, s));
        json_add(a, j, STR("origin"), json_cstring(a, origin_text(a, &s->origin)));
        json_add(a, v->flat, str_of(path), j);
        return;
    }
    table_cell(&v->table, STYLE_PLAIN, "%s = %s", path, leaf_text(a, s));
    if (v->origin)
        table_cell(&v->table, STYLE_DIM, "# %s", origin_text(a, &s->origin));
}

/* Configuration is never deeper than its parsers allow. */
static void add_leaves(struct view *v, const char *path, const struct setting *s)
{
    struct arena *a = &v->cli->arena;
    unsigned index = 0;

    if (!s->first || (s->kind != SETTING_MAP && s->kind != SETTING_LIST)) {
        if (path[0])
            add_leaf(v, path, s);
        return;
    }
    for (const struct setting *c = s->first; c; c = c->next) {
        const char *below = s->kind == SETTING_LIST ? arena_printf(a, "%s[%u]", path, index++)
                            : path[0]               ? arena_printf(a, "%s.%s", path, c->key.ptr)
                                                    : c->key.ptr;

        add_leaves(v, below, c);
    }
}

/* Keys may hold dots themselves (points do), so every member that fits is tried. */
static const struct setting *find_key(const struct setting *s, const char *rest)
{
    unsigned index = 0;

    if (rest[0] == '\0')
        return s;
    if (rest[0] == '.')
        rest++;
    for (const struct setting *c = s->first; c; c = c->next, index++) {
        const struct setting *found = NULL;
        char at[16];
        struct str key = c->key;

        if (s->kind == SETTING_LIST) {
            snprintf(at, sizeof(at), "[%u]", index);
            key = str_of(at);
        }
        if (key.len && strncmp(rest, key.ptr, key.len) == 0 && strchr(".[", rest[key.len]))
            found = find_key(c, rest + key.len);
        if (found)
            return found;
    }
    return NULL;
}

static int unset_key(struct cli *cli, const struct setting *root, const char *key)
{
    const char *known[128];
    size_t count = 0;

    for (const struct setting *c = root ? root->first : NULL; c && count < ARRAY_LEN(known);
         c = c->next)
        known[count++] = c->key.ptr;
    return cli_fail(cli, "nothing sets '%s'%s", key,
                    suggest(&cli->arena, str_nearest(key, known, count),
                            "; 'hooke config show' prints what is set"));
}

int config_view_show(struct cli *cli, const struct setting *root, const char *key, bool origin,
                     bool json)
{
    static const struct column columns[2] = { 0 };
    struct view v = { .cli = cli, .origin = origin };
    const struct setting *s = root && key ? find_key(root, key) : root;

    if (key && !s)
        return unset_key(cli, root, key);
    if (json && !origin) {
        cli_json(cli, s ? setting_to_json(&cli->arena, s) : json_object(&cli->arena));
        return EXIT_DONE;
    }
    v.table = (struct table){
        .arena = &cli->arena, .columns = columns, .column_count = 1 + origin, .no_titles = true
    };
    v.flat = json ? json_object(&cli->arena) : NULL;
    if (s)
        add_leaves(&v, key ? key : "", s);
    if (json)
        cli_json(cli, v.flat);
    else
        table_print(&v.table, &cli->out);
    return EXIT_DONE;
}

/* Files ---------------------------------------------------------------------------------------- */

size_t config_view_count(const struct config *config)
{
    size_t count = 0;

    for (size_t i = 0; i < config->file_count; i++)
        count += config->files[i].exists;
    return count;
}

static const char *file_state(const struct config_file *f)
{
    if (!f->exists)
        return "missing";
    return f->trusted ? "used" : "not trusted";
}

static const struct json *paths_json(struct arena *a, const struct config *config)
{
    struct json *list = json_array(a);

    for (size_t i = 0; i < config->file_count; i++) {
        const struct config_file *f = &config->files[i];
        struct json *j = json_object(a);

        json_add(a, j, STR("path"), json_cstring(a, f->path));
        json_add(a, j, STR("source"), json_cstring(a, source_name(f->source)));
        json_add(a, j, STR("exists"), json_bool(a, f->exists));
        json_add(a, j, STR("trusted"), json_bool(a, f->trusted));
        json_push(a, list, j);
    }
    return list;
}

void config_view_paths(struct cli *cli, const struct config *config, bool json)
{
    static const struct column columns[3] = { { .title = "SOURCE" },
                                              { .title = "STATE" },
                                              { .title = "FILE" } };
    struct table t = { .arena = &cli->arena, .columns = columns, .column_count = 3 };

    if (json) {
        cli_json(cli, paths_json(&cli->arena, config));
        return;
    }
    for (size_t i = 0; i < config->file_count; i++) {
        const struct config_file *f = &config->files[i];
        enum style style = !f->exists ? STYLE_DIM : f->trusted ? STYLE_GREEN : STYLE_YELLOW;

        table_cell(&t, STYLE_PLAIN, "%s", source_name(f->source));
        table_cell(&t, style, "%s", file_state(f));
        table_cell(&t, STYLE_PLAIN, "%s", f->path);
    }
    table_print(&t, &cli->out);
}
