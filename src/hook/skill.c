#include "hook/skill.h"

#include "base/file.h"
#include "base/front.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "base/yaml.h"

#include <dirent.h>
#include <errno.h>

#define SKILLS 500

static const char *description_of(struct arena *a, struct str front)
{
    struct yaml_node *root;
    struct yaml_place bad;

    if (!str_is_set(front) || yaml_parse(a, front, &root, &bad, NULL) < 0)
        return "";
    for (const struct yaml_node *n = root->first; n; n = n->next)
        if (str_is(n->key, "description") && n->kind == YAML_SCALAR)
            return n->text.ptr;
    return "";
}

static bool load(struct arena *a, const char *dir, const char *name, struct skill *out)
{
    char *path = path_join(a, path_join(a, dir, name), "SKILL.md");
    struct str text;

    if (file_read(a, path, SKILL_MAX, &text, NULL) < 0)
        return false;
    *out = (struct skill){ .name = arena_strdup(a, name), .path = path };
    out->description = description_of(a, front_cut(&text));
    out->text = str_trim(text);
    return true;
}

static bool is_known(const struct skill *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return true;
    return false;
}

static void add_folder(struct arena *a, const char *dir, struct skill *list, size_t *count)
{
    DIR *stream = opendir(dir);
    const struct dirent *d;

    while (stream && *count < SKILLS && (d = readdir(stream)))
        if (d->d_name[0] != '.' && !is_known(list, *count, d->d_name) &&
            load(a, dir, d->d_name, &list[*count]))
            (*count)++;
    if (stream)
        closedir(stream);
}

static int by_name(const void *x, const void *y)
{
    return strcmp(((const struct skill *)x)->name, ((const struct skill *)y)->name);
}

struct skill *skill_list(struct arena *a, const char *workspace, size_t *count)
{
    struct skill *list = arena_array(a, struct skill, SKILLS);

    *count = 0;
    if (workspace)
        add_folder(a, path_join(a, workspace, ".hooke/skills"), list, count);
    add_folder(a, path_join(a, path_xdg(a, PATH_CONFIG), "skills"), list, count);
    qsort(list, *count, sizeof(*list), by_name);
    return list;
}

int skill_find(struct arena *a, const char *workspace, const char *name, struct skill *out,
               struct err *e)
{
    CLEANUP(strbuf) struct strbuf known = { 0 };
    size_t count;
    const struct skill *list = skill_list(a, workspace, &count);

    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0) {
            *out = list[i];
            return 0;
        }
        strbuf_printf(&known, "%s%s", i ? ", " : "", list[i].name);
    }
    return err_set(e, -ENOENT, "there is no skill '%s': %s%s", name,
                   count ? "there are " : "there are none at all", strbuf_cstr(&known));
}
