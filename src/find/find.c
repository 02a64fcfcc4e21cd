#include "find/find.h"

#include "base/file.h"
#include "base/path.h"
#include "find/claude_settings.h"
#include "find/hook_file.h"

/* The folders, in the order their hooks run. */
static const struct {
    enum folder_kind kind;
    const char *in_workspace, *in_home; /* NULL: in the user's folder of hooke */
} places[] = {
    { FOLDER_HOOKE, ".hooke/hooks", NULL },
    { FOLDER_KODELET, ".kodelet/hooks", ".kodelet/hooks" },
    { FOLDER_ACAI, ".acai/hooks", ".acai/hooks" },
};

#define FOLDERS (ARRAY_LEN(places) * 2)

struct looking {
    struct folder folder;
    struct folder_file *files;
    struct ask *asks; /* one for each that could be asked */
    size_t ask_count;
};

static size_t find_folders(struct config_finding *f, struct looking all[FOLDERS])
{
    struct arena *a = f->arena;
    size_t count = 0;

    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        const char *theirs = path_join(a, f->workspace, places[i].in_workspace);
        const char *users = places[i].in_home ? path_join(a, f->home, places[i].in_home)
                                              : path_join(a, f->user_dir, "hooks");

        /* in one's home the two are one, and that is one's own */
        if (!file_is_same(theirs, users))
            all[count++].folder = (struct folder){ places[i].kind, SOURCE_WORKSPACE, theirs };
        all[count++].folder = (struct folder){ places[i].kind, SOURCE_USER, users };
    }
    return count;
}

static size_t count_files(const struct looking *l)
{
    size_t count = 0;

    for (const struct folder_file *file = l->files; file; file = file->next)
        count++;
    return count;
}

/* All questions side by side in one array; each folder knows its part. */
static void ask_folders(struct config_finding *f, struct looking *all, size_t count)
{
    size_t files = 0, asked = 0;
    struct ask *asks;

    for (size_t i = 0; i < count; i++)
        files += count_files(&all[i]);
    if (files == 0)
        return;
    asks = arena_array(f->arena, struct ask, files);
    for (size_t i = 0; i < count; i++) {
        all[i].asks = asks + asked;
        if (all[i].folder.kind == FOLDER_HOOKE)
            continue;
        for (const struct folder_file *file = all[i].files; file; file = file->next)
            if (hook_file_question(f, &all[i].folder, file, &asks[asked]))
                asked++;
        all[i].ask_count = (size_t)(asks + asked - all[i].asks);
    }
    ask_all(f, asks, asked);
}

/* What is wrong with a file as it was is nobody's concern: that it has changed is said already. */
static void read_file(struct found *found, const struct folder_file *file, enum folder_kind kind,
                      const struct ask *answered)
{
    struct config_finding *f = found->finding;
    struct problems *loud = f->problems, quiet = { .arena = f->arena };

    quiet.end = &quiet.first;
    if (file->changed)
        f->problems = &quiet;
    if (answered)
        hook_file_answer(found, kind, answered);
    else
        hook_file_read(found, file);
    f->problems = loud;
}

void find_hooks(struct config_finding *f)
{
    struct looking all[FOLDERS] = { 0 };
    size_t count = find_folders(f, all);
    struct found found = { .finding = f };

    for (size_t i = 0; i < count; i++) {
        config_found_watch(f, all[i].folder.path);
        all[i].files = folder_files(f, &all[i].folder);
    }
    ask_folders(f, all, count);
    for (size_t i = 0; i < count; i++) {
        enum folder_kind kind = all[i].folder.kind;

        for (const struct folder_file *file = all[i].files; file; file = file->next)
            if (kind == FOLDER_HOOKE)
                read_file(&found, file, kind, NULL);
        for (size_t q = 0; q < all[i].ask_count; q++)
            read_file(&found, all[i].asks[q].file, kind, &all[i].asks[q]);
    }
    claude_settings_find(&found);
    found_hand_over(&found);
}
