/* Which files of the workspace the hooks of a configuration run, and whether they are trusted. */
#include "base/path.h"
#include "hook/config_merge.h"
#include "hook/trust.h"
#include "hook/trust_words.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void add_unpinned(struct config *c, const struct hook_entry *entry, const char *what)
{
    c->unpinned = arena_grow(&c->arena, c->unpinned, c->unpinned_count, &c->unpinned_room,
                             sizeof(*c->unpinned));
    c->unpinned[c->unpinned_count++] = arena_printf(&c->arena, "hook '%s': %s", entry->name, what);
}

/* The words that stay as they are are the trusted file's own doing, but must be seen. */
static void tell_unpinned(struct config *c, const struct hook_entry *entry,
                          const struct trust_request *rq, const struct trust_names *names)
{
    for (size_t i = 0; i < names->note_count; i++)
        add_unpinned(c, entry, names->notes[i]);
    for (const struct setting *s = rq->unpinned ? rq->unpinned->first : NULL; s; s = s->next)
        add_unpinned(c, entry, arena_printf(&c->arena, "'%s', by 'unpinned'", s->text.ptr));
}

static void list_files(struct config *c, const struct hook_entry *entry,
                       const struct trust_names *names)
{
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < names->count; i++) {
        const char *path = names->list[i].path;
        struct str text;

        config_add_file(c, &(struct config_file){
                               .path = path,
                               .source = SOURCE_WORKSPACE,
                               .exists = access(path, F_OK) == 0,
                               .trusted = trust_text(&a, c->trust, path, &text, NULL) == 0,
                               .hook = entry->name,
                           });
    }
}

/* `own_env` is that of a handler; NULL: none. */
static void read_command(struct config *c, struct hook_entry *entry, const struct setting *command,
                         const struct setting *own_env)
{
    const struct trust_request rq = {
        .config = c,
        .command = command,
        .env = setting_get(entry->spec, "env"),
        .own_env = own_env,
        .unpinned = setting_get(entry->spec, "unpinned"),
    };
    struct trust_names names;
    struct trust_command run;
    struct err e = { 0 };

    if (!command || command->origin.source != SOURCE_WORKSPACE)
        return;
    if (trust_names(&c->arena, &rq, &names, &e) == 0) {
        list_files(c, entry, &names);
        tell_unpinned(c, entry, &rq, &names);
    }
    if (trust_look(&c->arena, &rq, &run, &e) == 0)
        return;
    if (entry->runner == RUNNER_BUILTIN) {
        problem_warn(&c->problems, &command->origin, "'%s' of hook '%s' does not run: %s",
                     command->key.ptr, entry->name, e.msg);
        return;
    }
    entry->untrusted = arena_strdup(&c->arena, e.msg);
    problem_warn(&c->problems, &command->origin, "hook '%s' does not run: %s", entry->name, e.msg);
}

/* An option of a built-in that ends so is a command. */
static void read_options(struct config *c, struct hook_entry *entry)
{
    for (const struct setting *s = entry->spec->first; s; s = s->next)
        if (str_ends(s->key, STR("_exec")))
            read_command(c, entry, s, NULL);
}

void config_read_programs(struct config *c)
{
    static const char *const keys[] = { "exec", "resident", "script" };

    for (size_t i = 0; i < c->hook_count; i++) {
        struct hook_entry *entry = &c->hooks[i];
        const struct setting *group = setting_get(entry->spec, "group");

        if (entry->runner == RUNNER_BUILTIN)
            read_options(c, entry);
        if (entry->duplicate || entry->broken || entry->runner == RUNNER_BUILTIN)
            continue;
        for (size_t k = 0; k < ARRAY_LEN(keys); k++)
            read_command(c, entry, setting_get(entry->spec, keys[k]), NULL);
        for (const struct setting *h = group ? group->first : NULL; h; h = h->next)
            read_command(c, entry, setting_get(h, "exec"), setting_get(h, "env"));
    }
}

static bool is_in_workspace(const struct config *c)
{
    CLEANUP(mem) char *real = realpath(c->trust, NULL), *root = realpath(c->workspace, NULL);

    return root && path_within(root, real ? real : c->trust);
}

/* Why the trust file is not used; NULL: it is, or is the usual one and not there. */
static const char *why_not(struct config *c)
{
    struct err e = { 0 };
    struct stat st;

    /* The usual one is the user's, even where the home folder is the workspace. */
    if (c->trust_named && is_in_workspace(c))
        return "it lies in the workspace, which must not vouch for itself: keep it outside";
    if (access(c->trust, F_OK) < 0)
        return c->trust_named ? "it is not there, 'hooke trust' makes it" : NULL;
    if (access(c->trust, R_OK) < 0 || stat(c->trust, &st) < 0 || !S_ISREG(st.st_mode))
        return "it cannot be read";
    return trust_owner_check(c->trust, &e) < 0 ? arena_strdup(&c->arena, e.msg) : NULL;
}

void config_check_trust(struct config *c)
{
    const struct origin where = { .source = SOURCE_USER, .file = c->trust };
    const char *why = why_not(c);

    if (!why)
        return;
    c->trust_bad = arena_printf(&c->arena, "the trust file '%s' is not used: %s", c->trust, why);
    problem_warn(&c->problems, &where, "%s", c->trust_bad);
    if (c->trust_named && is_in_workspace(c))
        c->trust = ""; /* which pins nothing and cannot be written */
}

int config_trust_ready(const struct config *c, struct err *e)
{
    return c->trust_named && c->trust_bad ? err_set(e, -EPERM, "%s", c->trust_bad) : 0;
}
