#include "agent/permission.h"

#include "agent/status.h"

/* Unset: it says nothing of the tool. */
static struct str configured(const struct agent *ag, const char *tool)
{
    const struct setting *map = config_get(agent_config(ag), "permission", NULL);
    const struct setting *said = setting_get(map, tool);

    if (!said)
        said = setting_get(map, "*");
    return said ? said->text : (struct str){ 0 };
}

static bool was_allowed(const struct agent *ag, const char *tool)
{
    for (const char *const *t = agent_options(ag)->allowed; t && *t; t++)
        if (strcmp(*t, tool) == 0 || strcmp(*t, "all") == 0)
            return true;
    return false;
}

static void decide(struct receipt *r, const char *by, enum decision decision, const char *reason)
{
    r->answer = (struct receipt_answer){ by, decision };
    r->verdict.decision = decision;
    if (reason)
        r->verdict.reason = reason;
}

static const char *denial(struct arena *a, const char *tool)
{
    return arena_printf(a, "'permission' denies the tool '%s'", tool);
}

/* The gate ------------------------------------------------------------------------------------- */

void permission_settle(void *context, struct arena *a, struct receipt *r)
{
    const struct permission_gate *g = context;
    struct str mode = configured(g->agent, g->tool);
    enum decision d = r->verdict.decision;

    if (d == DECISION_BLOCK || d == DECISION_ALLOW || r->verdict.stop)
        return;
    if (str_is(mode, "deny"))
        decide(r, "configuration", DECISION_BLOCK, denial(a, g->tool));
    else if (str_is(mode, "allow") && d == DECISION_NONE)
        r->answer = (struct receipt_answer){ "configuration", DECISION_ALLOW };
}

/* The question --------------------------------------------------------------------------------- */

struct question {
    struct agent_session *s;
    const char *tool, *why;
    const struct json *args;
};

/* A person may be looking elsewhere. */
static void announce(const struct question *q)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct json *data = json_object(&a);

    json_add(&a, data, STR("kind"), json_cstring(&a, "permission"));
    json_add(&a, data, STR("message"),
             json_cstring(&a, arena_printf(&a, "'%s' needs your consent: %s", q->tool, q->why)));
    (void)session_notice(q->s, POINT_NOTIFICATION, data, &a);
}

static bool person_consents(const struct question *q, const struct agent_screen *screen)
{
    bool yes;

    announce(q);
    status_question(q->s, true);
    yes = screen->consent(screen->context, q->tool, q->args, q->why);
    status_question(q->s, false);
    return yes;
}

static void answer(void *context, struct arena *a, struct receipt *r)
{
    const struct question *q = context;
    const struct agent_screen *screen = agent_options(q->s->agent)->screen;
    enum decision d = r->verdict.decision;

    if (d == DECISION_BLOCK || d == DECISION_ALLOW) {
        decide(r, "hook", d, NULL);
    } else if (r->verdict.stop) {
        return; /* the session ends: nobody needs to be asked, and the call is not made */
    } else if (was_allowed(q->s->agent, q->tool)) {
        decide(r, "flag", DECISION_ALLOW, q->why);
    } else if (screen && screen->consent) {
        bool yes = person_consents(q, screen);

        decide(r, "person", yes ? DECISION_ALLOW : DECISION_BLOCK,
               yes ? q->why : "the user said no");
    } else {
        r->verdict.decision = DECISION_ASK;
        r->verdict.reason = q->why;
        verdict_settle_ask(a, &r->verdict, arena_printf(a, "--allow %s", q->tool));
        decide(r, "nobody", DECISION_BLOCK, NULL);
    }
}

static const char *ask(struct agent_session *s, struct arena *a, const struct json *call,
                       const char *why)
{
    CLEANUP(receipt) struct receipt r = { 0 };
    struct question q = {
        .s = s,
        .tool = json_cstr(a, json_get(call, STR("tool"))),
        .why = why,
        .args = json_get(call, STR("args")),
    };
    const struct event_settle settle = { answer, &q };
    const struct event ev = {
        .point = POINT_PERMISSION_ASK,
        .data = json_with(a, call, STR("why"), json_cstring(a, why)),
        .settle = &settle,
    };

    session_emit_event(s, &ev, a, &r);
    if (r.answer.by && r.answer.decision == DECISION_ALLOW)
        return NULL;
    return arena_strdup(a, r.answer.by && r.verdict.reason ? r.verdict.reason : why);
}

const char *permission_refuses(struct agent_session *s, struct arena *a, const struct json *call,
                               const char *why)
{
    const char *tool = json_cstr(a, json_get(call, STR("tool")));
    struct str mode = configured(s->agent, tool ? tool : "");

    if (str_is(mode, "deny")) /* where even the event failed */
        return denial(a, tool);
    if (!why && !str_is(mode, "ask"))
        return NULL;
    return ask(s, a, call, why ? why : arena_printf(a, "'permission' asks about '%s'", tool));
}
