/*
 * first-message-variant - choose a model variant on the first message of a main session.
 *
 * Points:  session.created arms it, chat.message uses it up
 * Config:  agents.<agent>.variant
 * Tests:   tests/unit/builtin/test_first_message_variant.c
 *
 * Only a session that really starts is armed: one that is resumed, cleared or compacted had its
 * first message long ago.
 */
#include "hook/state.h"

static const struct {
    const char *agent, *variant;
} defaults[] = {
    { "orchestrator", "high" },
    { "architect", "medium" },
    { "plan-reviewer", "medium" },
};

static const char *variant_of(const struct hook_call *c)
{
    const char *agent = c->event->session.agent;
    const struct setting *said;

    if (!agent)
        return NULL;
    said = c->config ? config_get(c->config, "agents", agent, "variant", NULL) : NULL;
    if (said && said->kind == SETTING_STRING && str_trim(said->text).len)
        return arena_cstr(c->arena, str_trim(said->text));
    for (size_t i = 0; i < ARRAY_LEN(defaults); i++)
        if (strcmp(defaults[i].agent, agent) == 0)
            return defaults[i].variant;
    return NULL;
}

static int session_created(const struct hook_call *c, struct verdict *v UNUSED, struct err *e)
{
    struct str source = json_str(c->arena, event_data(c->event, STR("source")));

    if (str_is_set(source) && !str_is(source, "startup"))
        return 0;
    return state_set(c, "armed", STR("1"), e);
}

static int chat_message(const struct hook_call *c, struct verdict *v, struct err *e)
{
    const struct json *message = event_data(c->event, STR("message"));
    struct str chosen = json_str(c->arena, json_get(message, STR("variant"))), armed;
    const char *variant;
    int r = state_get(c, "armed", &armed, e);

    if (r < 0 || !str_is_set(armed))
        return r;
    r = state_set(c, "armed", (struct str){ 0 }, e);
    if (r < 0)
        return r;
    variant = variant_of(c);
    if (variant && !str_trim(chosen).len && json_type(message) == JSON_OBJECT)
        verdict_replace(
            c->arena, v, STR("message"),
            json_with(c->arena, message, STR("variant"), json_cstring(c->arena, variant)));
    return 0;
}

const struct hook_def first_message_variant_hook = {
    .name = "first-message-variant",
    .summary = "chooses the agent's model variant on the first message of a main session",
    .layer = LAYER_TRANSFORM,
    .session = SESSION_MAIN,
    .on = { [POINT_SESSION_CREATED] = session_created, [POINT_CHAT_MESSAGE] = chat_message },
};
