#include "base/file.h"

#include "base/clock.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>

#define SETTLED_NS 100000000 /* of the times that file systems keep, several times the coarsest */

static int read_all(int fd, char *buf, size_t size, size_t *len)
{
    *len = 0;
    while (*len < size) {
        ssize_t n = read(fd, buf + *len, size - *len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        *len += (size_t)n;
    }
    return 0;
}

int file_read(struct arena *a, const char *path, size_t max, struct str *text, struct err *e)
{
    /* Not blocking: a pipe nobody writes to would hang us here. */
    CLEANUP(fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat st;
    size_t size, len;
    char *buf;

    if (fd < 0 || fstat(fd, &st) < 0)
        return err_errno(e, "reading '%s'", path);
    if (S_ISDIR(st.st_mode))
        return err_set(e, -EISDIR, "reading '%s': it is a folder", path);
    if (!S_ISREG(st.st_mode))
        return err_set(e, -EINVAL, "reading '%s': it is no regular file", path);
    /*
     * Files of /proc have no size: one byte past the limit tells that they are over it. A
     * file that is appended to meanwhile gives what it held when it was opened.
     */
    size = st.st_size > 0 ? (size_t)st.st_size : max;
    if (size > max)
        return err_set(e, -EFBIG, "reading '%s': larger than %zu bytes", path, max);
    buf = arena_alloc(a, size + 2);
    errno = -read_all(fd, buf, st.st_size > 0 ? size : size + 1, &len);
    if (errno)
        return err_errno(e, "reading '%s'", path);
    if (len > size)
        return err_set(e, -EFBIG, "reading '%s': larger than %zu bytes", path, max);
    buf[len] = '\0';
    *text = (struct str){ buf, len };
    return 0;
}

static int write_all(int fd, struct str text)
{
    while (text.len > 0) {
        ssize_t n = write(fd, text.ptr, text.len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        text.ptr += n;
        text.len -= (size_t)n;
    }
    return 0;
}

/* 0 when `dir` is a folder now, else -1 and errno. */
static int make_folder(const char *dir)
{
    struct stat st;

    if (mkdir(dir, 0700) == 0)
        return 0;
    if (errno != EEXIST || stat(dir, &st) < 0)
        return -1;
    errno = ENOTDIR;
    return S_ISDIR(st.st_mode) ? 0 : -1;
}

int file_mkdirs(const char *dir, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };

    if (make_folder(dir) == 0)
        return 0;
    if (errno == ENOENT && strcmp(dir, "/") != 0 && strcmp(dir, ".") != 0) {
        int r = file_mkdirs(path_dirname(&a, dir), e);

        if (r < 0)
            return r;
        if (make_folder(dir) == 0)
            return 0;
    }
    return err_errno(e, "making folder '%s'", dir);
}

int file_write(const char *path, struct str text, mode_t mode, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    char *temporary = arena_printf(&a, "%s.XXXXXX", path);
    int r = file_mkdirs(path_dirname(&a, path), e);

    if (r < 0)
        return r;
    CLEANUP(fd) int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return err_errno(e, "writing '%s'", path);
    /* Synced, or a power cut could leave the new name with none of the bytes. */
    if (write_all(fd, text) < 0 || fchmod(fd, mode) < 0 || fdatasync(fd) < 0 ||
        rename(temporary, path) < 0) {
        r = err_errno(e, "writing '%s'", path);
        unlink(temporary);
        return r;
    }
    return 0;
}

int file_lock(const char *path, bool wait, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    const char *name = arena_printf(&a, "%s.lock", path);
    int r = file_mkdirs(path_dirname(&a, name), e);

    if (r < 0)
        return r;
    CLEANUP(fd) int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
    if (fd < 0)
        return err_errno(e, "opening '%s'", name);
    if (flock(fd, wait ? LOCK_EX : LOCK_EX | LOCK_NB) < 0)
        return err_errno(e, "locking '%s'", name);
    return take_fd(&fd);
}

bool file_spare(size_t count)
{
    int fds[16];
    size_t got = 0;

    while (got < count && got < ARRAY_LEN(fds)) {
        fds[got] = open("/", O_PATH | O_CLOEXEC);
        if (fds[got] < 0)
            break;
        got++;
    }
    for (size_t i = 0; i < got; i++)
        close(fds[i]);
    return got == count || got == ARRAY_LEN(fds);
}

/* Identity ------------------------------------------------------------------------------------- */

static int64_t nanoseconds(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct file_identity file_identity(const struct stat *st)
{
    return (struct file_identity){
        .exists = true,
        .mtime_ns = nanoseconds(st->st_mtim),
        .ctime_ns = nanoseconds(st->st_ctim),
        .size = (uint64_t)st->st_size,
        .inode = (uint64_t)st->st_ino,
        .device = (uint64_t)st->st_dev,
        .mode = (uint32_t)st->st_mode,
    };
}

struct file_identity file_identify(const char *path)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return (struct file_identity){ .exists = errno != ENOENT && errno != ENOTDIR };
    return file_identity(&st);
}

bool file_is_young(const struct file_identity *id)
{
    return clock_wall_ms() * 1000000 - id->ctime_ns < SETTLED_NS;
}

bool file_is_same(const char *x, const char *y)
{
    struct stat a, b;

    return stat(x, &a) == 0 && stat(y, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}
