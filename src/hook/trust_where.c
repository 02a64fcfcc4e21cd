#include "hook/trust_where.h"

#include "base/path.h"
#include "base/vars.h"
#include "hook/trust.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_MAX_LEN 4096

struct trust_where trust_where(struct arena *a, const struct trust_request *rq)
{
    const char *root = rq->config->workspace;
    CLEANUP(mem) char *real = realpath(root, NULL);

    return (struct trust_where){
        .root = root,
        .real_root = real ? arena_strdup(a, real) : root,
        .cwd = rq->cwd ? rq->cwd : root,
    };
}

/* Folders that only the machine's owner writes. */
static bool is_system(const char *path)
{
    static const char *const folders[] = { "/bin",    "/sbin", "/usr", "/lib",  "/lib32", "/lib64",
                                           "/libx32", "/opt",  "/nix", "/snap", "/etc" };

    for (size_t i = 0; i < ARRAY_LEN(folders); i++)
        if (path_within(folders[i], path))
            return true;
    return false;
}

bool trust_is_inside(const struct trust_where *w, const char *path)
{
    CLEANUP(mem) char *real = realpath(path, NULL);

    return path_within(w->root, path) || path_within(w->real_root, path) ||
           (real && path_within(w->real_root, real));
}

bool trust_needs_pin(const struct trust_where *w, const char *path)
{
    CLEANUP(mem) char *real = realpath(path, NULL);

    /* In a workspace that is all of the machine the system's folders are still the system's. */
    if (trust_is_inside(w, path) && strcmp(w->real_root, "/") != 0)
        return true;
    return !is_system(real ? real : path);
}

char *trust_find_in_path(struct arena *a, const struct trust_where *w, const char *name)
{
    const char *list = vars_get("PATH");
    struct str rest = str_of(list ? list : "/usr/bin:/bin"), folder;

    while (str_cut(&rest, ':', &folder)) {
        const char *dir = folder.len ? arena_cstr(a, folder) : ".";
        char *path = path_normalize(a, path_join(a, path_join(a, w->cwd, dir), name));
        struct stat st;

        if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0)
            return trust_is_inside(w, path) && trust_needs_pin(w, path) ? path : NULL;
    }
    return NULL;
}

static bool is_workspace_word(struct arena *a, const struct trust_where *w, const char *word)
{
    if (!strchr(word, '/'))
        return word[0] != '-' && !strchr(word, '=') && trust_find_in_path(a, w, word);
    return word[0] != '/' || (trust_is_inside(w, word) && trust_needs_pin(w, word));
}

int trust_check_interpreter(const struct trust_where *w, struct str text, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct str line = { 0 }, word;

    if (!text.ptr || !str_starts(text, STR("#!")) || !str_cut(&text, '\n', &line))
        return 0;
    if (line.len > LINE_MAX_LEN)
        line.len = LINE_MAX_LEN;
    line = (struct str){ line.ptr + 2, line.len - 2 };
    for (char *c = arena_cstr(&a, line); *c; c++)
        if (*c == '\t' || *c == '\r')
            return err_set(e, TRUST_REFUSED, "its first line has odd blanks: use single ones");
    while (str_cut(&line, ' ', &word))
        if (word.len && is_workspace_word(&a, w, arena_cstr(&a, word)))
            return err_set(e, TRUST_REFUSED,
                           "its first line names '%.*s' of the workspace, which can't be pinned",
                           STR_ARG(word));
    return 0;
}
