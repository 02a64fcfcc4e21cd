/* What a path that a command names is: vital, a device, of the system, … */
#include "base/glob.h"
#include "base/path.h"
#include "builtin/command_guard.h"

static const char *const system_folders[] = {
    "/bin",          "/boot",    "/dev",     "/etc",       "/home",     "/lib",       "/lib64",
    "/media",        "/mnt",     "/opt",     "/proc",      "/root",     "/run",       "/sbin",
    "/srv",          "/sys",     "/usr",     "/var",       "/Users",    "/System",    "/Library",
    "/Applications", "/usr/bin", "/usr/lib", "/usr/local", "/usr/sbin", "/usr/share", "/var/lib",
    "/var/log",      "/etc/ssh", "/nix",     "/snap",
};

static bool is_one_of(const char *const *list, size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], path) == 0)
            return true;
    return false;
}

/* Absolute and without dots; NULL: it starts in a folder nobody knows. */
static const char *place_of(const struct guard_runs *runs, const struct guard_run *r,
                            const char *path)
{
    if (path[0] != '/' && !r->cwd)
        return NULL;
    return path_normalize(runs->arena,
                          path[0] == '/' ? path : path_join(runs->arena, r->cwd, path));
}

/* Vital ---------------------------------------------------------------------------------------- */

static bool is_repository(const char *path)
{
    size_t len = strlen(path);

    return strcmp(path_basename(path), ".git") == 0 ||
           (len > 6 && (strstr(path, "/.git/objects") || strstr(path, "/.git/refs")));
}

/* A folder whose loss is the end of everything. */
static bool is_vital_folder(const struct guard_runs *runs, const char *path)
{
    const struct guard_place *p = &runs->place;

    return strcmp(path, "/") == 0 || (p->home[1] && path_within(path, p->home)) ||
           path_within(path, p->workspace) ||
           is_one_of(system_folders, ARRAY_LEN(system_folders), path) || is_repository(path);
}

/* "/x/" followed by what means everything in it, as "/x"; NULL: it is something else. */
static const char *without_all(struct arena *a, const char *path)
{
    static const char *const all[] = {
        "*", ".*", "**", "{*,.*}", "{.*,*}", ".[!.]*", ".??*", "?*"
    };
    const char *name = path_basename(path);

    return is_one_of(all, ARRAY_LEN(all), name) ? path_dirname(a, path) : NULL;
}

static bool glob_hits(const struct guard_runs *runs, const char *pattern)
{
    const struct guard_place *p = &runs->place;
    struct str glob = str_of(pattern);

    for (size_t i = 0; i < ARRAY_LEN(system_folders); i++)
        if (glob_match(glob, str_of(system_folders[i])) == 1)
            return true;
    return glob_match(glob, str_of(p->home)) == 1 || glob_match(glob, str_of(p->workspace)) == 1 ||
           glob_match(glob, str_of(path_join(runs->arena, p->workspace, ".git"))) == 1;
}

static bool is_vital(const struct guard_runs *runs, const struct guard_run *r,
                     const struct shell_word *word, const char *path)
{
    const char *at, *folder;

    if (!path[0])
        return false;
    if (path[0] == '~' && !word->quoted && !strchr(path, '/'))
        return true; /* the home of somebody */
    at = place_of(runs, r, path);
    if (!at)
        return strcmp(path_basename(path_normalize(runs->arena, path)), ".git") == 0;
    if (is_vital_folder(runs, at))
        return true;
    folder = word->globs ? without_all(runs->arena, at) : NULL;
    if (folder && is_vital_folder(runs, folder))
        return true;
    return word->globs && glob_hits(runs, at);
}

static bool is_lost(const struct guard_run *r, const char *path)
{
    static const char *const everything[] = { "*",   ".",    "./",     "./*", "..",
                                              "../", "../*", "{*,.*}", ".*",  "**" };

    return !r->cwd && is_one_of(everything, ARRAY_LEN(everything), path);
}

/* Others --------------------------------------------------------------------------------------- */

static bool is_device(const char *at)
{
    static const char *const harmless[] = { "null", "zero",  "full",   "random", "urandom",
                                            "tty",  "stdin", "stdout", "stderr", "ptmx" };
    static const char *const folders[] = { "/dev/fd", "/dev/shm", "/dev/pts", "/dev/tcp",
                                           "/dev/udp" };

    if (strncmp(at, "/dev/", 5) != 0 || is_one_of(harmless, ARRAY_LEN(harmless), at + 5))
        return strcmp(at, "/proc/sysrq-trigger") == 0;
    for (size_t i = 0; i < ARRAY_LEN(folders); i++)
        if (path_within(folders[i], at))
            return false;
    return true;
}

static bool is_system(const struct guard_runs *runs, const char *at)
{
    static const char *const folders[] = { "/etc",    "/boot",    "/usr",      "/bin",
                                           "/sbin",   "/lib",     "/lib64",    "/sys",
                                           "/System", "/Library", "/var/spool" };

    if (path_within(runs->place.workspace, at))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(folders); i++)
        if (path_within(folders[i], at) && !path_within("/usr/local", at))
            return true;
    return false;
}

static bool is_precious(const struct guard_runs *runs, const char *at)
{
    static const char *const names[] = {
        ".ssh",     ".gnupg", ".aws",      ".kube",      ".bashrc", ".bash_profile",
        ".profile", ".zshrc", ".zprofile", ".gitconfig", ".netrc",  ".config/hooke"
    };
    const char *git = strstr(at, "/.git/");

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (path_within(path_join(runs->arena, runs->place.home, names[i]), at))
            return true;
    return git && strcmp(git, "/.git/info/exclude") != 0 && !strstr(git, "/.git/COMMIT_EDITMSG");
}

static bool is_all(const char *path)
{
    static const char *const all[] = { ".", "./", "*", "./*", ":/", ":(top)", "**", ":/*" };

    return is_one_of(all, ARRAY_LEN(all), path);
}

bool guard_path_is(const struct guard_runs *runs, const struct guard_run *r,
                   const struct shell_word *word, const char *path, const char *class)
{
    const char *at;

    if (strcmp(class, "vital") == 0)
        return is_vital(runs, r, word, path);
    if (strcmp(class, "emptied") == 0)
        return word->expands && is_vital(runs, r, word, path);
    if (strcmp(class, "lost") == 0)
        return is_lost(r, path);
    if (strcmp(class, "all") == 0)
        return is_all(path);
    at = place_of(runs, r, path);
    if (!at || !path[0])
        return false;
    if (strcmp(class, "outside") == 0)
        return !path_within(runs->place.workspace, at) && is_vital(runs, r, word, path);
    if (strcmp(class, "device") == 0)
        return is_device(at);
    if (strcmp(class, "precious") == 0)
        return is_precious(runs, at);
    return is_system(runs, at);
}

bool guard_is_of_class(const struct guard_runs *runs, const struct guard_run *r, size_t arg,
                       const char *class)
{
    /* Of what is copied only the target counts: the last word. */
    if (strcmp(class, "target-system") == 0)
        return arg == r->count - 1 &&
               guard_path_is(runs, r, &r->args[arg], r->args[arg].seen, "system");
    return guard_path_is(runs, r, &r->args[arg], r->args[arg].seen, class);
}
