#include "find/permit.h"

#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>

#define FILE_MAX ((size_t)4 << 20)

bool permit_head(struct arena *a, const char *path, size_t max, struct str *out)
{
    CLEANUP(fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    char *buf = arena_alloc(a, max + 1);
    ssize_t n = fd < 0 ? -1 : read(fd, buf, max);

    if (n < 0)
        return false;
    buf[n] = '\0';
    *out = (struct str){ buf, (size_t)n };
    return true;
}

static void keep(struct config_finding *f, const char *path, enum source source, bool trusted)
{
    const struct config_file file = {
        .path = path, .source = source, .exists = access(path, F_OK) == 0, .trusted = trusted
    };

    config_found_file(f, &file);
}

static bool find_kept(struct config_finding *f, const char *path, struct permit *out)
{
    const char *copy = trust_kept_of(f->arena, f->trust, path);

    if (!copy || file_read(f->arena, copy, FILE_MAX, &out->bytes, NULL) < 0)
        return false;
    out->program = copy;
    return true;
}

bool permit_file(struct config_finding *f, const char *path, enum source source, size_t max,
                 struct permit *out)
{
    *out = (struct permit){ .trust = TRUST_PINNED, .program = path };
    if (source != SOURCE_WORKSPACE) {
        /* A program that cannot be read can still be run. */
        if (max)
            (void)permit_head(f->arena, path, max, &out->bytes);
        keep(f, path, source, true);
        return true;
    }
    /* What nobody has pinned is not read: it may be a hundred large files, at every start. */
    out->trust = trust_check(f->trust, path, (struct str){ 0 });
    if (out->trust != TRUST_UNKNOWN)
        out->trust = file_read(f->arena, path, FILE_MAX, &out->bytes, NULL) == 0
                         ? trust_check(f->trust, path, out->bytes)
                         : TRUST_CHANGED;
    keep(f, path, source, out->trust == TRUST_PINNED);
    if (out->trust != TRUST_PINNED) {
        out->bytes = (struct str){ 0 };
        out->kept = out->trust == TRUST_CHANGED && find_kept(f, path, out);
        return false;
    }
    /* What is asked is the copy, whatever happens to the file meanwhile. */
    if (trust_copy(f->arena, f->trust, path, &out->program, NULL) == 0)
        return true;
    out->trust = TRUST_CHANGED;
    return false;
}

void permit_count(struct permit_count *c, const char *path, enum trust trust)
{
    if (trust == TRUST_PINNED)
        return;
    if (!c->path)
        c->path = path;
    c->unknown += trust == TRUST_UNKNOWN;
    c->changed += trust == TRUST_CHANGED;
}

void permit_warn(struct config_finding *f, const char *folder, const struct permit_count *c)
{
    size_t count = c->unknown + c->changed;
    struct origin where = { .source = SOURCE_WORKSPACE, .file = count == 1 ? c->path : folder };
    const char *what = c->changed == 0   ? "not trusted"
                       : c->unknown == 0 ? "changed or have vanished since they were trusted"
                                         : "not trusted, changed or gone";

    if (count == 1 && c->changed)
        problem_warn(f->problems, &where, "%s", trust_change(f->arena, c->path));
    else if (count == 1)
        problem_warn(f->problems, &where, "'%s' is not trusted and is not used: run 'hooke trust'",
                     c->path);
    else if (count > 1)
        problem_warn(f->problems, &where, "%zu files are %s and are not used: run 'hooke trust'",
                     count, what);
}
