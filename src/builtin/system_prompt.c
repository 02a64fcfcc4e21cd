/*
 * system-prompt - the standing system text, and a hint of where the session stands.
 *
 * Point:   experimental.chat.system.transform
 * Options: text, hint
 * Tests:   tests/unit/builtin/test_system_prompt.c
 *
 * At cadence 1 the text is in the system prompt of every request, the same bytes. Above 1 the
 * engine sends it to the end of the request, where coming and going costs no cache. The hint
 * changes as the session goes on, so it is always at the end.
 */
#include "hook/hook.h"

struct options {
    const char *text;
    bool hint;
};

static const struct option options[] = {
    OPTION_TEXT("text", struct options, text, NULL, "what the model is always told"),
    OPTION_BOOL("hint", struct options, hint, "true",
                "also say which recipe runs and how many todos are done"),
    OPTION_END,
};

static bool is_done(struct arena *a, const struct json *todo)
{
    struct str status = json_str(a, json_get(todo, STR("status")));

    return str_is(status, "completed") || str_is(status, "done");
}

static const char *status_hint(const struct hook_call *c)
{
    const struct json *todos = event_data(c->event, STR("todos"));
    const char *recipe = c->event->session.recipe;
    CLEANUP(strbuf) struct strbuf hint = { 0 };
    size_t done = 0;

    for (const struct json *t = json_first(todos); t; t = json_next(t))
        done += is_done(c->arena, t);
    if (recipe && recipe[0])
        strbuf_printf(&hint, "Active recipe: %s.", recipe);
    if (json_count(todos))
        strbuf_printf(&hint, "%sTodos: %zu of %zu done.", hint.len ? " " : "", done,
                      json_count(todos));
    return hint.len ? arena_cstr(c->arena, strbuf_str(&hint)) : NULL;
}

static int system_transform(const struct hook_call *c, struct verdict *v, struct err *e UNUSED)
{
    const struct options *o = c->options;
    struct str purpose = json_str(c->arena, event_data(c->event, STR("purpose")));
    const char *hint;

    if (str_is_set(purpose) && !str_is(purpose, "main"))
        return 0;
    if (o->text && o->text[0])
        verdict_inject(c->arena, v, "text", o->text)->priority = PRIORITY_CRITICAL;
    hint = o->hint ? status_hint(c) : NULL;
    if (hint) {
        struct injection *i = verdict_inject(c->arena, v, "hint", hint);

        i->class = INJECT_VOLATILE;
        i->place = PLACE_TAIL;
    }
    return 0;
}

const struct hook_def system_prompt_hook = {
    .name = "system-prompt",
    .summary = "the standing system text, and a hint of where the session stands",
    .layer = LAYER_PRODUCE,
    .options = options,
    .options_size = sizeof(struct options),
    .on = { [POINT_SYSTEM_TRANSFORM] = system_transform },
};
