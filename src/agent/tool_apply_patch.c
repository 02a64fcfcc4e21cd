/*
 * apply_patch - change several files at once, or none.
 *
 * All files are read, checked and changed in memory first. Should writing fail after all, what was
 * written is put back.
 *
 * Tests: tests/unit/agent/test_tool_apply_patch.c, test_patch.c
 */
#include "agent/edit.h"
#include "agent/patch.h"
#include "agent/seen.h"

#include <errno.h>
#include <sys/stat.h>

/* A file as it was and as it shall be. */
struct change {
    const char *path, *name;
    bool existed, exists;
    mode_t mode;
    struct str before, after;
};

struct patching {
    const struct tool_call *c;
    struct change *changes;
    size_t count;
    struct err *e;
};

/* Checking --------------------------------------------------------------------------------------
 */

static int exists_already(struct patching *p, const char *name)
{
    return err_set(p->e, -EEXIST, "'%s' exists already: use '*** Update File:', or delete it first",
                   name);
}

static int look_at(struct patching *p, const char *name, bool fresh, struct change *c)
{
    struct stat st;
    int r;

    c->name = name;
    c->before = c->after = STR("");
    if (lstat(c->path, &st) < 0)
        return 0;
    if (fresh)
        return exists_already(p, name);
    r = edit_read(p->c, c->path, &c->before, p->e);
    if (r < 0)
        return r;
    c->existed = c->exists = true;
    c->mode = st.st_mode & 07777;
    c->after = c->before;
    return 0;
}

/*
 * A file may be named more than once: what comes later works on what came before. `fresh`: it must
 * not be there.
 */
static int change_of(struct patching *p, const char *name, bool fresh, struct change **out)
{
    char *path;
    int r = tool_path(p->c, name, &path, p->e);

    if (r < 0)
        return r;
    for (size_t i = 0; i < p->count; i++) {
        *out = &p->changes[i];
        if (strcmp((*out)->path, path) == 0)
            return fresh && (*out)->exists ? exists_already(p, name) : 0;
    }
    *out = &p->changes[p->count];
    (*out)->path = path;
    r = look_at(p, name, fresh, *out);
    p->count += r == 0;
    return r;
}

static int move(struct patching *p, struct change *from, const char *name)
{
    struct change *to;
    int r = change_of(p, name, true, &to);

    if (r < 0)
        return r;
    to->exists = true;
    to->mode = from->mode;
    to->after = from->after;
    from->exists = false;
    return 0;
}

static int plan(struct patching *p, const struct patch_file *f)
{
    struct change *c;
    int r = change_of(p, f->path, f->kind == PATCH_ADD, &c);

    if (r == 0 && f->kind != PATCH_ADD && !c->exists)
        r = err_set(p->e, -ENOENT, "there is no file '%s' to %s", f->path,
                    f->kind == PATCH_DELETE ? "delete" : "update");
    if (r == 0)
        r = patch_apply(p->c->arena, f, f->kind == PATCH_ADD ? STR("") : c->after, &c->after, p->e);
    if (r < 0)
        return r;
    if (f->kind == PATCH_DELETE && f->hunks && c->after.len)
        return err_set(p->e, -EINVAL, "'%s' holds more than the patch removes", f->path);
    c->exists = f->kind != PATCH_DELETE;
    return f->move_to ? move(p, c, f->move_to) : 0;
}

/* Writing ---------------------------------------------------------------------------------------
 */

static int put(struct patching *p, const struct change *c)
{
    if (c->exists)
        return edit_write(p->c, c->path, c->after, c->mode, p->e);
    if (c->existed && unlink(c->path) < 0)
        return err_errno(p->e, "deleting '%s'", c->name);
    return 0;
}

static int put_back(struct patching *p, const struct change *c)
{
    if (c->existed)
        return edit_write(p->c, c->path, c->before, c->mode, p->e);
    return unlink(c->path) < 0 && errno != ENOENT ? err_errno(p->e, "deleting '%s'", c->name) : 0;
}

/* In two rounds: what is moved is at its new place before it leaves the old one. */
static int put_all(struct patching *p)
{
    size_t *done = arena_array(p->c->arena, size_t, p->count), count = 0;
    int r = 0;

    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < p->count && r == 0; i++) {
            if (p->changes[i].exists != (round == 0))
                continue;
            r = put(p, &p->changes[i]);
            if (r == 0)
                done[count++] = i;
        }
    while (r < 0 && count > 0) {
        struct err second = { 0 };
        struct patching undo = { .c = p->c, .e = &second };

        if (put_back(&undo, &p->changes[done[--count]]) < 0)
            return err_wrap(p->e, r, "half of the patch is applied (%s)", second.msg);
    }
    return r < 0 ? err_wrap(p->e, r, "nothing was changed") : 0;
}

/* Telling ---------------------------------------------------------------------------------------
 */

static void tell(const struct patching *p, struct tool_result *result)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    struct arena *a = p->c->arena;
    struct json *files = json_array(a);

    for (size_t i = 0; i < p->count; i++) {
        const struct change *c = &p->changes[i];
        const struct json *file = edit_count(a, c->before, c->exists ? c->after : STR(""));
        const char *what = !c->existed ? "added" : !c->exists ? "deleted" : "changed";

        if (!c->existed && !c->exists)
            continue;
        strbuf_printf(&out, "%s '%s'\n", what, c->name);
        file = json_with(a, file, STR("path"), json_cstring(a, c->name));
        json_push(a, files, json_with(a, file, STR("change"), json_cstring(a, what)));
    }
    result->title =
        arena_printf(a, "%zu file%s", json_count(files), json_count(files) == 1 ? "" : "s");
    result->metadata = json_with(a, NULL, STR("files"), files);
    result->output = tool_copy(p->c, &out);
}

static int run(const struct tool_call *c, struct tool_result *result, struct err *e)
{
    struct patching p = { .c = c, .e = e };
    struct patch patch;
    int r = patch_parse(c->arena, str_of(tool_text(c, "patch")), &patch, e);

    if (r < 0)
        return r;
    p.changes = arena_array(c->arena, struct change, patch.count * 2);
    for (const struct patch_file *f = patch.first; f && r == 0; f = f->next)
        r = plan(&p, f);
    if (r == 0)
        r = put_all(&p);
    if (r == 0)
        tell(&p, result);
    return r;
}

const struct tool apply_patch_tool = {
    .name = "apply_patch",
    .description =
        "Change several files in one go: all of the patch is applied, or none of it. Files that are "
        "changed or deleted must have been read in this session. The form:\n"
        "*** Begin Patch\n"
        "*** Update File: path\n"
        "@@ a line before the change\n"
        " a line that stays\n"
        "-a line that goes\n"
        "+a line that comes\n"
        "*** Add File: path\n"
        "+every line of it\n"
        "*** Delete File: path\n"
        "*** End Patch\n"
        "'*** Move to: path' after '*** Update File:' renames. A unified diff is fine too.",
    .parameters = "{\"type\":\"object\",\"properties\":{"
                  "\"patch\":{\"type\":\"string\",\"description\":\"all of it, as plain text\"}},"
                  "\"required\":[\"patch\"]}",
    .run = run,
};
