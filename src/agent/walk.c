#include "agent/walk.h"

#include "base/file.h"
#include "base/glob.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "hook/event.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#define IGNORE_MAX ((size_t)1 << 20)
#define DEPTH_MAX  64

/* One line of a .gitignore. */
struct pattern {
    struct pattern *next; /* the one before it: later lines win */
    struct str text;
    const char *folder; /* where the file stands, relative to the top; "" there */
    bool negated, only_folders;
    bool anchored; /* from that folder on, else any name below it */
};

struct walking {
    struct arena arena;
    const struct walk *walk;
    size_t skip; /* bytes of the way from the top to the root */
    size_t count;
    struct err *e;
};

static struct pattern *parse_line(struct walking *w, struct str line, const char *folder)
{
    struct pattern *p = arena_new(&w->arena, struct pattern);

    while (line.len && (line.ptr[line.len - 1] == ' ' || line.ptr[line.len - 1] == '\r'))
        line.len--;
    if (line.len == 0 || line.ptr[0] == '#')
        return NULL;
    p->folder = folder;
    p->negated = line.ptr[0] == '!';
    if (p->negated)
        line = (struct str){ line.ptr + 1, line.len - 1 };
    p->only_folders = line.len && line.ptr[line.len - 1] == '/';
    line.len -= p->only_folders;
    p->anchored = line.len && memchr(line.ptr, '/', line.len);
    if (line.len && line.ptr[0] == '/')
        line = (struct str){ line.ptr + 1, line.len - 1 };
    p->text = line;
    return line.len ? p : NULL;
}

static struct pattern *read_ignores(struct walking *w, const char *folder, struct pattern *known)
{
    const char *dir = path_join(&w->arena, w->walk->top, folder);
    struct str text, line;

    if (file_read(&w->arena, path_join(&w->arena, dir, ".gitignore"), IGNORE_MAX, &text, NULL) < 0)
        return known;
    while (str_cut(&text, '\n', &line)) {
        struct pattern *p = parse_line(w, line, folder);

        if (!p)
            continue;
        p->next = known;
        known = p;
    }
    return known;
}

static bool matches(const struct pattern *p, struct str path, bool folder)
{
    size_t skip = strlen(p->folder);
    const char *name = memrchr(path.ptr, '/', path.len);
    struct str below = path, last = path;

    if (p->only_folders && !folder)
        return false;
    if (skip)
        below = (struct str){ path.ptr + skip + 1, path.len - skip - 1 };
    if (name)
        last = (struct str){ name + 1, path.len - (size_t)(name + 1 - path.ptr) };
    return glob_match(p->text, p->anchored ? below : last) == 1;
}

static bool is_ignored(const struct pattern *patterns, const char *path, bool folder)
{
    for (const struct pattern *p = patterns; p; p = p->next)
        if (matches(p, str_of(path), folder))
            return !p->negated;
    return false;
}

struct entry {
    const char *name;
    bool folder;
};

static int by_name(const void *x, const void *y)
{
    return strcmp(((const struct entry *)x)->name, ((const struct entry *)y)->name);
}

static bool is_folder(const char *path, unsigned char type, bool *regular)
{
    struct stat st;

    *regular = type == DT_REG;
    if (type != DT_UNKNOWN)
        return type == DT_DIR;
    if (lstat(path, &st) < 0)
        return false;
    *regular = S_ISREG(st.st_mode);
    return S_ISDIR(st.st_mode);
}

/* Symbolic links are not followed: they lead out, or in circles. */
static struct entry *read_folder(struct walking *w, const char *dir, size_t *count)
{
    struct entry *list = NULL;
    size_t room = 0;
    const struct dirent *d;
    DIR *stream = opendir(dir);

    *count = 0;
    while (stream && (d = readdir(stream))) {
        bool regular, folder;

        if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0 ||
            strcmp(d->d_name, ".git") == 0)
            continue;
        folder = is_folder(path_join(&w->arena, dir, d->d_name), d->d_type, &regular);
        if (!folder && !regular)
            continue;
        if (*count == room) {
            struct entry *more = arena_array(&w->arena, struct entry, room ? room * 2 : 32);

            if (room)
                memcpy(more, list, room * sizeof(*more));
            list = more;
            room = room ? room * 2 : 32;
        }
        list[(*count)++] = (struct entry){ arena_strdup(&w->arena, d->d_name), folder };
    }
    if (stream)
        closedir(stream);
    if (*count)
        qsort(list, *count, sizeof(*list), by_name);
    return list;
}

static int visit(struct walking *w, const char *path)
{
    if (++w->count > WALK_MAX)
        return err_set(w->e, -EOVERFLOW, "there are more than %u files: choose a folder", WALK_MAX);
    return w->walk->each(w->walk->context, path + w->skip);
}

static int walk_folder(struct walking *w, const char *folder, struct pattern *patterns,
                       unsigned depth)
{
    const char *dir = folder[0] ? path_join(&w->arena, w->walk->top, folder) : w->walk->top;
    size_t count;
    struct entry *list = read_folder(w, dir, &count);
    int r = 0;

    if (event_is_aborted(w->walk->abort_fd))
        return err_set(w->e, -ECANCELED, "aborted");
    patterns = read_ignores(w, folder, patterns);
    for (size_t i = 0; i < count && r == 0; i++) {
        const char *path = path_join(&w->arena, folder, list[i].name);

        if (is_ignored(patterns, path, list[i].folder))
            continue;
        if (!list[i].folder)
            r = visit(w, path);
        else if (depth < DEPTH_MAX)
            r = walk_folder(w, path, patterns, depth + 1);
    }
    return r;
}

/* What the folders above the root leave out. */
static struct pattern *read_above(struct walking *w, const char *way)
{
    struct pattern *known = NULL;

    for (const char *slash = way; slash && *way; slash = strchr(slash + 1, '/')) {
        struct str folder = { way, (size_t)(slash - way) };

        known = read_ignores(w, arena_cstr(&w->arena, folder), known);
    }
    return known;
}

int walk_files(const struct walk *walk, struct err *e)
{
    const char *way = walk->root + strlen(walk->top);
    struct walking w = { .walk = walk, .e = e };
    int r;

    while (*way == '/')
        way++;
    w.skip = *way ? strlen(way) + 1 : 0;
    r = walk_folder(&w, way, read_above(&w, way), 0);
    arena_release(&w.arena);
    return r;
}
