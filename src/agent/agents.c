/* The agents there are: those that come along, and what the configuration says of them. */
#include "agent/session.h"

#include <errno.h>

/* Which agent works when nobody says. */
#define DEFAULT_AGENT "builder"

static const struct {
    const char *name, *prompt;
} known[] = {
    { "orchestrator",
      "You lead. Split the work into pieces, hand each to a subagent with the task tool, say exactly "
      "what you need back, check what comes back, and put it together. Do small things yourself." },
    { "architect",
      "You design. Read enough of the code to know how it works, weigh two or three ways to do what "
      "is asked, and recommend one with its reasons, risks and steps. Do not change files." },
    { "plan-reviewer",
      "You review plans. Look for what is missing, wrong or needlessly complicated, compare the plan "
      "with the code it is about, and say what must change before work begins. Do not change files." },
    { "builder", NULL },
};

static const char *known_prompt(const char *name, bool *found)
{
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (strcmp(known[i].name, name) == 0) {
            *found = true;
            return known[i].prompt;
        }
    return NULL;
}

static const char *const *words(struct arena *a, const struct setting *settings, const char *key)
{
    const struct setting *list = setting_get(settings, key);
    const char **out;
    size_t count = 0;

    if (!list || list->kind != SETTING_LIST)
        return NULL;
    for (const struct setting *s = list->first; s; s = s->next)
        count++;
    out = arena_array(a, const char *, count + 1);
    count = 0;
    for (const struct setting *s = list->first; s; s = s->next)
        if (s->kind == SETTING_STRING)
            out[count++] = s->text.ptr;
    return out;
}

static int unknown(const struct setting *configured, const char *name, struct err *e)
{
    CLEANUP(strbuf) struct strbuf names = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        strbuf_printf(&names, "%s%s", i ? ", " : "", known[i].name);
    for (const struct setting *s = configured ? configured->first : NULL; s; s = s->next) {
        bool listed = false;

        (void)known_prompt(s->key.ptr, &listed);
        if (!listed)
            strbuf_printf(&names, ", %s", s->key.ptr);
    }
    return err_set(e, -ENOENT, "unknown agent '%s': there are %s", name, strbuf_cstr(&names));
}

int agent_def_find(struct agent *ag, struct arena *a, const char *name, struct agent_def *out,
                   struct err *e)
{
    const struct setting *configured = config_get(agent_config(ag), "agents", NULL);
    const struct setting *settings;
    bool found = false;

    name = name && name[0] ? name : DEFAULT_AGENT;
    settings = setting_get(configured, name);
    *out = (struct agent_def){ .name = arena_strdup(a, name), .settings = settings };
    out->prompt = known_prompt(name, &found);
    if (!found && !settings)
        return unknown(configured, name, e);
    if (setting_word(settings, "prompt"))
        out->prompt = setting_word(settings, "prompt");
    out->model = setting_word(settings, "model");
    out->variant = setting_word(settings, "variant");
    out->tools = words(a, settings, "tools");
    out->skills = words(a, settings, "skills");
    out->subagents = words(a, settings, "subagents");
    return 0;
}

/* Checking ------------------------------------------------------------------------------------ */

static void check_one(struct arena *a, const struct config *config, const struct setting *one,
                      struct problems *problems)
{
    const struct setting *model = setting_get(one, "model"), *variant = setting_get(one, "variant");
    const struct setting *said = model ? model : config_get(config, "model", NULL);
    struct model_name name;
    struct provider provider;
    struct err e = { 0 };

    if (!said || said->kind != SETTING_STRING)
        return;
    if (model_name_parse(a, said->text.ptr, &name, &e) < 0) {
        problem_add(problems, &said->origin, "%s", e.msg);
        return;
    }
    if (provider_identify(a, config, name.provider, &provider, &e) < 0)
        return; /* it may be one of an agent that hooke works inside */
    if (variant && variant->kind == SETTING_STRING &&
        provider_check_variant(&provider, variant->text.ptr, &e) < 0)
        problem_add(problems, &variant->origin, "%s", e.msg);
}

void agents_check(const struct config *config, struct problems *problems)
{
    static const char *const maps[] = { "agents", "categories" };
    CLEANUP(arena) struct arena a = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(maps); i++) {
        const struct setting *map = config_get(config, maps[i], NULL);

        for (const struct setting *s = map ? map->first : NULL; s; s = s->next)
            check_one(&a, config, s, problems);
    }
}
