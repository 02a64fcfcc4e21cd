/* Whose a file is: one that others can write says what they want. */
#include "base/path.h"
#include "hook/trust.h"

#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMES_MAX 16384

/* Many systems give every user a group of the same name with nobody else in it. */
static bool is_own_group(gid_t gid)
{
    CLEANUP(arena) struct arena a = { 0 };
    char *names = arena_alloc(&a, NAMES_MAX), *members = arena_alloc(&a, NAMES_MAX);
    struct passwd user, *u = NULL;
    struct group group, *g = NULL;

    if (gid == 0)
        return true;
    if (getpwuid_r(geteuid(), &user, names, NAMES_MAX, &u) != 0 || !u ||
        getgrgid_r(gid, &group, members, NAMES_MAX, &g) != 0 || !g ||
        strcmp(u->pw_name, g->gr_name) != 0)
        return false;
    for (char **m = g->gr_mem; *m; m++)
        if (strcmp(*m, u->pw_name) != 0)
            return false;
    return true;
}

static int check_mode(const char *path, const struct stat *st, struct err *e)
{
    if (st->st_uid != 0 && st->st_uid != geteuid())
        return err_set(e, -EPERM,
                       "'%s' belongs to another user (uid %u) and is not used: it must be yours or "
                       "root's",
                       path, (unsigned)st->st_uid);
    if (S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX))
        return 0;
    if (st->st_mode & S_IWOTH)
        return err_set(e, -EPERM,
                       "'%s' can be written by everybody and is not used: run chmod o-w on it",
                       path);
    if ((st->st_mode & S_IWGRP) && !is_own_group(st->st_gid))
        return err_set(e, -EPERM,
                       "'%s' can be written by its group and is not used: run chmod g-w on it",
                       path);
    return 0;
}

static int check_folder_of(struct arena *a, const char *path, struct err *e)
{
    const char *folder = path_dirname(a, path);
    struct stat st;

    if (stat(folder, &st) < 0)
        return err_errno(e, "looking at '%s'", folder);
    return check_mode(folder, &st, e);
}

/* What a link leads to, and the folder that is in. */
static int check_target(struct arena *a, const char *path, struct err *e)
{
    CLEANUP(mem) char *real = realpath(path, NULL);
    struct stat st;
    int r;

    if (!real || stat(real, &st) < 0)
        return err_errno(e, "looking at '%s'", path);
    r = check_mode(real, &st, e);
    return r < 0 ? r : check_folder_of(a, real, e);
}

int trust_owner_check(const char *path, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct stat st;
    int r;

    if (lstat(path, &st) < 0)
        return err_errno(e, "looking at '%s'", path);
    r = S_ISLNK(st.st_mode) ? check_target(&a, path, e) : check_mode(path, &st, e);
    return r < 0 ? r : check_folder_of(&a, path, e);
}
