#include "hook/trust.h"

#include "base/file.h"
#include "base/path.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

#define TRUST_MAX_BYTES ((size_t)4 << 20)
#define HASH_BYTES      32
#define HEX_LEN         ((size_t)HASH_BYTES * 2)

char *trust_file(struct arena *a, const char *user_dir)
{
    const char *named = getenv("HOOKE_TRUST");

    if (named && named[0])
        return arena_strdup(a, named);
    return path_join(a, user_dir, "trusted");
}

/* One name for a file, however it is reached. */
static char *canonical(struct arena *a, const char *path)
{
    CLEANUP(mem) char *real = realpath(path, NULL);

    return real ? arena_strdup(a, real) : path_normalize(a, path);
}

static void hash_text(struct str bytes, char hex[HEX_LEN + 1])
{
    unsigned char hash[HASH_BYTES];

    crypto_generichash(hash, sizeof(hash), (const unsigned char *)(bytes.ptr ? bytes.ptr : ""),
                       bytes.len, NULL, 0);
    sodium_bin2hex(hex, HEX_LEN + 1, hash, sizeof(hash));
}

/* A file that is not there has no pins. */
static int read_pins(struct arena *a, const char *trust_file, struct str *pins, struct err *e)
{
    struct err why = { 0 };
    int r = file_read(a, trust_file, TRUST_MAX_BYTES, pins, &why);

    if (r == -ENOENT) {
        *pins = (struct str){ 0 };
        return 0;
    }
    if (r < 0 && e)
        *e = why;
    return r;
}

/* Held while pins are changed, so that nobody's pin is lost. */
static int lock_pins(struct arena *a, const char *trust_file, struct err *e)
{
    const char *path = arena_printf(a, "%s.lock", trust_file);
    int r = file_mkdirs(path_dirname(a, path), e);
    int fd;

    if (r < 0)
        return r;
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
    if (fd < 0)
        return err_errno(e, "opening '%s'", path);
    if (flock(fd, LOCK_EX) < 0) {
        r = err_errno(e, "locking '%s'", path);
        close(fd);
        return r;
    }
    return fd;
}

/* The hash and the path of one line. */
static bool cut_line(struct str line, struct str *hex, struct str *path)
{
    if (line.len < HEX_LEN + 3 || line.ptr[HEX_LEN] != ' ' || line.ptr[HEX_LEN + 1] != ' ')
        return false;
    *hex = (struct str){ line.ptr, HEX_LEN };
    *path = (struct str){ line.ptr + HEX_LEN + 2, line.len - HEX_LEN - 2 };
    return true;
}

enum trust trust_check(const char *trust_file, const char *path, struct str bytes)
{
    CLEANUP(arena) struct arena a = { 0 };
    const char *name = canonical(&a, path);
    enum trust found = TRUST_UNKNOWN;
    char expected[HEX_LEN + 1];
    struct str pins, line, hex, pinned;

    if (read_pins(&a, trust_file, &pins, NULL) < 0)
        return TRUST_UNKNOWN;
    hash_text(bytes, expected);
    while (str_cut(&pins, '\n', &line)) {
        if (!cut_line(line, &hex, &pinned) || !str_is(pinned, name))
            continue;
        found = str_is(hex, expected) ? TRUST_PINNED : TRUST_CHANGED;
    }
    return found;
}

int trust_pin(const char *trust_file, const char *path, struct str bytes, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf out = { 0 };
    const char *name = canonical(&a, path);
    char hash[HEX_LEN + 1];
    struct str pins, line, hex, pinned;
    int r;

    if (name[0] != '/' || strchr(name, '\n'))
        return err_set(e, -EINVAL, "'%s' cannot be trusted: its path must be absolute, in one line",
                       name);
    CLEANUP(fd) int lock = lock_pins(&a, trust_file, e);
    if (lock < 0)
        return lock;
    r = read_pins(&a, trust_file, &pins, e);
    if (r < 0)
        return r;
    while (str_cut(&pins, '\n', &line)) {
        if (line.len == 0 || (cut_line(line, &hex, &pinned) && str_is(pinned, name)))
            continue;
        strbuf_add(&out, line.ptr, line.len);
        strbuf_addch(&out, '\n');
    }
    hash_text(bytes, hash);
    strbuf_printf(&out, "%s  %s\n", hash, name);
    return file_write(trust_file, strbuf_str(&out), 0600, e);
}

int trust_owner_check(const char *path, struct err *e)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return err_errno(e, "looking at '%s'", path);
    if (st.st_uid != geteuid() && st.st_uid != 0)
        return err_set(e, -EPERM, "'%s' belongs to another user", path);
    if (st.st_mode & S_IWOTH)
        return err_set(e, -EPERM, "everybody may write to '%s', run chmod o-w on it", path);
    return 0;
}
