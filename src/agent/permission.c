#include "agent/permission.h"

static struct str configured(const struct agent *ag, const char *tool)
{
    const struct setting *map = config_get(agent_config(ag), "permission", NULL);
    const struct setting *said = setting_get(map, tool);

    if (!said)
        said = setting_get(map, "*");
    return said ? said->text : STR("allow");
}

static bool was_allowed(const struct agent *ag, const char *tool)
{
    for (const char *const *t = agent_options(ag)->allowed; t && *t; t++)
        if (strcmp(*t, tool) == 0 || strcmp(*t, "all") == 0)
            return true;
    return false;
}

/* A person may be looking elsewhere. */
static void announce(struct agent_session *s, struct arena *a, const char *tool, const char *why)
{
    struct json *data = json_object(a);

    json_add(a, data, STR("kind"), json_cstring(a, "permission"));
    json_add(a, data, STR("message"),
             json_cstring(a, arena_printf(a, "'%s' needs your consent: %s", tool, why)));
    (void)session_notice(s, POINT_NOTIFICATION, data, a);
}

static const char *ask(struct agent_session *s, struct arena *a, const struct json *call,
                       const char *why)
{
    CLEANUP(receipt) struct receipt r = { 0 };
    const struct agent_screen *screen = agent_options(s->agent)->screen;
    const char *tool = json_cstr(a, json_get(call, STR("tool")));

    session_emit(s, POINT_PERMISSION_ASK, json_with(a, call, STR("why"), json_cstring(a, why)), a,
                 &r);
    if (r.verdict.decision == DECISION_ALLOW || was_allowed(s->agent, tool))
        return NULL;
    if (r.verdict.decision != DECISION_BLOCK && screen && screen->consent) {
        announce(s, a, tool, why);
        return screen->consent(screen->context, tool, json_get(call, STR("args")), why)
                   ? NULL
                   : "the user said no";
    }
    if (r.verdict.decision != DECISION_BLOCK) {
        r.verdict.decision = DECISION_ASK;
        r.verdict.reason = why;
    }
    verdict_settle_ask(a, &r.verdict, arena_printf(a, "--allow %s", tool));
    return arena_strdup(a, r.verdict.reason ? r.verdict.reason : why);
}

const char *permission_refuses(struct agent_session *s, struct arena *a, const struct json *call,
                               const char *why)
{
    const char *tool = json_cstr(a, json_get(call, STR("tool")));
    struct str mode = configured(s->agent, tool ? tool : "");

    if (str_is(mode, "deny"))
        return arena_printf(a, "'permission' denies the tool '%s'", tool);
    if (!why && !str_is(mode, "ask"))
        return NULL;
    return ask(s, a, call, why ? why : arena_printf(a, "'permission' asks about '%s'", tool));
}
