#include "runner/program.h"

#include "base/file.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "base/vars.h"
#include "proc/env.h"

#include <inttypes.h>

struct identity {
    struct arena *arena;
    const char *cwd;
    struct strbuf text;
    bool young;
};

/* False: there is no such file. */
static bool add_file(struct identity *id, const char *path)
{
    struct file_identity file = file_identify(path_join(id->arena, id->cwd ? id->cwd : "", path));

    if (!S_ISREG(file.mode))
        return false;
    id->young = id->young || file_is_young(&file);
    strbuf_printf(&id->text, "%s %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 "\n", path,
                  file.inode, file.size, file.mtime_ns, file.ctime_ns);
    return true;
}

/* A word may be a shell's text: every piece of it that names a file counts. */
static void add_words(struct identity *id, const char *text)
{
    static const char separators[] = " \t\n\"'`;|&()<>=$";

    if (!strpbrk(text, separators))
        (void)add_file(id, text);
    for (const char *rest = text; strpbrk(text, separators) && *rest;) {
        size_t len = strcspn(rest, separators);

        if (len)
            (void)add_file(id, arena_printf(id->arena, "%.*s", (int)len, rest));
        rest += len + (rest[len] != '\0');
    }
}

static void add_list(struct identity *id, const char *const *list)
{
    for (; list && *list; list++)
        strbuf_printf(&id->text, "%zu:%s\n", strlen(*list), *list);
    strbuf_addch(&id->text, '\n');
}

const char *program_identity(struct arena *a, const char *const *argv, const char *const *env,
                             const char *cwd, bool *young)
{
    struct identity id = { .arena = a, .cwd = cwd };
    char *const *candidates = env_candidates(a, env_change(a, vars_all(), env), argv[0]);
    const char *text;

    add_list(&id, argv);
    add_list(&id, env);
    strbuf_printf(&id.text, "%s\n", cwd ? cwd : "");
    while (*candidates && !add_file(&id, *candidates))
        candidates++;
    for (size_t i = 1; argv[i]; i++)
        add_words(&id, argv[i]);
    if (young)
        *young = id.young;
    text = arena_cstr(a, strbuf_str(&id.text));
    strbuf_release(&id.text);
    return text;
}
