/*
 * skills-injector - put the skills of the session's agent into the system prompt.
 *
 * Points:  experimental.chat.system.transform; session.compacted lets changed skills in
 * Config:  agents.<agent>.skills
 * Tests:   tests/unit/builtin/test_skills_injector.c
 *
 * In the order of the list, each name once. A text is read once per session and kept, so that a
 * skill that is edited meanwhile does not change the system prompt under the provider's cache.
 */
#include "hook/skill.h"
#include "hook/state.h"

static const struct setting *skills_of(const struct hook_call *c)
{
    const char *agent = c->event->session.agent;
    const struct setting *list;

    if (!agent || !agent[0] || !c->config)
        return NULL;
    list = config_get(c->config, "agents", agent, "skills", NULL);
    return list && list->kind == SETTING_LIST ? list->first : NULL;
}

static bool is_first(const struct setting *first, const struct setting *s)
{
    const struct setting *other = first;

    while (other != s && !str_eq(other->text, s->text))
        other = other->next;
    return other == s;
}

static bool is_name(const struct setting *first, const struct setting *s)
{
    return s->kind == SETTING_STRING && s->text.len && is_first(first, s);
}

static char *key_of(struct arena *a, const struct setting *name)
{
    return arena_printf(a, "skill/%s", name->text.ptr);
}

static void complain(const struct hook_call *c, const char *why)
{
    const char *before = c->io->warnings ? c->io->warnings : "";

    c->io->warnings = arena_printf(c->arena, "%s%s\n", before, why);
}

/* Unset: there is no such skill, which the receipt says. */
static int block_of(const struct hook_call *c, const struct setting *name, struct str *block,
                    struct err *e)
{
    const char *key = key_of(c->arena, name);
    struct err missing = { 0 };
    struct skill skill;
    int r = state_get(c, key, block, e);

    if (r < 0 || str_is_set(*block))
        return r;
    if (skill_find(c->arena, c->config->workspace, name->text.ptr, &skill, &missing) < 0) {
        complain(c, missing.msg);
        return 0;
    }
    *block = str_of(arena_printf(c->arena, "<skill name=\"%s\">\n%.*s\n</skill>", skill.name,
                                 STR_ARG(skill.text)));
    return state_set(c, key, *block, e);
}

static int system_transform(const struct hook_call *c, struct verdict *v, struct err *e)
{
    struct str purpose = json_str(c->arena, event_data(c->event, STR("purpose")));
    const struct setting *first = skills_of(c);

    if (str_is_set(purpose) && !str_is(purpose, "main"))
        return 0;
    for (const struct setting *s = first; s; s = s->next) {
        struct str block = { 0 };
        int r = is_name(first, s) ? block_of(c, s, &block, e) : 0;

        if (r < 0)
            return r;
        if (str_is_set(block))
            verdict_inject(c->arena, v, s->text.ptr, arena_cstr(c->arena, block))->priority =
                PRIORITY_HIGH;
    }
    return 0;
}

/* The conversation begins anew, and with it what the provider has cached. */
static int session_compacted(const struct hook_call *c, struct verdict *v UNUSED, struct err *e)
{
    for (const struct setting *s = skills_of(c); s; s = s->next) {
        int r =
            s->kind == SETTING_STRING ? state_set(c, key_of(c->arena, s), (struct str){ 0 }, e) : 0;

        if (r < 0)
            return r;
    }
    return 0;
}

const struct hook_def skills_injector_hook = {
    .name = "skills-injector",
    .summary = "puts the skills of the session's agent into the system prompt",
    .layer = LAYER_PRODUCE,
    .on = { [POINT_SYSTEM_TRANSFORM] = system_transform,
            [POINT_SESSION_COMPACTED] = session_compacted },
};
