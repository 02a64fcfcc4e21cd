/*
 * The compiled configuration: what every source says, parsed, in one JSON file under the state
 * folder. It makes starting cheap. Beside it, one file per source keeps its last good tree, which
 * remains in force when the source breaks, whatever the workspace is then.
 *
 *     {"format":2,"version":"0.1.0","trust":FILE,"sources":[SOURCE…]}
 *     FILE    [path, exists, mtime in ns, size, inode, ctime in ns]
 *     SOURCE  {"source":n,"file":FILE,"other":FILE,"state":n,"tree":NODE,
 *              "message":…,"line":n,"column":n}
 *     NODE    [kind, line, column, text | [NODE…] | [key, line, column, NODE, …]]
 */
#include "base/clock.h"
#include "base/file.h"
#include "base/map.h"
#include "base/path.h"
#include "hook/config_source.h"

#include <inttypes.h>

#define FORMAT            2
#define COMPILED_MAX      ((size_t)64 << 20)
#define SETTLED_NS        100000000 /* a file younger than that may change without a new time */
#define MAX_DECODED_DEPTH 80

static char *compiled_path(struct arena *a, const struct config_sources *sources)
{
    uint64_t hash = map_hash(0, str_of(sources->workspace));

    for (size_t i = 0; i < sources->count; i++) {
        hash = map_hash(hash, STR("\n"));
        hash = map_hash(hash, str_of(sources->list[i].name));
    }
    return arena_printf(a, "%s/compiled/%016" PRIx64 ".json", sources->state_dir, hash);
}

static char *last_good_path(struct arena *a, const struct config_sources *sources,
                            const struct config_source *s)
{
    return arena_printf(a, "%s/last-good/%016" PRIx64 ".json", sources->state_dir,
                        map_hash(0, str_of(s->path)));
}

/* Writing */

static void push_int(struct arena *a, struct json *array, int64_t n)
{
    json_push(a, array, json_int(a, n));
}

static const struct json *encode_file(struct arena *a, const char *path,
                                      const struct file_identity *id)
{
    struct json *file = json_array(a);
    bool settled = clock_wall_ms() * 1000000 - id->mtime_ns > SETTLED_NS;

    json_push(a, file, json_cstring(a, path));
    json_push(a, file, json_bool(a, id->exists));
    push_int(a, file, settled ? id->mtime_ns : -1); /* -1 is never fresh */
    push_int(a, file, (int64_t)id->size);
    push_int(a, file, (int64_t)id->inode);
    push_int(a, file, id->ctime_ns);
    return file;
}

static const struct json *encode_tree(struct arena *a, const struct setting *s)
{
    struct json *node = json_array(a), *children;

    push_int(a, node, s->kind);
    push_int(a, node, s->origin.line);
    push_int(a, node, s->origin.column);
    if (s->kind != SETTING_LIST && s->kind != SETTING_MAP) {
        json_push(a, node, json_string(a, s->text));
        return node;
    }
    children = json_array(a);
    for (const struct setting *c = s->first; c; c = c->next) {
        if (s->kind == SETTING_MAP) {
            json_push(a, children, json_string(a, c->key));
            push_int(a, children, c->key_line);
            push_int(a, children, c->key_column);
        }
        json_push(a, children, encode_tree(a, c));
    }
    json_push(a, node, children);
    return node;
}

static const struct json *encode_source(struct arena *a, const struct config_source *s)
{
    struct json *source = json_object(a);

    json_add(a, source, STR("source"), json_int(a, s->source));
    json_add(a, source, STR("file"), encode_file(a, s->path, &s->id));
    json_add(a, source, STR("other"), encode_file(a, s->other, &s->other_id));
    json_add(a, source, STR("state"), json_int(a, s->state));
    if (s->tree)
        json_add(a, source, STR("tree"), encode_tree(a, s->tree));
    if (s->message) {
        json_add(a, source, STR("message"), json_cstring(a, s->message));
        json_add(a, source, STR("line"), json_int(a, s->bad.line));
        json_add(a, source, STR("column"), json_int(a, s->bad.column));
    }
    return source;
}

/* Only where it differs. That it cannot be written (a home that is read-only) is no failure. */
static void keep_file(struct arena *a, const char *path, const struct json *root)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    struct str old;

    json_write(&out, root, JSON_COMPACT);
    if (out.truncated)
        return;
    if (file_read(a, path, COMPILED_MAX, &old, NULL) == 0 && str_eq(old, strbuf_str(&out)))
        return;
    (void)!file_write(path, strbuf_str(&out), 0600, NULL);
}

static void keep_last_good(struct arena *a, const struct config_sources *sources,
                           const struct config_source *s)
{
    struct json *root = json_object(a);

    json_add(a, root, STR("format"), json_int(a, FORMAT));
    json_add(a, root, STR("file"), json_cstring(a, s->path));
    json_add(a, root, STR("tree"), encode_tree(a, s->tree));
    keep_file(a, last_good_path(a, sources, s), root);
}

void config_compiled_save(const struct config_sources *sources, bool whole)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct json *root = json_object(&a), *list = json_array(&a);

    json_add(&a, root, STR("format"), json_int(&a, FORMAT));
    json_add(&a, root, STR("version"), json_cstring(&a, HOOKE_VERSION));
    json_add(&a, root, STR("trust"), encode_file(&a, sources->trust, &sources->trust_id));
    for (size_t i = 0; i < sources->count; i++) {
        const struct config_source *s = &sources->list[i];

        json_push(&a, list, encode_source(&a, s));
        if (s->state == STATE_READ && s->source != SOURCE_HIVE && s->source != SOURCE_WORKSPACE)
            keep_last_good(&a, sources, s);
    }
    json_add(&a, root, STR("sources"), list);
    if (whole)
        keep_file(&a, compiled_path(&a, sources), root);
}

/* Reading: whatever does not look as written means that there is no compiled configuration */

static bool read_unsigned(const struct json *j, unsigned *out)
{
    int64_t n;

    if (json_to_int64(j, &n) < 0 || n < 0 || n > UINT32_MAX)
        return false;
    *out = (unsigned)n;
    return true;
}

/* A file without times is equal to one that is not there, whatever the rest says. */
static bool is_same_file(struct arena *a, const struct json *file, const char *path,
                         const struct file_identity *id)
{
    const char *known = json_cstr(a, json_at(file, 0));
    int64_t mtime, size, inode, ctime;

    if (!known != !path || (known && strcmp(known, path) != 0))
        return false;
    if (json_is_true(json_at(file, 1)) != id->exists)
        return false;
    if (!id->exists)
        return true;
    return json_to_int64(json_at(file, 2), &mtime) == 0 && mtime == id->mtime_ns &&
           json_to_int64(json_at(file, 3), &size) == 0 && (uint64_t)size == id->size &&
           json_to_int64(json_at(file, 4), &inode) == 0 && (uint64_t)inode == id->inode &&
           json_to_int64(json_at(file, 5), &ctime) == 0 && ctime == id->ctime_ns;
}

static struct setting *decode_tree(struct arena *a, const struct origin *file,
                                   const struct json *node, unsigned depth);

static bool decode_children(struct arena *a, const struct origin *file, const struct json *children,
                            struct setting *s, unsigned depth)
{
    struct setting **end = &s->first;

    for (const struct json *c = json_first(children); c; c = json_next(c)) {
        struct str key = { 0 };
        unsigned line = 0, column = 0;

        if (s->kind == SETTING_MAP) {
            key = str_of(json_cstr(a, c));
            c = json_next(c);
            if (!key.ptr || !c || !read_unsigned(c, &line))
                return false;
            c = json_next(c);
            if (!c || !read_unsigned(c, &column) || !(c = json_next(c)))
                return false;
        }
        *end = decode_tree(a, file, c, depth + 1);
        if (!*end)
            return false;
        (*end)->key = key;
        (*end)->key_line = line;
        (*end)->key_column = column;
        end = &(*end)->next;
    }
    return true;
}

static struct setting *decode_tree(struct arena *a, const struct origin *file,
                                   const struct json *node, unsigned depth)
{
    struct setting *s = arena_new(a, struct setting);
    const struct json *content = json_at(node, 3);
    unsigned kind;

    s->origin = *file;
    if (depth > MAX_DECODED_DEPTH || !read_unsigned(json_at(node, 0), &kind) ||
        kind > SETTING_MAP || !read_unsigned(json_at(node, 1), &s->origin.line) ||
        !read_unsigned(json_at(node, 2), &s->origin.column))
        return NULL;
    s->kind = (enum setting_kind)kind;
    if (s->kind == SETTING_LIST || s->kind == SETTING_MAP) {
        if (json_type(content) != JSON_ARRAY || !decode_children(a, file, content, s, depth))
            return NULL;
        return s;
    }
    s->text = str_of(json_cstr(a, content));
    return s->text.ptr ? s : NULL;
}

static const struct json *read_compiled(struct arena *a, const struct config_sources *sources)
{
    const struct json *root;
    struct str text;
    int64_t format;

    if (file_read(a, compiled_path(a, sources), COMPILED_MAX, &text, NULL) < 0 ||
        json_parse(a, text, NULL, &root, NULL) < 0)
        return NULL;
    if (json_to_int64(json_get(root, STR("format")), &format) < 0 || format != FORMAT)
        return NULL;
    return root;
}

static bool is_fresh(struct arena *a, const struct json *root, const struct config_sources *sources)
{
    const struct json *list = json_get(root, STR("sources"));
    const char *version = json_cstr(a, json_get(root, STR("version")));

    if (!version || strcmp(version, HOOKE_VERSION) != 0 || json_count(list) != sources->count)
        return false;
    if (!is_same_file(a, json_get(root, STR("trust")), sources->trust, &sources->trust_id))
        return false;
    for (size_t i = 0; i < sources->count; i++) {
        const struct config_source *s = &sources->list[i];
        const struct json *known = json_at(list, i);

        if (!is_same_file(a, json_get(known, STR("file")), s->path, &s->id) ||
            !is_same_file(a, json_get(known, STR("other")), s->other, &s->other_id))
            return false;
    }
    return true;
}

static bool decode_source(struct arena *a, const struct json *known, struct config_source *s)
{
    const struct json *tree = json_get(known, STR("tree"));
    const struct origin file = { .source = s->source, .file = s->path };
    unsigned state;

    if (!read_unsigned(json_get(known, STR("state")), &state) || state > STATE_BROKEN)
        return false;
    s->state = (enum source_state)state;
    s->tree = tree ? decode_tree(a, &file, tree, 1) : NULL;
    if (s->state == STATE_READ && !s->tree)
        return false;
    if (s->state == STATE_BROKEN) {
        s->bad = file;
        s->message = json_cstr(a, json_get(known, STR("message")));
        if (!s->message || !read_unsigned(json_get(known, STR("line")), &s->bad.line) ||
            !read_unsigned(json_get(known, STR("column")), &s->bad.column))
            return false;
    }
    return true;
}

bool config_compiled_load(struct arena *a, struct config_sources *sources)
{
    const struct json *root = read_compiled(a, sources);
    struct config_source decoded[CONFIG_SOURCES];

    if (!root || !is_fresh(a, root, sources))
        return false;
    for (size_t i = 0; i < sources->count; i++) {
        decoded[i] = sources->list[i];
        if (!decode_source(a, json_at(json_get(root, STR("sources")), i), &decoded[i]))
            return false;
    }
    memcpy(sources->list, decoded, sizeof(decoded[0]) * sources->count);
    return true;
}

struct setting *config_compiled_last_good(struct arena *a, const struct config_sources *sources,
                                          const struct config_source *s)
{
    const struct origin file = { .source = s->source, .file = s->path };
    const struct json *root = NULL;
    unsigned format = 0;
    struct str text;
    char *path;

    if (file_read(a, last_good_path(a, sources, s), COMPILED_MAX, &text, NULL) < 0 ||
        json_parse(a, text, NULL, &root, NULL) < 0)
        return NULL;
    path = json_cstr(a, json_get(root, STR("file")));
    if (!read_unsigned(json_get(root, STR("format")), &format) || format != FORMAT || !path ||
        strcmp(path, s->path) != 0)
        return NULL;
    return decode_tree(a, &file, json_get(root, STR("tree")), 1);
}
