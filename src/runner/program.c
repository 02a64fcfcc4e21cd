#include "runner/program.h"

#include "base/clock.h"
#include "base/path.h"
#include "hook/provider_keys.h"
#include "proc/env.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

/* A file younger than that may change without a new time. */
#define SETTLED_NS 100000000

static size_t count_items(const struct setting *s)
{
    size_t count = 0;

    for (const struct setting *item = s ? s->first : NULL; item; item = item->next)
        count++;
    return count;
}

static bool names(const struct setting *env, const char *variable)
{
    for (const struct setting *item = env ? env->first : NULL; item; item = item->next)
        if (str_is(env->kind == SETTING_MAP ? item->key : item->text, variable))
            return true;
    return false;
}

/* Keys of providers are nobody's business unless the entry names them; its own values are added. */
const char **program_env(struct arena *a, const struct setting *env, size_t more, size_t *count)
{
    size_t keys = 0;
    const char **changes;

    while (provider_keys[keys])
        keys++;
    changes = arena_array(a, const char *, keys + count_items(env) + more + 1);
    *count = 0;
    for (size_t i = 0; i < keys; i++)
        if (!names(env, provider_keys[i]))
            changes[(*count)++] = provider_keys[i];
    for (const struct setting *item = env ? env->first : NULL; item; item = item->next)
        if (env->kind == SETTING_MAP)
            changes[(*count)++] = arena_printf(a, "%s=%s", item->key.ptr, item->text.ptr);
    return changes;
}

static unsigned long depth_here(void)
{
    const char *depth = getenv("HOOKE_DEPTH");

    return depth ? strtoul(depth, NULL, 10) : 0;
}

const char *program_depth(struct arena *a)
{
    return arena_printf(a, "HOOKE_DEPTH=%lu", depth_here() + 1);
}

bool program_is_inside_hook(void)
{
    return depth_here() > 0;
}

/* Identity ------------------------------------------------------------------------------------- */

struct identity {
    struct arena *arena;
    const char *cwd;
    struct strbuf text;
    bool young;
};

/* False: there is no such file. */
static bool add_file(struct identity *id, const char *path)
{
    struct stat st;
    int64_t changed;

    if (stat(path_join(id->arena, id->cwd ? id->cwd : "", path), &st) < 0 || !S_ISREG(st.st_mode))
        return false;
    changed = (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec;
    if (clock_wall_ms() * 1000000 - changed < SETTLED_NS)
        id->young = true;
    strbuf_printf(&id->text, "%s %" PRIu64 " %" PRIu64 " %" PRId64 ".%ld %" PRId64 "\n", path,
                  (uint64_t)st.st_ino, (uint64_t)st.st_size, (int64_t)st.st_mtim.tv_sec,
                  st.st_mtim.tv_nsec, changed);
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
    char *const *candidates = env_candidates(a, env_change(a, environ, env), argv[0]);
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
