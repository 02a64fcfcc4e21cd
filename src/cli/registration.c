#include "cli/registration.h"

#include "base/path.h"
#include "cli/plugin_file.h"
#include "dialect/agent.h"
#include "dialect/dialect.h"
#include "find/claude_handler.h"
#include "hook/point.h"

#include <errno.h>
#include <stdlib.h>

static const struct registration agents[] = {
    { .agent = "claude",
      .program = "hooke-answer",
      .variable = "CLAUDE_CONFIG_DIR",
      .home = ".claude",
      .project = ".claude",
      .file = "settings.json" },
    { .agent = "codex",
      .program = "hooke-answer",
      .variable = "CODEX_HOME",
      .home = ".codex",
      .project = ".codex",
      .file = "hooks.json" },
    { .agent = "gemini",
      .program = "hooke-answer",
      .home = ".gemini",
      .project = ".gemini",
      .file = "settings.json",
      .named = true },
    { .agent = "opencode",
      .program = "hooke",
      .variable = "XDG_CONFIG_HOME",
      .below = "opencode/plugins",
      .home = ".config/opencode/plugins",
      .project = ".opencode/plugins",
      .file = "hooke.js",
      .plugin = true },
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
    static const char *const names[] = { "claude", "codex", "gemini", "opencode", NULL };

    return names;
}

char *registration_file(const struct registration *r, struct arena *a, const char *workspace)
{
    const char *own = r->variable && !workspace ? getenv(r->variable) : NULL;
    const char *folder =
        workspace ? path_join(a, workspace, r->project) : path_join(a, path_home(), r->home);

    if (own && own[0])
        folder = r->below ? path_join(a, own, r->below) : own;
    return path_join(a, folder, r->file);
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

static size_t place_of(const struct json *list, const struct json *child)
{
    size_t n = 0;

    for (const struct json *c = json_first(list); c && c != child; c = json_next(c))
        n++;
    return n;
}

int registration_entries(struct arena *a, struct str text,
                         const struct registration_entry **entries, struct err *e)
{
    const struct json *root, *hooks, *group, *ours;
    struct registration_entry *found;
    size_t count = 0;
    int r = read_hooks(a, text, &root, &hooks, e);

    if (r < 0)
        return r;
    found = arena_array(a, struct registration_entry, json_count(hooks) + 1);
    for (const struct json *h = json_first(hooks); h; h = json_next(h)) {
        ours = find_ours(a, h, &group);
        if (ours)
            found[count++] = (struct registration_entry){
                .event = arena_cstr(a, json_key(a, h)),
                .command = json_cstr(a, json_get(ours, STR("command"))),
                .group = place_of(h, group),
                .handler = place_of(json_get(group, STR("hooks")), ours),
            };
    }
    *entries = found;
    return 0;
}

static bool speaks(const char *systems, const char *agent)
{
    struct str rest = str_of(systems), word;

    while (str_cut(&rest, ' ', &word))
        if (str_is(word, agent))
            return true;
    return false;
}

const char *registration_brake(const struct registration *r)
{
    const struct dialect *d = dialect_find(str_of(r->agent));

    return d && d->agent ? d->agent->brake : NULL;
}

const char *const *registration_events(const struct registration *r, struct arena *a)
{
    size_t count, found = 0;
    const struct point_alias *alias = point_aliases(&count);
    const char **names = arena_array(a, const char *, count + 2);
    const char *brake = registration_brake(r);

    for (size_t i = 0; i < count; i++)
        if (speaks(alias[i].systems, r->agent))
            names[found++] = alias[i].name;
    if (brake)
        names[found] = brake;
    return names;
}

/* Adding -------------------------------------------------------------------------------------- */

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
    int rc = read_hooks(a, text, &root, &hooks, e);

    *complete = rc == 0;
    for (const char *const *event = registration_events(r, a); *complete && *event; event++) {
        ours = find_ours(a, json_get(hooks, str_of(*event)), &group);
        *complete = ours && str_is(json_str(a, json_get(ours, STR("command"))), command);
    }
    return rc;
}

int registration_add(const struct registration *r, struct arena *a, struct str text,
                     const char *command, struct str *out, struct err *e)
{
    const struct json *group = make_group(r, a, command);
    bool complete;
    int rc;

    if (r->plugin) {
        *out = plugin_file_text(a, command);
        return 0;
    }
    *out = text;
    rc = is_complete(r, a, text, command, &complete, e);
    if (rc < 0 || complete)
        return rc;
    rc = registration_remove(r, a, text, out, e); /* what is left of an earlier one */
    if (rc == 0)
        rc = add_hooks(a, out, e);
    for (const char *const *event = registration_events(r, a); rc == 0 && *event; event++)
        rc = add_event(a, out, *event, group, e);
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

static int remove_plugin(struct str *text, struct err *e)
{
    enum plugin_state state = plugin_file_state(*text);

    if (state == PLUGIN_OURS)
        *text = (struct str){ 0 };
    if (state == PLUGIN_CHANGED)
        return err_set(e, -EPERM,
                       "somebody has changed it since hooke wrote it: look at it and remove it");
    return 0;
}

int registration_remove(const struct registration *r, struct arena *a, struct str text,
                        struct str *out, struct err *e)
{
    bool found = true, any = false;
    int rc = 0;

    *out = text;
    if (r->plugin)
        return remove_plugin(out, e);
    while (rc == 0 && found) {
        rc = remove_one(a, out, &found, e);
        any = any || found;
    }
    return rc == 0 && any ? remove_empty(a, out, e) : rc;
}
