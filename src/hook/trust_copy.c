/* Copies of pinned files, outside the workspace: they are what runs. */
#include "base/file.h"
#include "base/path.h"
#include "hook/trust.h"

#include <sys/stat.h>
#include <unistd.h>

static char *copy_path(struct arena *a, const char *hash, const char *path)
{
    return arena_printf(a, "%s/trusted/%s/%s", path_xdg(a, PATH_DATA), hash, path_basename(path));
}

/* A regular file of the user's own with these bytes, in a folder nobody else can change. */
static bool is_sound(const char *copy, const char *hash)
{
    CLEANUP(arena) struct arena a = { 0 };
    char found[TRUST_HEX_LEN + 1];
    struct str text;
    struct stat st;

    if (lstat(copy, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
        (st.st_mode & (S_IWGRP | S_IWOTH)) || trust_owner_check(copy, NULL) < 0 ||
        file_read(&a, copy, TRUST_FILE_MAX, &text, NULL) < 0)
        return false;
    trust_hash(text, found);
    return strcmp(found, hash) == 0;
}

int trust_keep(struct arena *a, const char *path, struct str bytes, const char **copy,
               struct err *e)
{
    char hash[TRUST_HEX_LEN + 1];
    int r;

    trust_hash(bytes, hash);
    *copy = copy_path(a, hash, path);
    if (is_sound(*copy, hash))
        return 0;
    r = file_write(*copy, bytes, S_IRUSR | S_IXUSR, e);
    if (r < 0)
        return err_wrap(e, r, "keeping a copy of '%s'", path);
    if (!is_sound(*copy, hash))
        return err_set(e, -EPERM, "'%s' is not safe: make its folder yours alone", *copy);
    return 0;
}

char *trust_kept(struct arena *a, const struct trust_pinned *pin)
{
    char *copy = copy_path(a, pin->hash, pin->path);

    return is_sound(copy, pin->hash) ? copy : NULL;
}

char *trust_kept_of(struct arena *a, const char *trust_file, const char *path)
{
    const char *name = trust_name(a, path);
    struct trust_pinned *pins;
    char *copy = NULL;

    if (trust_pins(a, trust_file, &pins, NULL) < 0)
        return NULL;
    for (; pins->path; pins++)
        if (strcmp(pins->path, name) == 0)
            copy = trust_kept(a, pins);
    return copy;
}

int trust_text(struct arena *a, const char *trust_file, const char *path, struct str *text,
               struct err *e)
{
    struct err why = { 0 };

    if (file_read(a, path, TRUST_FILE_MAX, text, &why) < 0)
        return err_set(e, TRUST_REFUSED, "%s", why.msg);
    switch (trust_check(trust_file, path, *text)) {
    case TRUST_PINNED:
        return 0;
    case TRUST_CHANGED:
        return err_set(e, TRUST_REFUSED, "%s", trust_change(a, path));
    case TRUST_UNKNOWN:
        break;
    }
    return err_set(e, TRUST_REFUSED, "'%s' is not trusted: run 'hooke trust'", path);
}

int trust_copy(struct arena *a, const char *trust_file, const char *path, const char **copy,
               struct err *e)
{
    struct str text;
    int r = trust_text(a, trust_file, path, &text, e);

    return r < 0 ? r : trust_keep(a, path, text, copy, e);
}
