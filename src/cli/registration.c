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
      .file = "hooks.json",
      .repeats = true },
    { .agent = "gemini",
      .program = "hooke-answer",
      .variable = "GEMINI_CLI_HOME",
      .below = ".gemini",
      .home = ".gemini",
      .project = ".gemini",
      .file = "settings.json",
      .named = true,
      .comments = true },
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

/* The first word of a command line as install writes it, and where what follows it begins. */
static char *first_word(struct arena *a, const char *command, const char **rest)
{
    CLEANUP(strbuf) struct strbuf word = { 0 };
    bool quoted = false;
    const char *p;

    while (*command == ' ')
        command++;
    for (p = command; *p && (quoted || *p != ' '); p++) {
        if (*p == '\'')
            quoted = !quoted;
        else if (*p == '\\' && !quoted && p[1])
            strbuf_addch(&word, *++p);
        else
            strbuf_addch(&word, *p);
    }
    *rest = p;
    return arena_cstr(a, strbuf_str(&word));
}

const char *registration_program(struct arena *a, const char *command)
{
    const char *word = first_word(a, command, &command);

    while (word && strchr(word, '=') && *command) /* variables of the command come first */
        word = first_word(a, command, &command);
    return word;
}

/* Whoever uses hooke for something else, such as `hooke trace`, is none of ours. */
static bool is_ours(struct arena *a, const struct json *handler)
{
    struct str command = json_str(a, json_get(handler, STR("command")));

    return str_is_set(command) && claude_handler_runs_hooke(command) &&
           (memmem(command.ptr, command.len, "hooke-answer", strlen("hooke-answer")) ||
            memmem(command.ptr, command.len, "hooke answer", strlen("hooke answer")));
}

/* As install writes it, here or elsewhere: nobody has put words of their own into it. */
static bool is_plain(struct arena *a, const char *command)
{
    const char *rest, *word = first_word(a, command, &rest);
    const char *program = word ? path_basename(word) : "";

    if (rest[strcspn(rest, "|&;<>()$`\\\"'*?[]#~=\n")])
        return false;
    return word && !strchr(word, '=') &&
           (strcmp(program, "hooke-answer") == 0 ||
            (strcmp(program, "hooke") == 0 && strstr(rest, " answer ")));
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

/* Settings, and what of them is about hooks: NULL where they have none. */
struct settings {
    struct json_edited source;
    const struct json *root, *hooks;
};

/* Anything that is no such thing is not ours to mend. */
static int read_settings(const struct registration *r, struct arena *a, struct str text,
                         struct settings *s, struct err *e)
{
    int rc;

    s->source = json_edited(a, text, r->comments);
    rc = json_parse(a, s->source.parsed, NULL, &s->root, e);
    if (rc < 0)
        return rc;
    s->hooks = json_get(s->root, STR("hooks"));
    if (json_type(s->root) != JSON_OBJECT)
        return err_set(e, -EINVAL, "expected an object, not %s",
                       json_type_name(json_type(s->root)));
    if (s->hooks && json_type(s->hooks) != JSON_OBJECT)
        return err_set(e, -EINVAL, "'hooks' is not an object but %s",
                       json_type_name(json_type(s->hooks)));
    for (const struct json *h = json_first(s->hooks); h; h = json_next(h))
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

int registration_entries(const struct registration *r, struct arena *a, struct str text,
                         const struct registration_entry **entries, struct err *e)
{
    const struct json *group, *ours;
    struct registration_entry *found;
    struct settings s;
    size_t count = 0;
    int rc = read_settings(r, a, text, &s, e);

    if (rc < 0)
        return rc;
    found = arena_array(a, struct registration_entry, json_count(s.hooks) + 1);
    for (const struct json *h = json_first(s.hooks); h; h = json_next(h)) {
        ours = find_ours(a, h, &group);
        if (ours)
            found[count++] = (struct registration_entry){
                .event = arena_cstr(a, json_key(a, h)),
                .command = json_cstr(a, json_get(ours, STR("command"))),
                .group = place_of(h, group),
                .handler = place_of(json_get(group, STR("hooks")), ours),
                .json = ours,
                .matcher = json_get(group, STR("matcher")),
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

/*
 * One change at a time: what is found in a text is good for that text only. An entry that is there
 * stays in its place, since agents remember which ones they trust by their places.
 */
static int add_event(const struct registration *r, struct arena *a, struct str *text,
                     const char *event, const char *command, struct err *e)
{
    const struct json *list, *group, *ours, *new = make_group(r, a, command);
    struct settings s;
    int rc = read_settings(r, a, *text, &s, e);

    if (rc < 0)
        return rc;
    list = json_get(s.hooks, str_of(event));
    ours = json_get(find_ours(a, list, &group), STR("command"));
    if (ours && !str_is(json_str(a, ours), command) && is_plain(a, json_cstr(a, ours)))
        *text = str_of(json_text_replace(a, &s.source, ours, json_cstring(a, command)));
    else if (!ours && list)
        *text = str_of(json_text_insert(a, &s.source, list, (struct str){ 0 }, new));
    else if (!ours)
        *text = str_of(json_text_insert(a, &s.source, s.hooks, str_of(event),
                                        json_append(a, json_array(a), new)));
    return 0;
}

static int add_hooks(const struct registration *r, struct arena *a, struct str *text, struct err *e)
{
    struct settings s;
    int rc = read_settings(r, a, *text, &s, e);

    if (rc == 0 && !s.hooks)
        *text = str_of(json_text_insert(a, &s.source, s.root, STR("hooks"), json_object(a)));
    return rc;
}

static int sweep(const struct registration *r, struct arena *a, struct str *text, bool keep,
                 struct err *e);

int registration_add(const struct registration *r, struct arena *a, struct str text,
                     const char *command, struct str *out, struct err *e)
{
    int rc;

    if (r->plugin) {
        *out = plugin_file_text(a, command);
        return 0;
    }
    *out = text;
    rc = sweep(r, a, out, true, e);
    if (rc == 0)
        rc = add_hooks(r, a, out, e);
    for (const char *const *event = registration_events(r, a); rc == 0 && *event; event++)
        rc = add_event(r, a, out, *event, command, e);
    return rc;
}

/* Removing ------------------------------------------------------------------------------------ */

/* A list that only held ours goes with it, so that nothing is left of us; not so a comment. */
static struct str remove_handler(struct arena *a, const struct settings *s,
                                 const struct json *event, const struct json *group,
                                 const struct json *handler)
{
    const struct json *list = json_get(group, STR("hooks"));

    if (json_count(list) > 1 || json_text_has_comment(&s->source, group))
        return str_of(json_text_remove(a, &s->source, list, handler));
    if (json_count(event) > 1 || json_text_has_comment(&s->source, event))
        return str_of(json_text_remove(a, &s->source, event, group));
    return str_of(json_text_remove(a, &s->source, s->hooks, event));
}

static bool is_registered(const struct registration *r, struct arena *a, const struct json *event)
{
    for (const char *const *name = registration_events(r, a); *name; name++)
        if (str_is(json_key(a, event), *name))
            return true;
    return false;
}

/* The last entry of ours in the lists of an event; of those to keep the first is none. */
static const struct json *find_surplus(struct arena *a, const struct json *event, bool keep,
                                       const struct json **group)
{
    const struct json *found = NULL;

    for (const struct json *g = json_first(event); g; g = json_next(g))
        for (const struct json *h = json_first(json_get(g, STR("hooks"))); h; h = json_next(h)) {
            if (!is_ours(a, h))
                continue;
            if (!keep) {
                found = h;
                *group = g;
            }
            keep = false;
        }
    return found;
}

/* False: there is none left. */
static int remove_one(const struct registration *r, struct arena *a, struct str *text, bool keep,
                      bool *found, struct err *e)
{
    const struct json *group = NULL, *ours;
    struct settings s;
    int rc = read_settings(r, a, *text, &s, e);

    *found = false;
    if (rc < 0)
        return rc;
    for (const struct json *h = json_first(s.hooks); h && !*found; h = json_next(h)) {
        ours = find_surplus(a, h, keep && is_registered(r, a, h), &group);
        *found = ours != NULL;
        if (ours)
            *text = remove_handler(a, &s, h, group, ours);
    }
    return 0;
}

static int remove_empty(const struct registration *r, struct arena *a, struct str *text,
                        struct err *e)
{
    struct settings s;
    int rc = read_settings(r, a, *text, &s, e);

    if (rc == 0 && s.hooks && json_count(s.hooks) == 0 &&
        !json_text_has_comment(&s.source, s.hooks))
        *text = str_of(json_text_remove(a, &s.source, s.root, s.hooks));
    return rc;
}

/* Without entries of ours; `keep`: without those that are of no use. */
static int sweep(const struct registration *r, struct arena *a, struct str *text, bool keep,
                 struct err *e)
{
    bool found = true, any = false;
    int rc = 0;

    while (rc == 0 && found) {
        rc = remove_one(r, a, text, keep, &found, e);
        any = any || found;
    }
    return rc == 0 && any ? remove_empty(r, a, text, e) : rc;
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
    *out = text;
    return r->plugin ? remove_plugin(out, e) : sweep(r, a, out, false, e);
}
