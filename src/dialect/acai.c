/*
 * acai - hooks of the describe/execute protocol: HOOK_ACTION says which, one JSON object on stdin,
 * one on stdout.
 *
 *   exit 0, stdout empty                no opinion
 *   exit 0, {"action":"continue"}       no opinion
 *   exit 0, {"action":"block"}          stop: the run ends, its agent.error says why
 *   exit 0, {"action":"modify"}         a merge patch of the payload
 *   exit 0, any other action            a warning, then as continue
 *   exit 0, stdout anything else        a failed run
 *   any other exit, or a signal         a failed run, whatever stdout says: it never blocks
 *
 * docs/acai.md has the tables of payloads.
 *
 * Tests: tests/unit/dialect/test_acai.c, tests/e2e/test_acai.py
 */
#include "base/path.h"
#include "dialect/dialect.h"
#include "hook/tools.h"

#include <errno.h>

static const char *event_name(enum point point)
{
    static const char *const events[POINT_COUNT] = {
        [POINT_AGENT_START] = "agent-start",
        [POINT_STEP_START] = "step-start",
        [POINT_TOOL_EXECUTE_BEFORE] = "tool-call-start",
        [POINT_TOOL_EXECUTE_AFTER] = "tool-call-end",
        [POINT_TURN_AFTER] = "step-stop",
        [POINT_AGENT_STOP] = "agent-stop",
        [POINT_AGENT_ERROR] = "agent-error",
    };

    return events[point];
}

static bool speaks(enum point point)
{
    return event_name(point) != NULL;
}

static const char *timing(const struct dialect_event *ev)
{
    return ev->final ? "after" : "before";
}

static const char *project_dir(struct arena *a, const struct event *ev)
{
    return ev->session.cwd ? path_workspace(a, ev->session.cwd) : "";
}

/* Payloads ------------------------------------------------------------------------------------- */

#define AT(point) (UINT64_C(1) << POINT_##point)
#define TOOL      (AT(TOOL_EXECUTE_BEFORE) | AT(TOOL_EXECUTE_AFTER))

/* A member of a payload, and the field of our data it comes from. */
static const struct member {
    const char *name, *field;
    uint64_t points;
    bool changes; /* `modify` may replace the field, if the point lets it be replaced */
    bool text;    /* always there, as a text */
} members[] = {
    { "name", "tool", TOOL, false, true },
    { "toolCallId", "call_id", TOOL, false, true },
    { "msg", "title", TOOL, true, true },
    { "args", "args", TOOL, true, false },
    { "output", "output", AT(TOOL_EXECUTE_AFTER), true, false },
    { "success", "success", AT(TOOL_EXECUTE_AFTER), false, false },
    { "model", "model", AT(AGENT_START) | AT(STEP_START), false, false },
    { "turn", "turn", AT(TURN_AFTER), false, false },
    { "response", "response", AT(TURN_AFTER), false, false },
    { "tools_used", "tools_used", AT(TURN_AFTER), false, false },
    { "usage", "usage", AT(TURN_AFTER) | AT(AGENT_STOP), false, false },
    { "message", "error", AT(AGENT_ERROR), false, true },
    { "error", "error", AT(AGENT_ERROR), false, false },
};

static bool belongs(const struct member *m, const struct event *ev)
{
    return m->points >> ev->point & 1;
}

static const struct json *value_of(struct arena *a, const struct member *m, const struct event *ev)
{
    const struct json *value = event_data(ev, str_of(m->field));
    struct str tool = event_tool(a, ev);

    if (strcmp(m->name, "name") == 0)
        return json_string(a, tools_name(TOOLS_ACAI, TOOLS_THEIRS, tool));
    if (strcmp(m->name, "args") == 0)
        return value ? tools_to_theirs(a, TOOLS_ACAI, tool, value) : json_object(a);
    if (strcmp(m->name, "message") == 0)
        value = json_get(value, STR("message"));
    if (m->text && json_type(value) != JSON_STRING)
        return json_cstring(a, "");
    return value;
}

static const struct json *payload_of(struct arena *a, const struct event *ev)
{
    struct json *payload = json_object(a);

    for (size_t i = 0; i < ARRAY_LEN(members); i++)
        if (belongs(&members[i], ev))
            json_add(a, payload, str_of(members[i].name), value_of(a, &members[i], ev));
    return payload;
}

static const struct json *encode(struct arena *a, const struct dialect_event *ev)
{
    const struct session *s = &ev->event->session;
    struct json *j = json_object(a);

    json_add(a, j, STR("event"), json_cstring(a, event_name(ev->event->point)));
    json_add(a, j, STR("timing"), json_cstring(a, timing(ev)));
    json_add(a, j, STR("session_id"), json_cstring(a, s->id ? s->id : ""));
    json_add(a, j, STR("project_dir"), json_cstring(a, project_dir(a, ev->event)));
    json_add(a, j, STR("agent_name"), json_cstring(a, s->agent ? s->agent : ""));
    json_add(a, j, STR("payload"), payload_of(a, ev->event));
    return j;
}

static const char *const *variables(struct arena *a, const struct dialect_event *ev)
{
    const struct session *s = &ev->event->session;
    const char **env = arena_array(a, const char *, 8);

    env[0] = "HOOK_ACTION=execute";
    env[1] = "TOOL_ACTION=execute"; /* what acai's tools look at; hooks grew out of them */
    env[2] = arena_printf(a, "HOOK_EVENT=%s", event_name(ev->event->point));
    env[3] = arena_printf(a, "HOOK_TIMING=%s", timing(ev));
    env[4] = arena_printf(a, "ACAI_SESSION_ID=%s", s->id ? s->id : "");
    env[5] = arena_printf(a, "ACAI_PROJECT_DIR=%s", project_dir(a, ev->event));
    env[6] = arena_printf(a, "ACAI_AGENT_NAME=%s", s->agent ? s->agent : "");
    return env;
}

/* Answers -------------------------------------------------------------------------------------- */

struct answer {
    struct arena *arena;
    const struct event *event;
    struct verdict *v;
    struct strbuf *warnings;
};

static void take_block(struct answer *r, const struct json *j)
{
    char *reason = json_cstr(r->arena, json_get(j, STR("reason")));

    r->v->stop = reason && reason[0] ? reason : "blocked without a reason";
}

static const struct member *find_member(const struct event *ev, struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(members); i++)
        if (belongs(&members[i], ev) && str_is(name, members[i].name))
            return &members[i];
    return NULL;
}

/* What comes back as it was sent is no change: guards need not look again. */
static void take_change(struct answer *r, const struct member *m, const struct json *change)
{
    struct arena *a = r->arena;
    const struct json *was = value_of(a, m, r->event), *now = json_merge(a, was, change);
    const struct point_field *f = point_field(r->event->point, str_of(m->field));
    bool args = strcmp(m->name, "args") == 0;
    bool fits = args ? json_type(now) == JSON_OBJECT
                     : json_type(now) == JSON_STRING || json_type(now) == json_type(was);

    if (json_equal(was, now))
        return;
    if (!m->changes || !f || !f->changes) {
        strbuf_printf(r->warnings, "'%s' can't be changed at %s\n", m->name,
                      event_name(r->event->point));
    } else if (json_type(change) == JSON_NULL || !fits) {
        strbuf_printf(r->warnings, "'%s' can't become %s\n", m->name,
                      json_type_name(json_type(now)));
    } else {
        if (args)
            now = tools_to_ours(a, TOOLS_ACAI, event_tool(a, r->event), now,
                                event_data(r->event, STR("args")));
        verdict_replace(a, r->v, str_of(m->field), now);
    }
}

static void take_modifications(struct answer *r, const struct json *changes)
{
    if (json_type(changes) != JSON_OBJECT) {
        strbuf_printf(r->warnings, "'modifications' must be an object, not %s\n",
                      json_type_name(json_type(changes)));
        return;
    }
    for (const struct json *c = json_first(changes); c; c = json_next(c)) {
        struct str name = json_key(r->arena, c);
        const struct member *m = find_member(r->event, name);

        if (m)
            take_change(r, m, c);
        else
            strbuf_printf(r->warnings, "'%.*s' is no part of %s\n", STR_ARG(name),
                          event_name(r->event->point));
    }
}

static int take_answer(struct answer *r, const struct json *j, struct err *e)
{
    const struct json *said = json_get(j, STR("action"));
    struct str action = json_str(r->arena, said);

    if (json_type(j) != JSON_OBJECT)
        return err_set(e, -EBADMSG, "gave a bad answer: it must be an object, not %s",
                       json_type_name(json_type(j)));
    if (str_is(action, "block"))
        take_block(r, j);
    else if (str_is(action, "modify"))
        take_modifications(r, json_get(j, STR("modifications")));
    else if (!said)
        strbuf_addstr(r->warnings, "its answer has no 'action'\n");
    else if (!str_is(action, "continue"))
        strbuf_printf(r->warnings, "'action' must be continue, block or modify, not %s\n",
                      json_text(r->arena, said));
    return 0;
}

static int decode(struct arena *a, const struct dialect_event *ev, const struct proc_result *run,
                  const struct dialect_answer *to, struct err *e)
{
    struct answer answer = { .arena = a, .event = ev->event, .v = to->v, .warnings = to->warnings };
    const struct json *j;
    struct str out;
    int r = dialect_output(a, run, &out, e);

    if (r < 0 || out.len == 0)
        return r;
    r = json_parse(a, out, NULL, &j, e);
    if (r < 0)
        return err_wrap(e, r, "gave a bad answer");
    return take_answer(&answer, j, e);
}

const struct dialect acai_dialect = {
    .name = "acai",
    .timeout_ms = 30000,
    .speaks = speaks,
    .encode = encode,
    .variables = variables,
    .decode = decode,
};
