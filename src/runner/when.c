#include "runner/when.h"

#include "base/mem.h"
#include "base/suggest.h"
#include "runner/lua_box.h"
#include "runner/lua_names.h"
#include "runner/pool.h"

#include <errno.h>

struct when {
    const struct origin *at;
    struct str text;
    struct pool boxes;
};

static void drop_box(void *box)
{
    lua_box_free(box);
}

static struct when *new_condition(const struct origin *at, struct str text)
{
    struct when *w = xcalloc(1, sizeof(*w));

    w->at = at;
    w->text = text;
    pool_init(&w->boxes, drop_box);
    return w;
}

void when_free(struct when *w)
{
    if (!w)
        return;
    pool_release(&w->boxes);
    free(w);
}

/* Boxes ---------------------------------------------------------------------------------------- */

static int take_box(struct when *w, struct lua_box **box, struct err *e)
{
    int r;

    *box = pool_take(&w->boxes);
    if (*box)
        return 0;
    *box = lua_box_new();
    r = lua_box_load(*box, w->at->file, w->at->line, w->text, e);
    if (r < 0)
        lua_box_free(*box);
    return r;
}

int when_test(struct when *w, const struct hook_call *c, bool *truth, struct err *e)
{
    struct lua_box *box;
    int r;

    *truth = true;
    if (!w)
        return 0;
    r = take_box(w, &box, e);
    if (r == 0) {
        r = lua_box_test(box, c, truth, e);
        pool_put(&w->boxes, box);
    }
    return r < 0 ? err_wrap(e, r, r == -ETIMEDOUT ? "timed out" : "failed") : 0;
}

/* Checking ------------------------------------------------------------------------------------- */

static bool is_listed(const char *const *list, struct str name)
{
    for (; *list; list++)
        if (str_is(name, *list))
            return true;
    return false;
}

static bool is_known(const struct hook_traits *traits, struct str name)
{
    if (is_listed(lua_box_words, name) || is_listed(lua_box_library, name))
        return true;
    for (size_t i = 0; i < traits->on_count; i++)
        if (point_field(traits->on[i].point, name))
            return true;
    return false;
}

/* The known name nearest to an unknown one, or NULL. */
static const char *nearest(const struct hook_traits *traits, const char *name)
{
    const char *known[128];
    size_t count = 0;

    for (size_t i = 0; lua_box_words[i]; i++)
        known[count++] = lua_box_words[i];
    for (size_t i = 0; lua_box_library[i]; i++)
        known[count++] = lua_box_library[i];
    for (size_t i = 0; i < traits->on_count; i++) {
        size_t fields;
        const struct point_field *f = point_fields(traits->on[i].point, &fields);

        for (size_t j = 0; j < fields && count < ARRAY_LEN(known); j++)
            known[count++] = f[j].name;
    }
    return str_nearest(name, known, count);
}

static int check_names(const struct when *w, const struct hook_traits *traits, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct lua_names names = { .rest = w->text };
    struct str name;

    while (lua_names_next(&names, &name)) {
        const char *unknown, *otherwise;

        if (is_known(traits, name))
            continue;
        unknown = arena_cstr(&a, name);
        otherwise = arena_printf(&a, ", 'hooke show %s' lists the names there are",
                                 point_info(traits->on[0].point)->name);
        return err_set(e, -EINVAL, "'when' uses the unknown name '%s'%s", unknown,
                       suggest(&a, nearest(traits, unknown), otherwise));
    }
    return 0;
}

static int compile(struct when *w, struct err *e)
{
    struct lua_box *box;
    int r = take_box(w, &box, e);

    if (r == 0)
        pool_put(&w->boxes, box);
    return r;
}

int when_load(const struct hook_entry *entry, const struct problems *problems, struct when **out,
              struct err *e)
{
    const struct setting *said = setting_get(entry->spec, "when");
    struct when *w;
    int r;

    *out = NULL;
    if (!said)
        return 0;
    w = new_condition(&said->origin, said->text);
    r = check_names(w, &entry->traits, e);
    if (r == 0 && !problems->known)
        r = compile(w, e);
    if (r < 0)
        when_free(w);
    else
        *out = w;
    return r;
}
