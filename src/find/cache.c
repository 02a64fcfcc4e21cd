/*
 * The file is one JSON object:
 *
 *     {"format":1,"answers":{"QUESTION:PATH":{"id":[…],"at":ms,"text":…|"failure":…}}}
 */
#include "find/cache.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "json/json.h"

#include <errno.h>

#define FORMAT      1
#define MAX_BYTES   ((size_t)4 << 20)
#define MAX_ANSWERS 1000
#define FAILURE_MS  INT64_C(300000)

struct cache {
    struct arena arena;
    char *path;
    const struct json *known; /* as read */
    struct json *added;       /* by this process */
    size_t added_count;
};

static const struct json *read_known(struct arena *a, const char *path)
{
    const struct json *root;
    struct str text;
    int64_t format;

    if (file_read(a, path, MAX_BYTES, &text, NULL) < 0 ||
        json_parse(a, text, NULL, &root, NULL) < 0 ||
        json_to_int64(json_get(root, STR("format")), &format) < 0 || format != FORMAT)
        return NULL;
    return json_get(root, STR("answers"));
}

struct cache *cache_open(const char *state_dir)
{
    struct cache *c = xcalloc(1, sizeof(*c));

    c->path = path_join(&c->arena, state_dir, "answers.json");
    c->known = read_known(&c->arena, c->path);
    c->added = json_object(&c->arena);
    return c;
}

void cache_free(struct cache *c)
{
    if (!c)
        return;
    arena_release(&c->arena);
    free(c);
}

static struct str name_of(struct arena *a, const struct cache_key *key)
{
    return str_of(arena_printf(a, "%s:%s", key->question, key->path));
}

static const struct json *identity_json(struct arena *a, const struct file_identity *id)
{
    const int64_t parts[] = { id->mtime_ns,       id->ctime_ns, (int64_t)id->size,
                              (int64_t)id->inode, id->mode,     (int64_t)id->device };
    struct json *list = json_array(a);

    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        json_push(a, list, json_int(a, parts[i]));
    return list;
}

bool cache_get(struct cache *c, const struct cache_key *key, struct cache_answer *out)
{
    struct arena *a = &c->arena;
    const struct json *found = json_get(c->known, name_of(a, key));
    const struct file_identity id = file_identity(key->st);
    int64_t at, now = clock_wall_ms();

    if (!json_equal(json_get(found, STR("id")), identity_json(a, &id)))
        return false;
    *out = (struct cache_answer){
        .text = json_cstr(a, json_get(found, STR("text"))),
        .failure = json_cstr(a, json_get(found, STR("failure"))),
    };
    if (out->text)
        return true;
    return out->failure && json_to_int64(json_get(found, STR("at")), &at) == 0 && at <= now &&
           now - at < FAILURE_MS;
}

void cache_put(struct cache *c, const struct cache_key *key, const struct cache_answer *answer)
{
    struct arena *a = &c->arena;
    const struct file_identity id = file_identity(key->st);
    struct json *kept = json_object(a);

    if (file_is_young(&id))
        return;
    json_add(a, kept, STR("id"), identity_json(a, &id));
    json_add(a, kept, STR("at"), json_int(a, clock_wall_ms()));
    if (answer->text)
        json_add(a, kept, STR("text"), json_cstring(a, answer->text));
    else
        json_add(a, kept, STR("failure"), json_cstring(a, answer->failure));
    json_add(a, c->added, name_of(a, key), kept);
    c->added_count++;
}

/* Writing -------------------------------------------------------------------------------------- */

static bool is_gone(struct arena *a, struct str name)
{
    struct str question;
    struct stat st;

    if (!str_cut(&name, ':', &question) || !str_is_set(name))
        return true;
    return stat(arena_cstr(a, name), &st) < 0 && (errno == ENOENT || errno == ENOTDIR);
}

/* What others have added meanwhile stays, but for files that are gone and for the oldest. */
static void add_known(struct arena *a, struct json *all, const struct cache *c,
                      const struct json *known)
{
    size_t count = json_count(known), room = MAX_ANSWERS;
    size_t skip;

    room = room > c->added_count ? room - c->added_count : 0;
    skip = count > room ? count - room : 0;
    for (const struct json *k = json_first(known); k; k = json_next(k)) {
        struct str name = json_key(a, k);

        if (skip > 0)
            skip--;
        else if (!json_get(c->added, name) && !is_gone(a, name))
            json_add(a, all, name, k);
    }
}

void cache_save(struct cache *c)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf out = { .max = MAX_BYTES };
    struct json *root = json_object(&a), *all = json_object(&a);

    if (c->added_count == 0)
        return;
    CLEANUP(fd) int lock = file_lock(c->path, false, NULL);
    if (lock < 0)
        return; /* somebody else writes it; what is not kept is asked again */
    add_known(&a, all, c, read_known(&a, c->path));
    for (const struct json *k = json_first(c->added); k; k = json_next(k))
        json_add(&a, all, json_key(&a, k), k);
    json_add(&a, root, STR("format"), json_int(&a, FORMAT));
    json_add(&a, root, STR("answers"), all);
    json_write(&out, root, JSON_COMPACT);
    if (!out.truncated)
        (void)!file_write(c->path, strbuf_str(&out), 0600, NULL);
}
