/* Where recipes are, which of them counts, and whether it may be used. */
#include "agent/recipe.h"

#include "agent/recipe_body.h"
#include "base/file.h"
#include "base/path.h"
#include "base/suggest.h"
#include "hook/child.h"
#include "hook/trust.h"

#include <errno.h>
#include <sys/stat.h>

#define RECIPE_MAX ((size_t)1 << 20)
#define NAME_BYTES 200
#define DEPTH_MAX  8
#define FILES_MAX  1000

struct spot {
    const char *dir;
    bool pinned; /* of the workspace: what is there must be */
};

struct spots {
    struct spot list[4];
    size_t count;
};

/* Places --------------------------------------------------------------------------------------- */

/* In one's home the two are one, and that is one's own. */
static void add_spots(struct spots *s, struct arena *a, const char *workspace, const char *theirs,
                      const char *users)
{
    const char *dir = workspace ? path_join(a, workspace, theirs) : NULL;

    if (dir && !file_is_same(dir, users))
        s->list[s->count++] = (struct spot){ dir, true };
    s->list[s->count++] = (struct spot){ users, false };
}

static struct spots find_spots(const struct recipe_place *place, struct arena *a)
{
    const char *workspace = place->config ? place->config->workspace : NULL;
    const char *home = place->home ? place->home : path_home();
    struct spots s = { 0 };

    add_spots(&s, a, workspace, ".hooke/recipes",
              path_join(a, path_xdg(a, PATH_CONFIG), "recipes"));
    add_spots(&s, a, workspace, ".kodelet/recipes", path_join(a, home, ".kodelet/recipes"));
    return s;
}

/* No name may lead out of the folder, or to a hidden file. */
static bool is_name(const char *name)
{
    struct str rest = str_of(name), part;

    if (!name[0] || rest.len > NAME_BYTES)
        return false;
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return false;
    while (str_cut(&rest, '/', &part))
        if (!part.len || part.ptr[0] == '.')
            return false;
    return true;
}

static bool is_file(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* NAME.md, else NAME when that has no other ending; NULL: neither is there. */
static const char *file_of(struct arena *a, const char *dir, const char *name)
{
    const char *plain = path_join(a, dir, name), *path = arena_printf(a, "%s.md", plain);

    if (is_file(path))
        return path;
    return !strchr(path_basename(name), '.') && is_file(plain) ? plain : NULL;
}

/* Reading -------------------------------------------------------------------------------------- */

/* Bytes that were checked are the bytes that are used: nobody can change them in between. */
static int read_file(const struct recipe_place *place, struct arena *a, const struct spot *spot,
                     const char *path, struct str *text, struct err *e)
{
    int r = spot->pinned ? trust_text(a, place->config->trust, path, text, e)
                         : trust_owner_check(path, e);

    if (r < 0)
        return r == -ENOENT ? r : TRUST_REFUSED;
    return spot->pinned ? 0 : file_read(a, path, RECIPE_MAX, text, e);
}

static int load(const struct recipe_place *place, struct arena *a, const struct spot *spot,
                struct recipe *out, struct problems *problems, struct err *e)
{
    struct err why = { 0 };
    struct str text;
    int r = read_file(place, a, spot, out->path, &text, &why);

    if (r == TRUST_REFUSED) {
        out->untrusted = arena_strdup(a, why.msg);
        return err_set(e, r, "recipe '%s': %s", out->name, why.msg);
    }
    if (r < 0)
        return err_set(e, r, "recipe '%s': %s", out->name, why.msg);
    if (text.len > RECIPE_MAX)
        return err_set(e, -EFBIG, "recipe '%s': '%s' is larger than %zu bytes", out->name,
                       out->path, RECIPE_MAX);
    return recipe_read(a, text, out, problems, e);
}

static const struct recipe_builtin *find_builtin(const char *name)
{
    for (const struct recipe_builtin *b = recipe_builtins; b->name; b++)
        if (strcmp(b->name, name) == 0)
            return b;
    return NULL;
}

static int unknown(const struct recipe_place *place, struct arena *a, const char *name,
                   struct err *e)
{
    struct problems quiet = { .arena = a };
    const struct recipe *list;
    const char **names;
    size_t count;

    quiet.end = &quiet.first;
    list = recipe_list(place, a, &count, &quiet);
    names = arena_array(a, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        names[i] = list[i].name;
    return err_set(e, -ENOENT, "there is no recipe '%s'%s", name,
                   suggest(a, str_nearest(name, names, count), "; 'hooke recipe list' lists them"));
}

int recipe_find(const struct recipe_place *place, struct arena *a, const char *name,
                struct recipe *out, struct err *e)
{
    const struct recipe_builtin *b;
    struct spots spots;

    *out = (struct recipe){ .name = arena_strdup(a, name), .description = "" };
    out->keys = child_keys(a, place->config ? place->config->root : NULL);
    if (!is_name(name))
        return err_set(e, -EINVAL, "'%s' is no name of a recipe", name);
    spots = find_spots(place, a);
    for (size_t i = 0; i < spots.count; i++) {
        out->path = file_of(a, spots.list[i].dir, name);
        if (out->path)
            return load(place, a, &spots.list[i], out, NULL, e);
    }
    b = find_builtin(name);
    return b ? recipe_read(a, b->text, out, NULL, e) : unknown(place, a, name, e);
}

/* Listing -------------------------------------------------------------------------------------- */

struct names {
    struct arena *arena;
    const char **list; /* in the folder, without ".md" */
    size_t count, room;
};

/* README.txt and other files with an ending are no recipes. */
static const char *name_of(struct arena *a, const char *file)
{
    struct str name = str_of(file);

    if (name.ptr[0] == '.')
        return NULL;
    if (str_ends(name, STR(".md")))
        return arena_cstr(a, (struct str){ name.ptr, name.len - 3 });
    return strchr(file, '.') ? NULL : arena_strdup(a, file);
}

static void walk(struct names *n, const char *dir, const char *prefix, unsigned depth)
{
    CLEANUP(dir) DIR *stream = opendir(dir);
    const struct dirent *d;

    while (stream && n->count < FILES_MAX && (d = readdir(stream))) {
        const char *path = path_join(n->arena, dir, d->d_name);
        const char *name = name_of(n->arena, d->d_name);
        struct stat st;

        if (d->d_name[0] == '.' || stat(path, &st) < 0)
            continue;
        if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
            walk(n, path, arena_printf(n->arena, "%s%s/", prefix, d->d_name), depth + 1);
        if (!S_ISREG(st.st_mode) || !name)
            continue;
        n->list = arena_grow(n->arena, n->list, n->count, &n->room, sizeof(*n->list));
        n->list[n->count++] = arena_printf(n->arena, "%s%s", prefix, name);
    }
}

struct listing {
    struct arena *arena;
    struct recipe *list;
    size_t count, room;
    const char **seen; /* names that are taken, by what cannot be read too */
    size_t seen_count, seen_room;
    struct problems *problems;
};

/* True: the first of that name. */
static bool take_name(struct listing *l, const char *name)
{
    for (size_t i = 0; i < l->seen_count; i++)
        if (strcmp(l->seen[i], name) == 0)
            return false;
    l->seen = arena_grow(l->arena, l->seen, l->seen_count, &l->seen_room, sizeof(*l->seen));
    l->seen[l->seen_count++] = name;
    return true;
}

static void keep(struct listing *l, const struct recipe *recipe)
{
    l->list = arena_grow(l->arena, l->list, l->count, &l->room, sizeof(*l->list));
    l->list[l->count++] = *recipe;
}

static void list_spot(struct listing *l, const struct recipe_place *place, const struct spot *spot)
{
    struct names n = { .arena = l->arena };

    walk(&n, spot->dir, "", 0);
    for (size_t i = 0; i < n.count; i++) {
        struct recipe recipe = { .name = n.list[i], .description = "" };
        const struct origin where = { .source = SOURCE_USER };
        struct err e = { 0 };

        recipe.path = file_of(l->arena, spot->dir, n.list[i]);
        if (!recipe.path || !is_name(recipe.name) || !take_name(l, recipe.name))
            continue;
        if (load(place, l->arena, spot, &recipe, l->problems, &e) == 0 || recipe.untrusted)
            keep(l, &recipe);
        else
            problem_add(l->problems, &where, "%s", e.msg);
    }
}

static int by_name(const void *x, const void *y)
{
    return strcmp(((const struct recipe *)x)->name, ((const struct recipe *)y)->name);
}

struct recipe *recipe_list(const struct recipe_place *place, struct arena *a, size_t *count,
                           struct problems *problems)
{
    struct listing l = { .arena = a, .problems = problems };
    struct spots spots = find_spots(place, a);

    for (size_t i = 0; i < spots.count; i++)
        list_spot(&l, place, &spots.list[i]);
    for (const struct recipe_builtin *b = recipe_builtins; b->name; b++) {
        struct recipe recipe = { .name = b->name };

        if (take_name(&l, b->name) && recipe_read(a, b->text, &recipe, problems, NULL) == 0)
            keep(&l, &recipe);
    }
    if (l.count)
        qsort(l.list, l.count, sizeof(*l.list), by_name);
    *count = l.count;
    return l.list;
}

static int by_text(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

const char *const *recipe_files(const struct recipe_place *place, struct arena *a, size_t *count)
{
    struct spots spots = find_spots(place, a);
    struct names n = { .arena = a };
    const char **files;

    *count = 0;
    for (size_t i = 0; i < spots.count; i++) {
        size_t from = n.count;

        if (spots.list[i].pinned)
            walk(&n, spots.list[i].dir, "", 0);
        for (size_t k = from; k < n.count; k++)
            n.list[k] = file_of(a, spots.list[i].dir, n.list[k]);
    }
    files = arena_array(a, const char *, n.count + 1);
    for (size_t i = 0; i < n.count; i++)
        if (n.list[i])
            files[(*count)++] = n.list[i];
    qsort(files, *count, sizeof(*files), by_text);
    return files;
}
