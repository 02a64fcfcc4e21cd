/*
 * gemini - hooks written for Gemini CLI.
 *
 * What is read is stdout, or stderr where stdout is blank. An object in JSON is the answer whatever
 * the exit code; so is one inside a JSON string. Any other text:
 *
 *   exit 0                a line for the person at the terminal
 *   exit 1                the same as a warning, and a failed run
 *   any other exit        deny, the text is the reason; at events that can't deny, a failed run
 *   a signal              a line for the person, and a failed run
 *
 * No text at all is no opinion at exit 0 and a failed run otherwise: a silent exit 2 denies
 * nothing. docs/gemini.md has the tables.
 *
 * Tests: tests/unit/dialect/test_gemini.c, tests/e2e/test_gemini.py
 */
#include "dialect/gemini.h"

#include "base/path.h"
#include "dialect/agent.h"
#include "dialect/gemini_payload.h"

#include <errno.h>

#define TEXT_MAX 2000 /* bytes of a plain text that are shown */

static bool speaks(enum point point)
{
    return gemini_event(point) != NULL;
}

static const struct json *encode(struct arena *a, const struct dialect_event *ev)
{
    return gemini_payload(a, ev->event);
}

/* Gemini keeps plans by the name of the project's folder. */
static const char *plans_dir(struct arena *a, const char *project)
{
    return arena_printf(a, "%s/.gemini/tmp/%s/plans", path_home(), path_basename(project));
}

static const char *const *variables(struct arena *a, const struct dialect_event *ev)
{
    const struct session *s = &ev->event->session;
    const char *project = s->cwd ? path_workspace(a, s->cwd) : "";
    const char **env = arena_array(a, const char *, 6);

    env[0] = arena_printf(a, "GEMINI_PROJECT_DIR=%s", project);
    env[1] = arena_printf(a, "GEMINI_CWD=%s", s->cwd ? s->cwd : "");
    env[2] = arena_printf(a, "GEMINI_SESSION_ID=%s", s->id ? s->id : "");
    env[3] = arena_printf(a, "CLAUDE_PROJECT_DIR=%s", project);
    env[4] = arena_printf(a, "GEMINI_PLANS_DIR=%s", plans_dir(a, project));
    return env;
}

/* Plain text ----------------------------------------------------------------------------------- */

enum meaning { SAY, WARN, DENY };

static const struct outcome {
    bool killed;
    int from, to; /* exit codes */
    enum meaning meaning;
    bool failed;
} outcomes[] = {
    { .killed = true, .meaning = SAY, .failed = true },
    { .from = 0, .to = 0, .meaning = SAY },
    { .from = 1, .to = 1, .meaning = WARN, .failed = true },
    { .from = 2, .to = 255, .meaning = DENY },
};

static const struct outcome *find_outcome(const struct proc_result *run)
{
    bool killed = run->end == PROC_SIGNALED;
    const struct outcome *o = outcomes;

    while (killed ? !o->killed : o->killed || run->exit_code < o->from || run->exit_code > o->to)
        o++;
    return o;
}

static int fail(struct arena *a, const struct proc_result *run, struct err *e)
{
    struct str unused;

    if (run->end == PROC_SIGNALED)
        return err_set(e, -EIO, "%s", proc_explain(a, &(struct proc){ 0 }, run));
    return dialect_output(a, run, &unused, e);
}

/* Gemini takes a text that is no refusal for an allow. */
static int take_text(struct arena *a, const char *said, const struct event *ev,
                     const struct proc_result *run, struct verdict *v, struct err *e)
{
    const struct outcome *o = find_outcome(run);

    if (o->meaning == DENY && !gemini_may_deny(ev->point))
        return fail(a, run, e);
    if (o->meaning == DENY) {
        gemini_deny(a, ev, v, said);
        return 0;
    }
    v->say = o->meaning == WARN ? arena_printf(a, "Warning: %s", said) : said;
    v->reason = "";
    return o->failed ? fail(a, run, e) : 0;
}

/* Reading -------------------------------------------------------------------------------------- */

/* Some hooks encode their answer twice. False: it is no JSON. */
static bool read_json(struct arena *a, struct str said, const struct json **j)
{
    if (json_parse(a, said, NULL, j, NULL) < 0)
        return false;
    if (json_type(*j) != JSON_STRING)
        return true;
    return json_parse(a, str_of(json_cstr(a, *j)), NULL, j, NULL) == 0;
}

static int decode(struct arena *a, const struct dialect_event *ev, const struct proc_result *run,
                  const struct dialect_answer *to, struct err *e)
{
    struct str said = str_trim(strbuf_str(&run->out.text));
    const struct json *j = NULL;
    bool failed = run->end == PROC_SIGNALED || run->exit_code != 0;

    if (run->out.text.truncated)
        return err_set(e, -EMSGSIZE, "wrote more than %zu bytes", run->out.text.len);
    if (said.len == 0)
        said = str_trim(strbuf_str(&run->err.text));
    said = (struct str){ arena_cstr(a, said), said.len };
    if (said.len > 0 && !read_json(a, said, &j)) {
        said.len = said.len > TEXT_MAX ? TEXT_MAX : said.len;
        return take_text(a, arena_cstr(a, said), ev->event, run, to->v, e);
    }
    if (json_type(j) == JSON_OBJECT || json_type(j) == JSON_ARRAY) {
        gemini_answer_take(a, ev->event, j, to);
        return 0;
    }
    return failed ? fail(a, run, e) : 0;
}

const struct dialect gemini_dialect = {
    .name = "gemini",
    .timeout_ms = 60000,
    .shell = "bash",
    .reads_killed = true,
    .speaks = speaks,
    .encode = encode,
    .variables = variables,
    .decode = decode,
    .filter_new = gemini_filter_new,
    .filter_test = gemini_filter_test,
    .filter_free = gemini_filter_free,
    .merge = gemini_merge,
    .agent = &gemini_agent,
};
