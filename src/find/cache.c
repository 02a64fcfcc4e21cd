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
#include <fcntl.h>
#include <sys/file.h>

#define FORMAT      1
#define MAX_BYTES   ((size_t)4 << 20)
#define MAX_ANSWERS 1000
#define FAILURE_MS  INT64_C(300000)
#define SETTLED_MS  100 /* a file younger than that may change without a new time */

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

static int64_t nanoseconds(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#define ID_PARTS 6

static void identify(const struct stat *st, int64_t id[ID_PARTS])
{
    id[0] = nanoseconds(st->st_mtim);
    id[1] = nanoseconds(st->st_ctim);
    id[2] = (int64_t)st->st_size;
    id[3] = (int64_t)st->st_ino;
    id[4] = (int64_t)st->st_mode;
    id[5] = (int64_t)st->st_dev;
}

static bool is_same(const struct json *known, const struct stat *st)
{
    int64_t id[ID_PARTS], part;

    identify(st, id);
    for (size_t i = 0; i < ID_PARTS; i++)
        if (json_to_int64(json_at(known, i), &part) < 0 || part != id[i])
            return false;
    return true;
}

bool cache_get(struct cache *c, const struct cache_key *key, struct cache_answer *out)
{
    struct arena *a = &c->arena;
    const struct json *found = json_get(c->known, name_of(a, key));
    int64_t at, now = clock_wall_ms();

    if (!is_same(json_get(found, STR("id")), key->st))
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
    struct json *kept = json_object(a), *parts = json_array(a);
    int64_t id[ID_PARTS], now = clock_wall_ms();

    identify(key->st, id);
    if (now - id[1] / 1000000 < SETTLED_MS)
        return;
    for (size_t i = 0; i < ID_PARTS; i++)
        json_push(a, parts, json_int(a, id[i]));
    json_add(a, kept, STR("id"), parts);
    json_add(a, kept, STR("at"), json_int(a, now));
    if (answer->text)
        json_add(a, kept, STR("text"), json_cstring(a, answer->text));
    else
        json_add(a, kept, STR("failure"), json_cstring(a, answer->failure));
    json_add(a, c->added, name_of(a, key), kept);
    c->added_count++;
}

/* Writing ----------------------------------------------------------------------------------------
 */

/* Without waiting: who cannot have it leaves the answer to be asked again. */
static int lock(struct arena *a, const char *path)
{
    CLEANUP(fd) int fd = -1;

    if (file_mkdirs(path_dirname(a, path), NULL) < 0)
        return -1;
    fd = open(arena_printf(a, "%s.lock", path), O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
        return -1;
    return take_fd(&fd);
}

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
    CLEANUP(fd) int fd = lock(&a, c->path);
    if (fd < 0)
        return;
    add_known(&a, all, c, read_known(&a, c->path));
    for (const struct json *k = json_first(c->added); k; k = json_next(k))
        json_add(&a, all, json_key(&a, k), k);
    json_add(&a, root, STR("format"), json_int(&a, FORMAT));
    json_add(&a, root, STR("answers"), all);
    json_write(&out, root, JSON_COMPACT);
    if (!out.truncated)
        (void)!file_write(c->path, strbuf_str(&out), 0600, NULL);
}
