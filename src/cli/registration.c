#include "cli/registration.h"

#include "base/path.h"
#include "find/claude_handler.h"
#include "hook/point.h"

#include <errno.h>
#include <stdlib.h>

static const struct registration agents[] = {
    { "claude", "CLAUDE_CONFIG_DIR", ".claude", "settings.json", false },
    { "codex", "CODEX_HOME", ".codex", "hooks.json", false },
    { "gemini", NULL, ".gemini", "settings.json", true },
};

const struct registration *registration_find(const char *agent)
{
    for (size_t i = 0; i < ARRAY_LEN(agents); i++)
        if (strcmp(agents[i].agent, agent) == 0)
            return &agents[i];
    return NULL;
}

const char *const *registration_agents(void)
{
    static const char *const names[] = { "claude", "codex", "gemini", NULL };

    return names;
}

char *registration_file(const struct registration *r, struct arena *a, const char *workspace)
{
    const char *own = r->variable && !workspace ? getenv(r->variable) : NULL;
    const char *folder = path_join(a, workspace ? workspace : path_home(), r->folder);

    return path_join(a, own && own[0] ? own : folder, r->file);
}

/* Looking ------------------------------------------------------------------------------------- */

static bool is_ours(struct arena *a, const struct json *handler)
{
    struct str command = json_str(a, json_get(handler, STR("command")));

    return str_is_set(command) && claude_handler_runs_hooke(command);
}

/* The first handler of ours among the groups of an event, with the group it is in. */
static const struct json *find_ours(struct arena *a, const struct json *event,
                                    const struct json **group)
{
    for (const struct json *g = json_first(event); g; g = json_next(g))
        for (const struct json *h = json_first(json_get(g, STR("hooks"))); h; h = json_next(h))
            if (is_ours(a, h)) {
                *group = g;
                return h;
            }
    return NULL;
}

/* Its `hooks`; NULL: it has none. Anything that is no such thing is not ours to mend. */
static int read_hooks(struct arena *a, struct str text, const struct json **root,
                      const struct json **hooks, struct err *e)
{
    int r = json_parse(a, text, NULL, root, e);

    if (r < 0)
        return r;
    *hooks = json_get(*root, STR("hooks"));
    if (json_type(*root) != JSON_OBJECT)
        return err_set(e, -EINVAL, "expected an object, not %s", json_type_name(json_type(*root)));
    if (*hooks && json_type(*hooks) != JSON_OBJECT)
        return err_set(e, -EINVAL, "'hooks' is not an object but %s",
                       json_type_name(json_type(*hooks)));
    for (const struct json *h = json_first(*hooks); h; h = json_next(h))
        if (json_type(h) != JSON_ARRAY)
            return err_set(e, -EINVAL, "'hooks.%.*s' is not a list but %s", STR_ARG(json_key(a, h)),
                           json_type_name(json_type(h)));
    return 0;
}

int registration_events(struct arena *a, struct str text, const char *const **events, struct err *e)
{
    const struct json *root, *hooks, *group;
    const char **names;
    size_t count = 0;
    int r = read_hooks(a, text, &root, &hooks, e);

    if (r < 0)
        return r;
    names = arena_array(a, const char *, json_count(hooks) + 1);
    for (const struct json *h = json_first(hooks); h; h = json_next(h))
        if (find_ours(a, h, &group))
            names[count++] = arena_cstr(a, json_key(a, h));
    *events = names;
    return 0;
}

/* Adding -------------------------------------------------------------------------------------- */

static bool speaks(const char *systems, const char *agent)
{
    struct str rest = str_of(systems), word;

    while (str_cut(&rest, ' ', &word))
        if (str_is(word, agent))
            return true;
    return false;
}

static const struct json *make_group(const struct registration *r, struct arena *a,
                                     const char *command)
{
    struct json *handler = json_object(a), *list = json_array(a), *group = json_object(a);

    if (r->named)
        json_add(a, handler, STR("name"), json_cstring(a, "hooke"));
    json_add(a, handler, STR("type"), json_cstring(a, "command"));
    json_add(a, handler, STR("command"), json_cstring(a, command));
    json_push(a, list, handler);
    json_add(a, group, STR("hooks"), list);
    return group;
}

/* One change at a time: what is found in a text is good for that text only. */
static int add_event(struct arena *a, struct str *text, const char *event, const struct json *group,
                     struct err *e)
{
    const struct json *root, *hooks, *list;
    int r = read_hooks(a, *text, &root, &hooks, e);

    if (r < 0)
        return r;
    list = json_get(hooks, str_of(event));
    if (list)
        *text = str_of(json_text_insert(a, *text, list, (struct str){ 0 }, group));
    else
        *text = str_of(
            json_text_insert(a, *text, hooks, str_of(event), json_append(a, json_array(a), group)));
    return 0;
}

static int add_hooks(struct arena *a, struct str *text, struct err *e)
{
    const struct json *root, *hooks;
    int r = read_hooks(a, *text, &root, &hooks, e);

    if (r == 0 && !hooks)
        *text = str_of(json_text_insert(a, *text, root, STR("hooks"), json_object(a)));
    return r;
}

/* Whether every event has this command already. */
static int is_complete(const struct registration *r, struct arena *a, struct str text,
                       const char *command, bool *complete, struct err *e)
{
    const struct json *root, *hooks, *group, *ours;
    size_t count;
    const struct point_alias *alias = point_aliases(&count);
    int rc = read_hooks(a, text, &root, &hooks, e);

    *complete = rc == 0;
    for (size_t i = 0; *complete && i < count; i++) {
        if (!speaks(alias[i].systems, r->agent))
            continue;
        ours = find_ours(a, json_get(hooks, str_of(alias[i].name)), &group);
        *complete = ours && str_is(json_str(a, json_get(ours, STR("command"))), command);
    }
    return rc;
}

int registration_add(const struct registration *r, struct arena *a, struct str text,
                     const char *command, struct str *out, struct err *e)
{
    const struct json *group = make_group(r, a, command);
    size_t count;
    const struct point_alias *alias = point_aliases(&count);
    bool complete;
    int rc = is_complete(r, a, text, command, &complete, e);

    *out = text;
    if (rc < 0 || complete)
        return rc;
    rc = registration_remove(a, text, out, e); /* what is left of an earlier one */
    if (rc == 0)
        rc = add_hooks(a, out, e);
    for (size_t i = 0; rc == 0 && i < count; i++)
        if (speaks(alias[i].systems, r->agent))
            rc = add_event(a, out, alias[i].name, group, e);
    return rc;
}

/* Removing ------------------------------------------------------------------------------------ */

/* A list that only held ours goes with it, so that nothing is left of us. */
static struct str remove_handler(struct arena *a, struct str text, const struct json *hooks,
                                 const struct json *event, const struct json *group,
                                 const struct json *handler)
{
    const struct json *list = json_get(group, STR("hooks"));

    if (json_count(list) > 1)
        return str_of(json_text_remove(a, text, list, handler));
    if (json_count(event) > 1)
        return str_of(json_text_remove(a, text, event, group));
    return str_of(json_text_remove(a, text, hooks, event));
}

/* False: there is none left. */
static int remove_one(struct arena *a, struct str *text, bool *found, struct err *e)
{
    const struct json *root, *hooks, *group, *ours;
    int r = read_hooks(a, *text, &root, &hooks, e);

    *found = false;
    if (r < 0)
        return r;
    for (const struct json *h = json_first(hooks); h && !*found; h = json_next(h)) {
        ours = find_ours(a, h, &group);
        *found = ours != NULL;
        if (ours)
            *text = remove_handler(a, *text, hooks, h, group, ours);
    }
    return 0;
}

static int remove_empty(struct arena *a, struct str *text, struct err *e)
{
    const struct json *root, *hooks;
    int r = read_hooks(a, *text, &root, &hooks, e);

    if (r == 0 && hooks && json_count(hooks) == 0)
        *text = str_of(json_text_remove(a, *text, root, hooks));
    return r;
}

int registration_remove(struct arena *a, struct str text, struct str *out, struct err *e)
{
    bool found = true, any = false;
    int r = 0;

    *out = text;
    while (r == 0 && found) {
        r = remove_one(a, out, &found, e);
        any = any || found;
    }
    return r == 0 && any ? remove_empty(a, out, e) : r;
}
