#include "find/hook_file.h"

#include "base/path.h"
#include "base/suggest.h"
#include "dialect/acai.h"
#include "find/entry.h"
#include "find/header.h"
#include "hook/trust_where.h"

#include <errno.h>
#include <stdlib.h>

/* hooke ---------------------------------------------------------------------------------------- */

static struct str without_suffix(const char *name)
{
    const char *dot = strrchr(name, '.');

    return (struct str){ name, dot && dot != name ? (size_t)(dot - name) : strlen(name) };
}

/* Whether the configuration says under that name what it is for. */
static bool is_configured(const struct config_finding *f, const char *name)
{
    const struct setting *hooks = setting_get(f->root, "hooks");

    for (const struct setting *h = hooks ? hooks->first : NULL; h; h = h->next) {
        const struct setting *known = setting_get(h, "name");

        if (known && str_is(known->text, name) && setting_get(h, "on"))
            return true;
    }
    return false;
}

void hook_file_read(struct found *found, const struct folder_file *file)
{
    struct config_finding *f = found->finding;
    bool lua = folder_is_lua(file);
    const char *name = found_name(f, &file->origin, "hooke", without_suffix(file->name));
    struct setting *entry, *said;

    if (!name || header_read(f->arena, &file->origin, file->head, &said, f->problems) < 0)
        return;
    if (!said && !lua && !is_configured(f, name)) {
        problem_add(f->problems, &file->origin,
                    "it is not used, for it does not say what it is for: put a line such as "
                    "'# hooke: { on: tool.execute.before }' into its first %d bytes",
                    FOLDER_HEAD);
        return;
    }
    entry = entry_new(f->arena, &file->origin, name);
    for (const struct setting *s = said ? said->first : NULL; s; s = s->next)
        entry_copy(f->arena, entry, s->key.ptr, s);
    if (lua)
        entry_text(f->arena, entry, "script", file->path);
    else
        entry_text(f->arena, entry_list(f->arena, entry, "exec"), NULL, file->path);
    found_add(found, entry);
}

/* Kodelet -------------------------------------------------------------------------------------- */

static void kodelet_answer(struct found *found, const struct ask *ask)
{
    struct config_finding *f = found->finding;
    const struct folder_file *file = ask->file;
    const char *name = found_name(f, &file->origin, "kodelet", str_of(file->name));
    struct setting *entry, *exec;

    if (!name)
        return;
    if (!point_alias_of("kodelet", str_of(ask->answer))) {
        problem_warn(f->problems, &file->origin,
                     "it is not used: asked with 'hook' it named no event of Kodelet but '%.60s'%s",
                     ask->answer,
                     suggest(f->arena, point_alias_nearest("kodelet", ask->answer), ""));
        return;
    }
    entry = entry_new(f->arena, &file->origin, name);
    entry_text(f->arena, entry, "on", ask->answer);
    entry_text(f->arena, entry, "dialect", "kodelet");
    exec = entry_list(f->arena, entry, "exec");
    entry_text(f->arena, exec, NULL, file->path);
    entry_text(f->arena, exec, NULL, "run");
    found_add(found, entry);
}

/* acai ----------------------------------------------------------------------------------------- */

/* The words that run it, with `program` in its place. */
static const char *const *acai_words(struct arena *a, const struct folder_file *file,
                                     const char *program)
{
    struct str head = file->head;
    const char **words;

    if (head.len > ACAI_HEAD)
        head.len = ACAI_HEAD;
    words = acai_interpreter(a, file->path, head, file->st.st_mode);
    for (const char **w = words; w && *w; w++)
        if (strcmp(*w, file->path) == 0)
            *w = program;
    return words;
}

static void acai_entry(struct found *found, const struct folder_file *file,
                       const struct acai_metadata *m, const char *name, bool after)
{
    struct arena *a = found->finding->arena;
    struct setting *entry = entry_new(a, &file->origin, name), *list;

    list = entry_list(a, entry, "on");
    for (size_t i = 0; i < m->hook_count; i++)
        if (m->hooks[i].after == after)
            entry_text(a, list, NULL, m->hooks[i].event);
    entry_text(a, entry, "dialect", "acai");
    if (after)
        entry_text(a, entry, "mode", "observe");
    list = entry_list(a, entry, "exec");
    for (const char *const *word = acai_words(a, file, file->path); *word; word++)
        entry_text(a, list, NULL, *word);
    found_add(found, entry);
}

static void acai_answer(struct found *found, const struct ask *ask)
{
    struct config_finding *f = found->finding;
    const struct folder_file *file = ask->file;
    bool before = false, after = false;
    struct acai_metadata m = { 0 };
    struct err e = { 0 };
    const char *name;

    if (acai_metadata_parse(f->arena, str_of(ask->answer), &m, &e) < 0) {
        problem_warn(f->problems, &file->origin,
                     "it is not used: asked to describe itself it gave a bad answer: %s", e.msg);
        return;
    }
    name = found_name(f, &file->origin, "acai", str_of(m.name));
    for (size_t i = 0; name && i < m.hook_count; i++) {
        before = before || !m.hooks[i].after;
        after = after || m.hooks[i].after;
    }
    if (before)
        acai_entry(found, file, &m, name, false);
    if (after)
        acai_entry(found, file, &m, before ? arena_printf(f->arena, "%s/after", name) : name, true);
}

/* Both ----------------------------------------------------------------------------------------- */

/* What is pinned is the file: its interpreter must not be a file of the workspace that is not. */
static int check_interpreter(struct config_finding *f, const struct folder_file *file,
                             const char *program, struct err *e)
{
    CLEANUP(mem) char *real = realpath(f->workspace, NULL);
    const struct trust_where where = {
        .root = f->workspace,
        .real_root = real ? real : f->workspace,
        .cwd = path_dirname(f->arena, file->path),
    };
    int r = trust_check_interpreter(&where, file->head, e);

    if (r == 0 && !strchr(program, '/') && trust_find_in_path(f->arena, &where, program))
        return err_set(e, -EPERM, "what runs it, '%s', is found in the workspace by PATH", program);
    return r;
}

static bool may_ask(struct config_finding *f, const struct folder *folder, const struct ask *ask)
{
    struct err e = { 0 };

    if (!ask->argv) {
        problem_warn(f->problems, &ask->file->origin,
                     "it is not used: neither its first line nor its name says what runs it");
        return false;
    }
    if (folder->source != SOURCE_WORKSPACE ||
        check_interpreter(f, ask->file, ask->argv[0], &e) == 0)
        return true;
    problem_warn(f->problems, &ask->file->origin, "it is not used: %s", e.msg);
    return false;
}

bool hook_file_question(struct config_finding *f, const struct folder *folder,
                        const struct folder_file *file, struct ask *out)
{
    static const char *const describe[] = { "HOOK_ACTION=describe", "TOOL_ACTION=describe", NULL };
    const char **argv;

    *out = (struct ask){ .file = file, .question = "hook" };
    if (folder->kind == FOLDER_KODELET) {
        argv = arena_array(f->arena, const char *, 3);
        argv[0] = file->program;
        argv[1] = "hook";
        out->argv = argv;
        return may_ask(f, folder, out);
    }
    out->question = "describe";
    out->env = describe;
    out->argv = acai_words(f->arena, file, file->program);
    return may_ask(f, folder, out);
}

void hook_file_answer(struct found *found, enum folder_kind kind, const struct ask *ask)
{
    struct config_finding *f = found->finding;

    if (ask->failure)
        problem_warn(f->problems, &ask->file->origin, "it is not used: %s it %s",
                     kind == FOLDER_KODELET ? "asked with 'hook'" : "asked to describe itself",
                     ask->failure);
    else if (ask->answer && kind == FOLDER_KODELET)
        kodelet_answer(found, ask);
    else if (ask->answer)
        acai_answer(found, ask);
}
