#include "cli/agent_check.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/plugin_file.h"
#include "hook/registry.h"
#include "serve/ask.h"
#include "serve/socket.h"

#include <errno.h>

#define SETTINGS_MAX ((size_t)4 << 20)

/* Points that OpenCode's plugin emits: there are no other names for them. */
static const char *const opencode_events[] = {
    "session.created",
    "chat.message",
    "experimental.chat.messages.transform",
    "experimental.chat.system.transform",
    "chat.params",
    "chat.headers",
    "tool.definition",
    "tool.execute.before",
    "tool.execute.after",
    "shell.env",
    "experimental.text.complete",
    "turn.after",
    "session.idle",
    "agent.stop",
    "experimental.session.compacting",
    "session.compacted",
    "permission.ask",
    NULL,
};

static const char *const *events_of(const struct agent_look *l)
{
    return l->agent->plugin ? opencode_events : registration_events(l->agent, l->arena);
}

/* Installed -------------------------------------------------------------------------------------
 */

static void note_change(struct agent_place *p, const struct stat *st)
{
    int64_t at = (int64_t)st->st_mtim.tv_sec * 1000 + st->st_mtim.tv_nsec / 1000000;

    if (at > p->since_ms)
        p->since_ms = at;
}

/* "hooke-opencode", "hooke-opencode@1", or the module of a checkout. */
static bool is_plugin_name(struct str spec)
{
    struct str name = STR("hooke-opencode");

    if (str_starts(spec, name))
        return spec.len == name.len || spec.ptr[name.len] == '@';
    return str_ends(spec, STR("adapters/opencode/index.js"));
}

static bool names_plugin(struct agent_look *l, struct str text)
{
    const struct json *j, *plugins;

    if (json_parse(l->arena, json_edited(l->arena, text, true).parsed, NULL, &j, NULL) < 0)
        return false;
    plugins = json_get(j, STR("plugin"));
    for (const struct json *p = json_first(plugins); p; p = json_next(p))
        if (is_plugin_name(json_str(l->arena, json_type(p) == JSON_ARRAY ? json_first(p) : p)))
            return true;
    return false;
}

/* OpenCode's own configuration may name the plugin as well. */
static void look_for_name(struct agent_look *l, struct agent_place *p, const char *folder)
{
    static const char *const files[] = { "opencode.json", "opencode.jsonc" };
    struct stat st;
    struct str text;

    for (size_t i = 0; i < ARRAY_LEN(files) && !p->names; i++) {
        const char *path = path_join(l->arena, folder, files[i]);

        if (stat(path, &st) < 0 || file_read(l->arena, path, SETTINGS_MAX, &text, NULL) < 0 ||
            !names_plugin(l, text))
            continue;
        p->names = path;
        p->installed = true;
        note_change(p, &st);
    }
}

static void look_into(struct agent_look *l, struct agent_place *p)
{
    struct err e = { 0 };
    struct stat st;
    struct str text;

    if (stat(p->file, &st) < 0)
        return;
    note_change(p, &st);
    if (file_read(l->arena, p->file, SETTINGS_MAX, &text, &e) < 0) {
        p->broken = arena_strdup(l->arena, e.msg);
        return;
    }
    if (l->agent->plugin) {
        p->installed = p->plugin = plugin_file_state(text) != PLUGIN_OTHER;
        return;
    }
    if (str_trim(text).len && registration_entries(l->agent, l->arena, text, &p->entries, &e) < 0)
        p->broken = arena_strdup(l->arena, e.msg);
    p->installed = p->entries && p->entries[0].event;
}

/* Beside the folder of plugins, and at the top of a workspace. */
static void look_for_names(struct agent_look *l)
{
    struct arena *a = l->arena;

    for (size_t i = 0; i < AGENT_PLACES; i++)
        look_for_name(l, &l->places[i], path_dirname(a, path_dirname(a, l->places[i].file)));
    look_for_name(l, &l->places[AGENT_PROJECT], l->workspace);
}

static bool has_entry(const struct agent_place *p, const char *event)
{
    for (const struct registration_entry *n = p->entries; n && n->event; n++)
        if (strcmp(n->event, event) == 0)
            return true;
    return false;
}

static void report_events(struct agent_look *l, const struct agent_place *p, const char *again)
{
    CLEANUP(strbuf) struct strbuf missing = { 0 };
    size_t count = 0, lacking = 0;

    for (const char *const *event = events_of(l); *event; event++) {
        count++;
        if (has_entry(p, *event))
            continue;
        strbuf_printf(&missing, "%s%s", lacking++ ? ", " : "", *event);
    }
    if (lacking)
        doctor_report(l->doctor, HEALTH_WARN, "installed",
                      arena_printf(l->arena, "%s, without %s", p->file, strbuf_cstr(&missing)),
                      again);
    else
        doctor_report(l->doctor, HEALTH_OK, "installed",
                      arena_printf(l->arena, "%s, all %zu events", p->file, count), NULL);
}

/* Its first line has a hash, and its end names the program: what is between tells the version. */
static bool is_current(struct agent_look *l, const struct agent_place *p)
{
    struct str text;

    return file_read(l->arena, p->file, SETTINGS_MAX, &text, NULL) == 0 &&
           memmem(text.ptr, text.len, plugin_module.ptr, plugin_module.len);
}

static void report_plugin(struct agent_look *l, const struct agent_place *p, const char *again)
{
    if (is_current(l, p))
        doctor_report(l->doctor, HEALTH_OK, "installed", p->file, NULL);
    else
        doctor_report(l->doctor, HEALTH_WARN, "installed",
                      arena_printf(l->arena, "%s is not the plugin of this version", p->file),
                      again);
}

static void check_place(struct agent_look *l, const struct agent_place *p, bool project)
{
    const char *again = arena_printf(l->arena, "run 'hooke install %s%s'", l->agent->agent,
                                     project ? " --project" : "");

    if (p->broken)
        doctor_report(l->doctor, HEALTH_FAIL, "installed",
                      arena_printf(l->arena, "'%s' can't be read: %s", p->file, p->broken),
                      "mend it: the agent may not read it either");
    else if (p->plugin)
        report_plugin(l, p, again);
    else if (p->installed && !l->agent->plugin)
        report_events(l, p, again);
    if (p->names)
        doctor_report(l->doctor, HEALTH_OK, "installed",
                      arena_printf(l->arena, "'%s' names the plugin", p->names), NULL);
}

/*
 * Claude Code and Gemini run one command once, however many files have it; the plugin sees to that
 * itself, since it can be in more than one place.
 */
static bool is_run_twice(struct agent_look *l)
{
    const struct agent_place *user = &l->places[AGENT_USER], *own = &l->places[AGENT_PROJECT];

    if (!user->installed || !own->installed)
        return false;
    if (l->agent->plugin)
        return user->plugin && own->plugin && !(is_current(l, user) && is_current(l, own));
    return l->agent->repeats || strcmp(user->entries[0].command, own->entries[0].command) != 0;
}

static void check_twice(struct agent_look *l)
{
    if (is_run_twice(l))
        doctor_report(
            l->doctor, HEALTH_WARN, "installed",
            "for the user and for this workspace: events are answered twice",
            arena_printf(l->arena, "run 'hooke uninstall %s --project'", l->agent->agent));
}

static void check_places(struct agent_look *l)
{
    const struct agent_place *user = &l->places[AGENT_USER], *own = &l->places[AGENT_PROJECT];

    if (!user->installed && !own->installed && !user->broken && !own->broken)
        doctor_report(
            l->doctor, HEALTH_FAIL, "installed",
            strcmp(user->file, own->file) == 0 /* at home */
                ? arena_printf(l->arena, "'%s' has no hooke", user->file)
                : arena_printf(l->arena, "neither '%s' nor '%s' has hooke", user->file, own->file),
            arena_printf(l->arena, "run 'hooke install %s'", l->agent->agent));
    check_place(l, user, false);
    check_place(l, own, true);
    check_twice(l);
}

/* The program -----------------------------------------------------------------------------------
 */

static const char *find_in_path(struct arena *a, const char *name)
{
    const char *variable = getenv("PATH");
    struct str rest = str_of(variable ? variable : ""), folder;

    if (strchr(name, '/'))
        return access(name, X_OK) == 0 ? name : NULL;
    while (str_cut(&rest, ':', &folder)) {
        const char *path = path_join(a, arena_cstr(a, folder), name);

        if (folder.len && access(path, X_OK) == 0)
            return path;
    }
    return NULL;
}

static void check_command(struct agent_look *l, const char *command)
{
    const char *word = registration_program(l->arena, command);
    const char *path = word ? find_in_path(l->arena, word) : NULL;

    if (path)
        doctor_report(l->doctor, HEALTH_OK, "command",
                      arena_printf(l->arena, "'%s' runs %s", command, path), NULL);
    else
        doctor_report(
            l->doctor, HEALTH_FAIL, "command",
            arena_printf(l->arena, "'%s' can't be run: %s", command,
                         word && strchr(word, '/') ? strerror(errno) : "it is not on the PATH"),
            arena_printf(l->arena, "run 'hooke install %s' again", l->agent->agent));
}

/* Each command once. */
static void check_commands(struct agent_look *l)
{
    CLEANUP(map) struct map known = { 0 };

    for (size_t i = 0; i < AGENT_PLACES; i++)
        for (const struct registration_entry *n = l->places[i].entries; n && n->event; n++)
            if (n->command && !map_put(&known, str_of(n->command), l))
                check_command(l, n->command);
}

/* hooke-answer hands nothing to a daemon of another version, and says nothing of it. */
static void check_version(struct agent_look *l, const char *path, const struct json *status)
{
    const char *version = json_cstr(l->arena, json_get(status, STR("hooke")));

    version = version ? version : "unknown";
    if (strcmp(version, HOOKE_VERSION) == 0)
        doctor_report(l->doctor, HEALTH_OK, "daemon", arena_printf(l->arena, "listens on %s", path),
                      NULL);
    else
        doctor_report(l->doctor, HEALTH_WARN, "daemon",
                      arena_printf(l->arena, "version %s listens on %s, this is %s", version, path,
                                   HOOKE_VERSION),
                      "run 'hooke serve --stop'");
}

static void check_daemon(struct agent_look *l)
{
    const char *path = socket_path(l->arena);
    bool needed = l->agent->plugin;
    const struct json *status;
    struct err e = { 0 };
    int r = path ? ask_daemon(l->arena, path, "status", &status, &e) : 0;

    if (!path && needed)
        doctor_report(l->doctor, HEALTH_FAIL, "daemon", "HOOKE_SOCKET is empty: none may be used",
                      "unset HOOKE_SOCKET where OpenCode is started");
    else if (!path)
        doctor_report(l->doctor, HEALTH_OK, "daemon", "HOOKE_SOCKET is empty: none is used", NULL);
    else if (r == -ECONNREFUSED)
        doctor_report(l->doctor, HEALTH_OK, "daemon",
                      needed ? "none listens; OpenCode starts one"
                             : "none listens; each event starts hooke",
                      NULL);
    else if (r < 0)
        doctor_report(l->doctor, HEALTH_WARN, "daemon", e.msg, "end it and start it again");
    else
        check_version(l, path, status);
}

/* What came of it -------------------------------------------------------------------------------
 */

static bool is_installed(const struct agent_look *l)
{
    return l->places[AGENT_USER].installed || l->places[AGENT_PROJECT].installed;
}

static void note_last(struct agent_look *l)
{
    char since[CLOCK_TEXT_SIZE];

    for (size_t i = 0; i < AGENT_PLACES; i++) {
        if (!l->places[i].installed)
            continue;
        clock_format(l->places[i].since_ms, since);
        l->seen_since |= l->seen.last && strcmp(l->seen.last, since) >= 0;
    }
}

static void check_loaded(struct agent_look *l)
{
    struct arena *a = l->arena;

    if (l->seen.last && (l->seen_since || !is_installed(l)))
        doctor_report(l->doctor, HEALTH_OK, "loaded",
                      arena_printf(a, "last event: %s, %s", l->seen.last_event, l->seen.last),
                      NULL);
    else if (l->seen.last)
        doctor_report(
            l->doctor, HEALTH_WARN, "loaded",
            arena_printf(a, "no event since it was installed, the last before: %s", l->seen.last),
            "start a new session of the agent");
    else
        doctor_report(l->doctor, HEALTH_WARN, "loaded",
                      arena_printf(a, "no event in %d days", SIGHTING_DAYS),
                      "start a session of the agent");
}

static void check_fired(struct agent_look *l)
{
    CLEANUP(strbuf) struct strbuf fired = { 0 }, never = { 0 };
    const char *brake = registration_brake(l->agent);

    for (const struct sighting *s = l->seen.first; s; s = s->next)
        strbuf_printf(&fired, "%s%s %zu", fired.len ? ", " : "", s->event, s->count);
    for (const char *const *event = events_of(l); *event; event++)
        if (!sightings_of(&l->seen, *event) && !(brake && strcmp(*event, brake) == 0))
            strbuf_printf(&never, "%s%s", never.len ? ", " : "", *event);
    if (!fired.len)
        return;
    doctor_report(l->doctor, HEALTH_OK, "fired", arena_strdup(l->arena, strbuf_cstr(&fired)), NULL);
    if (never.len)
        doctor_report(l->doctor, HEALTH_OK, "never fired",
                      arena_strdup(l->arena, strbuf_cstr(&never)), NULL);
}

/* Those that are still in force; who has failed and then worked is well again. */
static void check_failing(struct agent_look *l, const struct registry *reg)
{
    for (const struct sighting_hook *h = l->seen.hooks; h; h = h->next)
        if (h->failed && registry_find(reg, h->name))
            doctor_report(l->doctor, HEALTH_WARN, "hook",
                          arena_printf(l->arena, "'%s' failed %zu %s up to now: %s", h->name,
                                       h->failed, h->failed == 1 ? "time" : "times in a row",
                                       h->detail),
                          arena_printf(l->arena, "try it with 'hooke test %s'", h->name));
}

void agent_check(struct doctor *d, const struct registration *r, const struct registry *reg,
                 const char *receipts)
{
    CLEANUP(mem) char *cwd = getcwd(NULL, 0);
    struct agent_look l = { .doctor = d, .arena = &d->cli->arena, .agent = r };

    l.workspace = path_workspace(l.arena, cwd ? cwd : "/");
    l.places[AGENT_USER].file = registration_file(r, l.arena, NULL);
    l.places[AGENT_PROJECT].file = registration_file(r, l.arena, l.workspace);
    for (size_t i = 0; i < AGENT_PLACES; i++)
        if (i == AGENT_USER || !file_is_same(l.places[0].file, l.places[i].file))
            look_into(&l, &l.places[i]);
    if (r->plugin)
        look_for_names(&l);
    sightings_read(l.arena, receipts, r->agent, &l.seen);
    note_last(&l);
    check_places(&l);
    check_commands(&l);
    if (is_installed(&l))
        agent_trust(&l);
    check_daemon(&l);
    check_loaded(&l);
    check_fired(&l);
    check_failing(&l, reg);
    if (is_installed(&l))
        agent_calls(&l);
    sightings_release(&l.seen);
}
