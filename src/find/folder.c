#include "find/folder.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "dialect/acai.h"
#include "find/header.h"
#include "find/permit.h"

#include <errno.h>
#include <stdio.h>

#define MAX_NAMES 10000 /* looked at in one folder */

struct names {
    char **list;
    size_t count, room;
};

static void names_cleanup(struct names *n)
{
    for (size_t i = 0; i < n->count; i++)
        free(n->list[i]);
    free(n->list);
}

/* A workspace cannot stop anybody before it is trusted: what is wrong with it is a warning. */
PRINTF_LIKE(3, 4)
static void complain(struct config_finding *f, const struct origin *where, const char *fmt, ...)
{
    CLEANUP(mem) char *message = NULL;
    va_list ap;

    va_start(ap, fmt);
    if (vasprintf(&message, fmt, ap) < 0)
        message = NULL;
    va_end(ap);
    if (where->source == SOURCE_WORKSPACE)
        problem_warn(f->problems, where, "%s", message ? message : fmt);
    else
        problem_add(f->problems, where, "%s", message ? message : fmt);
}

static int compare_names(const void *x, const void *y)
{
    return strcmp(*(char *const *)x, *(char *const *)y);
}

static void add_name(struct names *n, const char *name)
{
    if (n->count == n->room) {
        n->room = n->room ? n->room * 2 : 32;
        n->list = xrealloc(n->list, n->room * sizeof(*n->list));
    }
    n->list[n->count++] = xstrdup(name);
}

/* A folder that is not there has no hooks; that it cannot be read is not the others' fault. */
static bool read_folder(struct config_finding *f, const struct folder *folder, struct names *n)
{
    CLEANUP(dir) DIR *dir = opendir(folder->path);
    const struct origin where = { .source = folder->source, .file = folder->path };
    const struct dirent *d;
    struct err e = { 0 };

    if (!dir) {
        if (errno != ENOENT && errno != ENOTDIR)
            problem_warn(f->problems, &where, "its hooks are not used: %s", strerror(errno));
        return false;
    }
    while ((d = readdir(dir)) && n->count < MAX_NAMES)
        if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0 &&
            !str_ends(str_of(d->d_name), STR(".disable")))
            add_name(n, d->d_name);
    if (n->count && trust_owner_check(folder->path, &e) < 0) {
        complain(f, &where, "its hooks are not used: %s", e.msg);
        return false;
    }
    return true;
}

static bool is_there(struct arena *a, const char *folder, const char *name)
{
    struct stat st;

    return lstat(path_join(a, folder, name), &st) == 0 ||
           lstat(arena_printf(a, "%s/%s.disable", folder, name), &st) == 0;
}

static const struct trust_pinned *pins_of(struct config_finding *f)
{
    static const struct trust_pinned none = { 0 };
    struct trust_pinned *pins;

    if (!f->pins)
        f->pins = trust_pins(f->arena, f->trust, &pins, NULL) < 0 ? &none : pins;
    return f->pins;
}

/* Trusted files of the folder that are no longer there: a guard must not go in silence. */
static void add_vanished(struct config_finding *f, const struct folder *folder, struct names *n)
{
    const struct trust_pinned *pin = pins_of(f);
    const char *real;

    if (!pin->path) /* nobody need ask the disk what the folder is called */
        return;
    real = path_dirname(f->arena, trust_name(f->arena, path_join(f->arena, folder->path, "x")));
    for (; pin->path; pin++)
        if (strcmp(path_dirname(f->arena, pin->path), real) == 0 &&
            !is_there(f->arena, folder->path, path_basename(pin->path)))
            add_name(n, path_basename(pin->path));
}

static bool read_names(struct config_finding *f, const struct folder *folder, struct names *n)
{
    if (!read_folder(f, folder, n) && n->count)
        return false;
    if (folder->source == SOURCE_WORKSPACE)
        add_vanished(f, folder, n);
    if (n->count)
        qsort(n->list, n->count, sizeof(*n->list), compare_names);
    return n->count > 0;
}

/* What its system would take for a hook; whether it is one is another question. */
static bool is_eligible(const struct folder *folder, const struct folder_file *file)
{
    if (!S_ISREG(file->st.st_mode))
        return false;
    if (folder->kind != FOLDER_ACAI)
        return folder->kind == FOLDER_HOOKE || folder_may_execute(file);
    return acai_knows_extension(file->name) ||
           (!strchr(file->name, '.') && folder_may_execute(file));
}

/* What has vanished is known by its copy. */
static bool find_copy(struct config_finding *f, struct folder_file *file)
{
    const char *copy = file->origin.source == SOURCE_WORKSPACE
                           ? trust_kept_of(f->arena, f->trust, file->path)
                           : NULL;

    file->vanished = copy && stat(copy, &file->st) == 0;
    return file->vanished;
}

static struct folder_file *look_at(struct config_finding *f, const struct folder *folder,
                                   const char *name)
{
    struct folder_file *file = arena_new(f->arena, struct folder_file);

    file->path = path_join(f->arena, folder->path, name);
    file->name = arena_strdup(f->arena, name);
    file->origin = (struct origin){ .source = folder->source, .file = file->path };
    if (stat(file->path, &file->st) < 0 && !find_copy(f, file)) {
        complain(f, &file->origin, "it is not used: %s", strerror(errno));
        return NULL;
    }
    return is_eligible(folder, file) ? file : NULL;
}

/* Of ours, whatever says nothing and cannot be run is no hook: a README, a library. */
static bool is_meant(struct config_finding *f, const struct folder *folder,
                     const struct folder_file *file)
{
    struct str head = { 0 };

    if (folder->kind != FOLDER_HOOKE || folder_may_execute(file) || folder_is_lua(file))
        return true;
    if (permit_head(f->arena, file->path, FOLDER_HEAD, &head) && header_is_there(head))
        complain(f, &file->origin, "it is not executable and not used: run chmod +x on it");
    return false;
}

static bool may_use(struct config_finding *f, const struct folder *folder, struct folder_file *file,
                    struct permit_count *refused)
{
    size_t head = folder->kind == FOLDER_KODELET ? 0 : FOLDER_HEAD; /* it says it another way */
    struct permit permit;
    struct err e = { 0 };

    if (!file->vanished && trust_owner_check(file->path, &e) < 0) {
        complain(f, &file->origin, "it is not used: %s", e.msg);
        return false;
    }
    file->changed = !permit_file(f, file->path, folder->source, head, &permit);
    if (file->changed)
        permit_count(refused, file->path, permit.trust);
    if (file->changed && !permit.kept)
        return false;
    file->program = permit.program;
    if (stat(file->program, &file->asked) < 0)
        return false;
    file->head = permit.bytes;
    if (file->head.len > FOLDER_HEAD)
        file->head.len = FOLDER_HEAD;
    return true;
}

struct folder_file *folder_files(struct config_finding *f, const struct folder *folder)
{
    CLEANUP(names) struct names n = { 0 };
    const struct origin where = { .source = folder->source, .file = folder->path };
    struct folder_file *first = NULL, **end = &first;
    struct permit_count refused = { 0 };
    size_t count = 0;

    if (!read_names(f, folder, &n))
        return NULL;
    for (size_t i = 0; i < n.count; i++) {
        struct folder_file *file = look_at(f, folder, n.list[i]);

        if (!file || !is_meant(f, folder, file))
            continue;
        if (count++ < f->max_hooks && may_use(f, folder, file, &refused)) {
            *end = file;
            end = &file->next;
        }
    }
    permit_warn(f, folder->path, &refused);
    if (count > f->max_hooks)
        problem_warn(f->problems, &where,
                     "it has %zu hooks more than the %u of 'max_hooks': only the first by name are "
                     "used",
                     count - f->max_hooks, f->max_hooks);
    return first;
}
