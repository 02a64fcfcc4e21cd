/*
 * path.h - names of files: joining, containment, the folders hooke keeps things in.
 *
 * Results are allocated in the arena that is passed.
 */
#pragma once

#include "base/arena.h"

/* dir + "/" + name; `name` itself when it is absolute or `dir` is empty. */
char *path_join(struct arena *a, const char *dir, const char *name);

/* The folder part: "a" for "a/b", "/" for "/b", "." for "b". */
char *path_dirname(struct arena *a, const char *path);

/* The last part: "b" for "a/b" and for "b", "" for "a/". Borrowed. */
const char *path_basename(const char *path);

/*
 * Without "." and "..", doubled and trailing slashes; "." for nothing. Only what leads out of a
 * relative path stays in front of it: "../a". Looks at the text only, not at the disk.
 */
char *path_normalize(struct arena *a, const char *path);

/*
 * Whether `path` is `root` or below it, by component: "/repo-other" is not inside "/repo", and
 * neither is "/repo/../etc". Symbolic links are not followed.
 */
bool path_within(const char *root, const char *path);

/*
 * The folders of the XDG base directory specification, with "/hooke" added. `home` is what HOME
 * says, or "/" in an environment without it.
 */
enum path_kind { PATH_CONFIG, PATH_DATA, PATH_STATE };
char *path_xdg(struct arena *a, enum path_kind kind);
const char *path_home(void);

/* The nearest folder at or above `cwd` that holds `.hooke` or `.git`, else `cwd`; normalized. */
char *path_workspace(struct arena *a, const char *cwd);
