#include "hook/trust.h"

#include "base/file.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "base/vars.h"

#include <sodium.h>
#include <stdlib.h>
#include <sys/stat.h>

#define TRUST_MAX_BYTES ((size_t)4 << 20)
#define HASH_BYTES      (TRUST_HEX_LEN / 2)

char *trust_file(struct arena *a, const char *user_dir)
{
    const char *named = vars_get("HOOKE_TRUST");

    if (named && named[0])
        return arena_strdup(a, named);
    return path_join(a, user_dir, "trusted");
}

char *trust_name(struct arena *a, const char *path)
{
    const char *normal = path_normalize(a, path), *rest = path_basename(normal);
    const char *folder = path_dirname(a, normal);

    if (!strchr(normal, '/'))
        return arena_strdup(a, normal);
    for (;;) {
        CLEANUP(mem) char *real = realpath(folder, NULL);

        if (real)
            return path_join(a, real, rest);
        if (errno != ENOENT || normal[0] != '/' || strcmp(folder, "/") == 0)
            return arena_strdup(a, normal);
        /* The folder has vanished: its name is what it was as long as those above stay. */
        rest = path_join(a, path_basename(folder), rest);
        folder = path_dirname(a, folder);
    }
}

void trust_hash(struct str bytes, char hex[TRUST_HEX_LEN + 1])
{
    unsigned char hash[HASH_BYTES];

    crypto_generichash(hash, sizeof(hash), (const unsigned char *)(bytes.ptr ? bytes.ptr : ""),
                       bytes.len, NULL, 0);
    sodium_bin2hex(hex, TRUST_HEX_LEN + 1, hash, sizeof(hash));
}

/* A file that is not there has no pins; one that others can write is nobody's word. */
static int read_pins(struct arena *a, const char *trust_file, struct str *pins, struct err *e)
{
    struct err why = { 0 };
    int r = file_read(a, trust_file, TRUST_MAX_BYTES, pins, &why);

    if (r == -ENOENT) {
        *pins = (struct str){ 0 };
        return 0;
    }
    if (r == 0)
        r = trust_owner_check(trust_file, &why);
    if (r < 0 && e)
        *e = why;
    return r;
}

/* The hash and the path of one line. */
static bool cut_line(struct str line, struct str *hex, struct str *path)
{
    if (line.len < TRUST_HEX_LEN + 3 || line.ptr[TRUST_HEX_LEN] != ' ' ||
        line.ptr[TRUST_HEX_LEN + 1] != ' ')
        return false;
    *hex = (struct str){ line.ptr, TRUST_HEX_LEN };
    *path = (struct str){ line.ptr + TRUST_HEX_LEN + 2, line.len - TRUST_HEX_LEN - 2 };
    return true;
}

enum trust trust_check(const char *trust_file, const char *path, struct str bytes)
{
    CLEANUP(arena) struct arena a = { 0 };
    const char *name = trust_name(&a, path);
    enum trust found = TRUST_UNKNOWN;
    char expected[TRUST_HEX_LEN + 1];
    struct str pins, line, hex, pinned;

    if (read_pins(&a, trust_file, &pins, NULL) < 0)
        return TRUST_UNKNOWN;
    trust_hash(bytes, expected);
    while (str_cut(&pins, '\n', &line)) {
        if (!cut_line(line, &hex, &pinned) || !str_is(pinned, name))
            continue;
        found = str_is(hex, expected) ? TRUST_PINNED : TRUST_CHANGED;
    }
    return found;
}

bool trust_is_pinned(const char *trust_file, const char *path)
{
    return trust_check(trust_file, path, (struct str){ 0 }) != TRUST_UNKNOWN;
}

char *trust_change(struct arena *a, const char *path)
{
    struct stat st;

    if (lstat(path, &st) < 0 && (errno == ENOENT || errno == ENOTDIR))
        return arena_printf(a,
                            "'%s' has vanished since it was trusted: put it back, or run 'hooke "
                            "trust --revoke %s'",
                            path, path);
    return arena_printf(a, "'%s' has changed since it was trusted: run 'hooke trust'", path);
}

static bool is_among(const char *const *names, struct str path)
{
    for (; *names; names++)
        if (str_is(path, *names))
            return true;
    return false;
}

/* All lines but the pins of `names` (ended by NULL), and how many those were. */
static int keep_others(struct arena *a, const char *trust_file, const char *const *names,
                       struct strbuf *out, size_t *dropped, struct err *e)
{
    struct str pins, line, hex, pinned;
    int r = read_pins(a, trust_file, &pins, e);

    if (r < 0)
        return r;
    *dropped = 0;
    while (str_cut(&pins, '\n', &line)) {
        if (line.len == 0)
            continue;
        if (cut_line(line, &hex, &pinned) && is_among(names, pinned)) {
            ++*dropped;
            continue;
        }
        strbuf_add(out, line.ptr, line.len);
        strbuf_addch(out, '\n');
    }
    return 0;
}

int trust_pin(const char *trust_file, const char *path, struct str bytes, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf out = { 0 };
    const char *names[] = { trust_name(&a, path), NULL }, *copy;
    char hash[TRUST_HEX_LEN + 1];
    size_t dropped;
    int r;

    if (names[0][0] != '/' || strchr(names[0], '\n'))
        return err_set(e, -EINVAL, "'%s' cannot be trusted: its path must be absolute, in one line",
                       names[0]);
    if (bytes.len > TRUST_FILE_MAX)
        return err_set(e, -EFBIG, "'%s' cannot be trusted: it is larger than %zu bytes", names[0],
                       TRUST_FILE_MAX);
    r = trust_keep(&a, names[0], bytes, &copy, e);
    if (r < 0)
        return r;
    CLEANUP(fd) int lock = file_lock(trust_file, true, e); /* or somebody's pin may get lost */
    if (lock < 0)
        return lock;
    r = keep_others(&a, trust_file, names, &out, &dropped, e);
    if (r < 0)
        return r;
    trust_hash(bytes, hash);
    strbuf_printf(&out, "%s  %s\n", hash, names[0]);
    return file_write(trust_file, strbuf_str(&out), 0600, e);
}

int trust_revoke(const char *trust_file, const char *const *paths, size_t *count, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf out = { 0 };
    const char **names;
    size_t n = 0;
    int r;

    while (paths[n])
        n++;
    names = arena_array(&a, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        names[i] = trust_name(&a, paths[i]);
    CLEANUP(fd) int lock = file_lock(trust_file, true, e); /* or somebody's pin may get lost */
    if (lock < 0)
        return lock;
    r = keep_others(&a, trust_file, names, &out, count, e);
    if (r < 0 || *count == 0)
        return r;
    return file_write(trust_file, strbuf_str(&out), 0600, e);
}

int trust_pins(struct arena *a, const char *trust_file, struct trust_pinned **pins, struct err *e)
{
    struct str text, rest, line, hex, path;
    size_t count = 0;
    int r = read_pins(a, trust_file, &text, e);

    if (r < 0)
        return r;
    for (rest = text; str_cut(&rest, '\n', &line);)
        count += cut_line(line, &hex, &path);
    *pins = arena_array(a, struct trust_pinned, count + 1);
    count = 0;
    for (rest = text; str_cut(&rest, '\n', &line);) {
        if (!cut_line(line, &hex, &path))
            continue;
        memcpy((*pins)[count].hash, hex.ptr, hex.len);
        (*pins)[count++].path = arena_cstr(a, path);
    }
    return 0;
}
