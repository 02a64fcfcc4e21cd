/* What the settings of an agent say of hooks: are they on, and may ours run here? */
#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/agent_check.h"
#include "cli/codex_hash.h"
#include "find/toml.h"

#define SETTINGS_MAX ((size_t)16 << 20)

/* Absent where there is no such file, or none that can be read. */
static const struct json *read_json(struct agent_look *l, const char *path)
{
    const struct json *j = NULL;
    struct str text;

    if (file_read(l->arena, path, SETTINGS_MAX, &text, NULL) < 0 ||
        json_parse(l->arena, json_edited(l->arena, text, l->agent->comments).parsed, NULL, &j,
                   NULL) < 0)
        return NULL;
    return j;
}

static const char *folder_of(struct agent_look *l)
{
    return path_dirname(l->arena, l->places[AGENT_USER].file);
}

static const char *real(struct arena *a, const char *path)
{
    CLEANUP(mem) char *found = realpath(path, NULL);

    return found ? arena_strdup(a, found) : path;
}

static bool is_false(const struct json *j)
{
    return json_type(j) == JSON_BOOL && !json_is_true(j);
}

/* Claude Code -----------------------------------------------------------------------------------
 */

#define CLAUDE_MANAGED "/etc/claude-code/managed-settings.json"

static void check_claude_folder(struct agent_look *l)
{
    const char *own = getenv("CLAUDE_CONFIG_DIR");
    const char *file = path_join(l->arena, own && own[0] ? own : path_home(), ".claude.json");
    const struct json *project =
        json_get(json_get(read_json(l, file), STR("projects")), str_of(l->workspace));

    if (!project)
        return; /* it was never started here, or keeps that elsewhere */
    if (json_is_true(json_get(project, STR("hasTrustDialogAccepted"))))
        doctor_report(l->doctor, HEALTH_OK, "trusted", l->workspace, NULL);
    else
        doctor_report(
            l->doctor, HEALTH_WARN, "trusted",
            arena_printf(l->arena, "%s is not trusted: no hook runs in the terminal", l->workspace),
            "start 'claude' there and accept the folder");
}

static void check_claude(struct agent_look *l)
{
    struct arena *a = l->arena;
    const char *const files[] = { CLAUDE_MANAGED, l->places[AGENT_USER].file,
                                  l->places[AGENT_PROJECT].file,
                                  path_join(a, l->workspace, ".claude/settings.local.json") };
    const char *off = NULL;

    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        if (json_is_true(json_get(read_json(l, files[i]), STR("disableAllHooks"))))
            off = arena_printf(a, "'disableAllHooks' of '%s' switches all hooks off", files[i]);
    if (json_is_true(json_get(read_json(l, CLAUDE_MANAGED), STR("allowManagedHooksOnly"))))
        off = "'allowManagedHooksOnly' of '" CLAUDE_MANAGED "' lets no other hooks run";
    doctor_report(l->doctor, off ? HEALTH_FAIL : HEALTH_OK, "enabled",
                  off ? off : "no settings switch hooks off",
                  off ? "change it, or ask whoever manages it" : NULL);
    check_claude_folder(l);
}

/* Codex -----------------------------------------------------------------------------------------
 */

/* What Codex remembers of one of our entries; absent: nothing. */
static const struct json *codex_state(struct agent_look *l, const struct json *states,
                                      const struct agent_place *p,
                                      const struct registration_entry *n)
{
    const char *tail = arena_printf(l->arena, ":%s:%zu:%zu", codex_event(l->arena, n->event),
                                    n->group, n->handler);
    const char *names[] = { p->file, real(l->arena, p->file) };
    const struct json *found = NULL;

    for (size_t i = 0; i < ARRAY_LEN(names) && !found; i++)
        found = json_get(states, str_of(arena_printf(l->arena, "%s%s", names[i], tail)));
    return found;
}

/* Events by what Codex makes of our entries. */
struct codex_trust {
    struct strbuf off, untrusted, changed;
};

static void report_codex(struct agent_look *l, const struct agent_place *p,
                         const struct codex_trust *t)
{
    const char *ask =
        "start 'codex' and trust the hooks when it asks: it skips them without a word";
    enum health bad = l->seen_since ? HEALTH_WARN : HEALTH_FAIL;
    struct arena *a = l->arena;

    if (t->off.len)
        doctor_report(l->doctor, HEALTH_FAIL, "enabled",
                      arena_printf(a, "Codex has switched off: %s", strbuf_cstr(&t->off)),
                      "switch them on under /hooks in codex");
    if (t->untrusted.len)
        doctor_report(l->doctor, bad, "trusted",
                      arena_printf(a, "Codex has not been told to trust %s of '%s'",
                                   strbuf_cstr(&t->untrusted), p->file),
                      ask);
    if (t->changed.len)
        doctor_report(l->doctor, bad, "trusted",
                      arena_printf(a, "changed since Codex was told to trust it: %s of '%s'",
                                   strbuf_cstr(&t->changed), p->file),
                      ask);
    if (!t->untrusted.len && !t->changed.len)
        doctor_report(l->doctor, HEALTH_OK, "trusted", "Codex trusts every entry as it is", NULL);
}

static void add_name(struct strbuf *names, const char *name)
{
    strbuf_printf(names, "%s%s", names->len ? ", " : "", name);
}

static void check_codex_place(struct agent_look *l, const struct json *config,
                              const struct agent_place *p)
{
    const struct json *states = json_pointer(config, "/hooks/state");
    struct codex_trust t = { 0 };

    for (const struct registration_entry *n = p->entries; n && n->event; n++) {
        const struct json *state = codex_state(l, states, p, n);
        struct str hash = json_str(l->arena, json_get(state, STR("trusted_hash")));

        if (is_false(json_get(state, STR("enabled"))))
            add_name(&t.off, n->event);
        if (!str_is_set(hash))
            add_name(&t.untrusted, n->event);
        else if (!str_is(hash, codex_hash(l->arena, n)))
            add_name(&t.changed, n->event);
    }
    report_codex(l, p, &t);
    strbuf_release(&t.off);
    strbuf_release(&t.untrusted);
    strbuf_release(&t.changed);
}

/* One that `git worktree add` has made. */
static bool is_linked_worktree(struct agent_look *l)
{
    const char *file = path_join(l->arena, l->workspace, ".git");
    struct stat st;
    struct str text;

    return stat(file, &st) == 0 && S_ISREG(st.st_mode) &&
           file_read(l->arena, file, PATH_MAX, &text, NULL) == 0 &&
           memmem(text.ptr, text.len, "/worktrees/", strlen("/worktrees/"));
}

static void check_codex_project(struct agent_look *l, const struct json *config)
{
    const struct json *projects = json_get(config, STR("projects"));
    const struct json *own = json_get(projects, str_of(l->workspace));
    struct str level;

    if (!own)
        own = json_get(projects, str_of(real(l->arena, l->workspace)));
    level = json_str(l->arena, json_get(own, STR("trust_level")));
    if (is_linked_worktree(l))
        doctor_report(l->doctor, HEALTH_FAIL, "workspace",
                      "Codex reads no hooks of a linked worktree, but those of its repository",
                      "run 'hooke uninstall codex --project' and 'hooke install codex'");
    else if (str_is(level, "trusted"))
        doctor_report(l->doctor, HEALTH_OK, "workspace", "Codex trusts it", NULL);
    else
        doctor_report(l->doctor, HEALTH_FAIL, "workspace",
                      arena_printf(l->arena, "Codex does not trust %s and reads no hooks of it",
                                   l->workspace),
                      "start 'codex' there and trust the folder");
}

static void check_codex(struct agent_look *l)
{
    const char *file = path_join(l->arena, folder_of(l), "config.toml");
    const struct json *config = NULL, *features;
    struct err e = { 0 };
    struct str text;

    if (file_read(l->arena, file, SETTINGS_MAX, &text, NULL) == 0 &&
        toml_parse(l->arena, text, &config, &e) < 0) {
        doctor_report(l->doctor, HEALTH_WARN, "trusted",
                      arena_printf(l->arena, "'%s' can't be read: %s", file, e.msg),
                      "look there for [hooks.state]");
        return;
    }
    features = json_get(config, STR("features"));
    if (is_false(json_get(features, STR("hooks"))) ||
        is_false(json_get(features, STR("codex_hooks"))))
        doctor_report(l->doctor, HEALTH_FAIL, "enabled",
                      arena_printf(l->arena, "[features] of '%s' switches hooks off", file),
                      "remove 'hooks = false'");
    for (size_t i = 0; i < AGENT_PLACES; i++)
        if (l->places[i].installed)
            check_codex_place(l, config, &l->places[i]);
    if (l->places[AGENT_PROJECT].installed)
        check_codex_project(l, config);
}

/* Gemini CLI ------------------------------------------------------------------------------------
 */

static bool has_text(struct agent_look *l, const struct json *list, const char *text)
{
    for (const struct json *j = json_first(list); j; j = json_next(j))
        if (str_is(json_str(l->arena, j), text))
            return true;
    return false;
}

/* The rule that names the nearest folder wins; unset: none names it. */
static struct str gemini_rule(struct agent_look *l, const struct json *rules)
{
    const char *here = real(l->arena, l->workspace);
    struct str level = { 0 };
    size_t longest = 0;

    for (const struct json *r = json_first(rules); r; r = json_next(r)) {
        const char *folder = real(l->arena, arena_cstr(l->arena, json_key(l->arena, r)));
        struct str said = json_str(l->arena, r);

        if (str_is(said, "TRUST_PARENT"))
            folder = path_dirname(l->arena, folder);
        if (!path_within(folder, here) || strlen(folder) < longest)
            continue;
        longest = strlen(folder);
        level = said;
    }
    return level;
}

static void check_gemini_folder(struct agent_look *l, const struct json *settings)
{
    const char *said = getenv("GEMINI_CLI_TRUST_WORKSPACE");
    const char *own = getenv("GEMINI_CLI_TRUSTED_FOLDERS_PATH");
    const char *file =
        own && own[0] ? own : path_join(l->arena, folder_of(l), "trustedFolders.json");
    struct str level;

    if (is_false(json_pointer(settings, "/security/folderTrust/enabled"))) {
        doctor_report(l->doctor, HEALTH_OK, "trusted", "Gemini is told to trust every folder",
                      NULL);
        return;
    }
    level = said && strcmp(said, "true") == 0 ? STR("TRUST_FOLDER")
                                              : gemini_rule(l, read_json(l, file));
    if (str_starts(level, STR("TRUST_")))
        doctor_report(l->doctor, HEALTH_OK, "trusted", l->workspace, NULL);
    else
        doctor_report(
            l->doctor, l->seen_since ? HEALTH_WARN : HEALTH_FAIL, "trusted",
            arena_printf(l->arena, "Gemini does not trust %s: no hook runs there", l->workspace),
            "start 'gemini' there and trust the folder, or say /permissions");
}

static void check_gemini(struct agent_look *l)
{
    const char *off = NULL;

    for (size_t i = 0; i < AGENT_PLACES; i++) {
        const char *file = l->places[i].file;
        const struct json *config = json_get(read_json(l, file), STR("hooksConfig"));

        if (is_false(json_get(config, STR("enabled"))))
            off = arena_printf(l->arena, "'hooksConfig.enabled' of '%s' switches hooks off", file);
        if (has_text(l, json_get(config, STR("disabled")), "hooke"))
            off = arena_printf(l->arena, "'hooksConfig.disabled' of '%s' names hooke", file);
    }
    doctor_report(l->doctor, off ? HEALTH_FAIL : HEALTH_OK, "enabled",
                  off ? off : "no settings switch hooks off",
                  off ? "change it, or say '/hooks enable hooke' in gemini" : NULL);
    check_gemini_folder(l, read_json(l, l->places[AGENT_USER].file));
}

void agent_trust(struct agent_look *l)
{
    static const struct {
        const char *agent;
        void (*check)(struct agent_look *l);
    } checks[] = { { "claude", check_claude },
                   { "codex", check_codex },
                   { "gemini", check_gemini } };

    for (size_t i = 0; i < ARRAY_LEN(checks); i++)
        if (strcmp(checks[i].agent, l->agent->agent) == 0)
            checks[i].check(l);
}
