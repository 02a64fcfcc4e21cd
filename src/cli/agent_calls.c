/* Tool calls that an agent has made and no receipt covers: hooke was off, or not asked. */
#include "base/clock.h"
#include "base/file.h"
#include "base/path.h"
#include "cli/agent_check.h"
#include "find/opencode_db.h"

#include <glob.h>

#define FILES_MAX      20 /* transcripts, the newest */
#define TRANSCRIPT_MAX ((size_t)32 << 20)
#define LISTED_MAX     8 /* calls of a session that are named */

static const struct {
    const char *agent;
    const char *pattern; /* below the agent's folder */
    bool ids;            /* its hooks are told the ids of calls */
} kept[] = {
    { "claude", "projects/*/*.jsonl", true },
    { "claude", "projects/*/*/subagents/*.jsonl", true },
    { "codex", "sessions/*/*/*/rollout-*.jsonl", true },
    { "gemini", "tmp/*/chats/*.json*", false },
};

struct found_file {
    const char *path;
    int64_t at_ms;
};

/* One look at all transcripts. */
struct calls {
    struct agent_look *look;
    const char *since; /* calls before it were made before hooke was there */
    bool ids, everywhere;
    struct found_file files[FILES_MAX];
    size_t file_count;
    size_t sessions, calls, missed;
};

/* Files -----------------------------------------------------------------------------------------
 */

/* Newest first, the oldest falls off. */
static void note_file(struct calls *c, const char *path)
{
    struct stat st;
    struct found_file f = { .path = path };
    size_t at;

    if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return;
    f.at_ms = (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
    for (at = 0; at < c->file_count && c->files[at].at_ms >= f.at_ms;)
        at++;
    if (at == FILES_MAX)
        return;
    if (c->file_count < FILES_MAX)
        c->file_count++;
    for (size_t i = c->file_count - 1; i > at; i--)
        c->files[i] = c->files[i - 1];
    c->files[at] = f;
    c->files[at].path = arena_strdup(c->look->arena, path);
}

static void find_files(struct calls *c, const char *pattern)
{
    struct arena *a = c->look->arena;
    const char *folder = path_dirname(a, registration_file(c->look->agent, a, NULL));
    glob_t g = { 0 };

    if (glob(path_join(a, folder, pattern), GLOB_NOSORT, NULL, &g) == 0)
        for (size_t i = 0; i < g.gl_pathc; i++)
            note_file(c, g.gl_pathv[i]);
    globfree(&g);
}

/* Where hooke is only in the workspace, sessions of other folders are none of its business. */
static bool is_elsewhere(const struct calls *c, struct arena *a, const char *path,
                         const struct transcript *t)
{
    const char *root = path_join(a, path_dirname(a, path_dirname(a, path)), ".project_root");
    struct str text = { 0 };
    const char *cwd = t->cwd;

    if (c->everywhere)
        return false;
    if (!cwd && file_read(a, root, 4096, &text, NULL) == 0) /* Gemini keeps it beside */
        cwd = arena_cstr(a, str_trim(text));
    return !cwd || !path_within(c->look->workspace, cwd);
}

/* Comparing -------------------------------------------------------------------------------------
 */

static void report_missed(struct calls *c, const struct transcript *t, size_t missed,
                          const struct strbuf *names)
{
    struct agent_look *l = c->look;

    c->missed += missed;
    doctor_report(l->doctor, HEALTH_WARN, "transcript",
                  arena_printf(l->arena, "session %s: no receipt for %zu tool call%s: %s%s",
                               t->session ? t->session : "?", missed, missed == 1 ? "" : "s",
                               names->len ? strbuf_cstr(names) : "which ones is not known",
                               missed > LISTED_MAX && names->len ? ", …" : ""),
                  "hooks were off, not trusted or not asked then: see above");
}

static bool is_counted(const struct calls *c, const struct transcript_call *call)
{
    return !call->at[0] || strcmp(call->at, c->since) >= 0;
}

/* By id where hooks are told ids, else by how many there were. */
static void compare(struct calls *c, const struct transcript *t)
{
    CLEANUP(strbuf) struct strbuf names = { 0 };
    const size_t *seen = t->session ? map_get(&c->look->seen.sessions, str_of(t->session)) : NULL;
    size_t counted = 0, missed = 0;

    for (size_t i = 0; i < t->count; i++) {
        const struct transcript_call *call = &t->calls[i];

        if (!is_counted(c, call))
            continue;
        counted++;
        if (!c->ids || map_get(&c->look->seen.calls, str_of(call->id)))
            continue;
        if (missed++ < LISTED_MAX)
            strbuf_printf(&names, "%s%s (%s)", names.len ? ", " : "", call->id, call->tool);
    }
    if (!c->ids && counted > (seen ? *seen : 0))
        missed = counted - (seen ? *seen : 0);
    c->calls += counted;
    c->sessions += counted > 0;
    if (missed)
        report_missed(c, t, missed, &names);
}

static void read_file(struct calls *c, const char *path)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct transcript t;
    struct str text;

    if (file_read(&a, path, TRANSCRIPT_MAX, &text, NULL) < 0)
        return;
    transcript_read(&a, c->look->agent->agent, text, &t);
    if (!is_elsewhere(c, &a, path, &t))
        compare(c, &t);
}

/* OpenCode keeps all sessions in one file. */
static void read_opencode(struct calls *c, int64_t since_ms)
{
    const char *path = opencode_db_path(c->look->arena);
    struct transcript *sessions;
    size_t count;

    c->ids = true;
    if (!path || access(path, R_OK) < 0)
        return;
    opencode_db_read(c->look->arena, path, since_ms, &sessions, &count);
    for (size_t i = 0; i < count; i++)
        if (!is_elsewhere(c, c->look->arena, path, &sessions[i]))
            compare(c, &sessions[i]);
}

void agent_calls(struct agent_look *l)
{
    const struct agent_place *user = &l->places[AGENT_USER], *own = &l->places[AGENT_PROJECT];
    const struct agent_place *place = user->installed ? user : own;
    struct calls c = { .look = l, .everywhere = user->installed };
    char since[CLOCK_TEXT_SIZE];

    clock_format(place->since_ms, since);
    c.since = since;
    for (size_t i = 0; i < ARRAY_LEN(kept); i++)
        if (strcmp(kept[i].agent, l->agent->agent) == 0) {
            c.ids = kept[i].ids;
            find_files(&c, kept[i].pattern);
        }
    if (l->agent->plugin)
        read_opencode(&c, place->since_ms);
    for (size_t i = 0; i < c.file_count; i++)
        if (c.files[i].at_ms >= place->since_ms)
            read_file(&c, c.files[i].path);
    if (c.calls && !c.missed)
        doctor_report(l->doctor, HEALTH_OK, "transcript",
                      arena_printf(l->arena,
                                   "%zu tool call%s in %zu session%s since hooke was installed, "
                                   "each has a receipt",
                                   c.calls, c.calls == 1 ? "" : "s", c.sessions,
                                   c.sessions == 1 ? "" : "s"),
                      NULL);
}
