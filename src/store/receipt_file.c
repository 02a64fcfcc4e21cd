#include "store/receipt_file.h"

#include "base/file.h"
#include "base/path.h"
#include "store/receipt_line.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#define CHUNK ((size_t)1 << 20)

static bool is_receipt_file(const char *name)
{
    return name[0] != '.' && str_ends(str_of(name), STR(".jsonl"));
}

static int by_name(const void *x, const void *y)
{
    return strcmp(*(char *const *)x, *(char *const *)y);
}

int receipt_file_list(struct arena *a, const char *dir, char ***paths, size_t *count, struct err *e)
{
    /* Marks are kept by path: one folder must not have two names. */
    char real[PATH_MAX];
    CLEANUP(dir) DIR *d = realpath(dir, real) ? opendir(real) : NULL;
    char **found = NULL;
    size_t n = 0, room = 0;

    if (!d && errno != ENOENT)
        return err_errno(e, "reading the receipts in '%s'", dir);
    for (;;) {
        struct dirent *entry;

        errno = 0;
        entry = d ? readdir(d) : NULL;
        if (!entry)
            break;
        if (!is_receipt_file(entry->d_name))
            continue;
        found = arena_grow(a, found, n, &room, sizeof(*found));
        found[n++] = path_join(a, real, entry->d_name);
    }
    if (errno && d)
        return err_errno(e, "reading the receipts in '%s'", dir);
    if (n)
        qsort(found, n, sizeof(*found), by_name);
    *paths = found;
    *count = n;
    return 0;
}

/* Bytes read, fewer than `size` only at the end of the file; negative errno. */
static ssize_t read_at(int fd, char *buf, size_t size, uint64_t offset)
{
    size_t len = 0;

    while (len < size) {
        ssize_t n = pread(fd, buf + len, size - len, (off_t)(offset + len));

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        len += (size_t)n;
    }
    return (ssize_t)len;
}

/* Whether the mark can have been made in this file. */
static bool mark_fits(int fd, uint64_t offset, uint64_t size)
{
    char last;

    if (offset == 0)
        return true;
    return offset <= size && read_at(fd, &last, 1, offset - 1) == 1 && last == '\n';
}

/* The offset behind the next newline, or `offset` when the line has not ended yet. */
static ssize_t line_length(int fd, char *buf, uint64_t offset)
{
    uint64_t at = offset;

    for (;;) {
        ssize_t n = read_at(fd, buf, CHUNK, at);
        const char *newline;

        if (n <= 0)
            return n;
        newline = memchr(buf, '\n', (size_t)n);
        if (newline)
            return (ssize_t)(at - offset) + (newline - buf) + 1;
        at += (uint64_t)n;
    }
}

static void take_lines(struct arena *a, struct receipt_batch *b, struct str text)
{
    size_t lines = 0;
    struct str line;

    for (const char *p = text.ptr; p < text.ptr + text.len; p++)
        lines += *p == '\n';
    b->rows = arena_array(a, struct store_receipt, lines);
    /* The text ends with a newline: what follows the last one is no line. */
    for (; lines > 0 && str_cut(&text, '\n', &line); lines--) {
        if (receipt_fields(a, line, &b->rows[b->count]))
            b->count++;
        else
            b->after.passed_over++;
    }
}

static int read_lines(struct arena *a, int fd, struct receipt_batch *b)
{
    char *buf = arena_alloc(a, CHUNK);
    uint64_t offset = b->after.offset;
    ssize_t n = read_at(fd, buf, CHUNK, offset);
    const char *newline;

    if (n <= 0)
        return (int)n;
    newline = memrchr(buf, '\n', (size_t)n);
    if (!newline) {
        n = (size_t)n < CHUNK ? 0 : line_length(fd, buf, offset);
        if (n > (ssize_t)RECEIPT_LINE_MAX) {
            b->after.offset += (uint64_t)n;
            b->after.passed_over++;
        }
        if (n <= 0 || n > (ssize_t)RECEIPT_LINE_MAX)
            return n < 0 ? (int)n : 0;
        buf = arena_alloc(a, (size_t)n);
        n = read_at(fd, buf, (size_t)n, offset);
        newline = n > 0 ? memrchr(buf, '\n', (size_t)n) : NULL;
        if (!newline) /* it shrank under our hands: the next call sees that */
            return n < 0 ? (int)n : 0;
    }
    take_lines(a, b, (struct str){ buf, (size_t)(newline - buf) + 1 });
    b->after.offset += (uint64_t)(newline - buf) + 1;
    return 0;
}

int receipt_file_read(struct arena *a, struct receipt_batch *b, struct err *e)
{
    CLEANUP(fd) int fd = -1;
    struct stat st;
    int r;

    b->after = b->before;
    b->rows = NULL;
    b->count = 0;
    /* A file a day piles up: the old ones cost no more than this. */
    if (stat(b->file, &st) == 0 && (uint64_t)st.st_size == b->before.offset)
        return 0;
    fd = open(b->file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd < 0 || fstat(fd, &st) < 0)
        return err_errno(e, "reading receipts from '%s'", b->file);
    if (!S_ISREG(st.st_mode))
        return 0;
    if (!mark_fits(fd, b->before.offset, (uint64_t)st.st_size))
        b->after = (struct receipt_mark){ 0 };
    r = read_lines(a, fd, b);
    if (r < 0) {
        errno = -r;
        return err_errno(e, "reading receipts from '%s'", b->file);
    }
    return 0;
}
