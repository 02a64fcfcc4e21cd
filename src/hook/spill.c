#include "hook/spill.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/path.h"

#include <dirent.h>
#include <sys/stat.h>

#define LOOKED_AT 10000 /* names; what is beyond goes when the others have gone */

struct spilled {
    const char *path;
    int64_t mtime_ns;
};

static char *folder(struct arena *a)
{
    return path_join(a, path_xdg(a, PATH_STATE), "outputs");
}

/* Sessions of other systems may have slashes in their names. */
static char *prefix_of(struct arena *a, const char *session)
{
    char *prefix = arena_printf(a, "%s-", session);

    for (char *p = prefix; *p; p++)
        if (*p == '/')
            *p = '_';
    return prefix;
}

static int newest_first(const void *x, const void *y)
{
    int64_t a = ((const struct spilled *)x)->mtime_ns, b = ((const struct spilled *)y)->mtime_ns;

    return (a < b) - (a > b);
}

static void remove_old(const char *dir)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct spilled *list = arena_array(&a, struct spilled, LOOKED_AT);
    DIR *stream = opendir(dir);
    const struct dirent *d;
    size_t count = 0;

    while (stream && count < LOOKED_AT && (d = readdir(stream))) {
        const char *path = path_join(&a, dir, d->d_name);
        struct stat st;

        if (lstat(path, &st) == 0 && S_ISREG(st.st_mode))
            list[count++] = (struct spilled){ path, (int64_t)st.st_mtim.tv_sec * 1000000000 +
                                                        st.st_mtim.tv_nsec };
    }
    if (stream)
        closedir(stream);
    qsort(list, count, sizeof(*list), newest_first);
    for (size_t i = SPILL_FILES; i < count; i++)
        unlink(list[i].path);
}

char *spill_write(struct arena *a, const char *session, struct str text)
{
    const char *dir = folder(a);
    char *file = arena_printf(a, "%s/%s%llu.txt", dir, prefix_of(a, session),
                              (unsigned long long)clock_mono_ns());

    if (file_write(file, text, 0600, NULL) < 0)
        return NULL;
    remove_old(dir);
    return file;
}

bool spill_is(struct arena *a, const char *session, const char *path)
{
    CLEANUP(mem) char *dir = realpath(folder(a), NULL);
    const char *name = strrchr(path, '/'), *prefix = prefix_of(a, session);

    return dir && name && str_is((struct str){ path, (size_t)(name - path) }, dir) &&
           strncmp(name + 1, prefix, strlen(prefix)) == 0;
}
