/*
 * foreground-fallback - go on with another model when one is rate-limited or over its quota.
 *
 * Points:  message.updated, session.error, session.status, session.deleted
 * Options: classes, final_classes, window, cooldown
 * Config:  agents.<agent>.model, agents.<agent>.fallback
 * Tests:   tests/unit/builtin/test_foreground_fallback.c
 *
 * A host tells of one failure up to three times, so the same model failing again within the window
 * is the same trigger. A model that was offered counts as tried: the chain is walked once, forward,
 * until one has answered; what is limited later is another matter.
 * What failed is read from the class of the error; from its status and words only where the host
 * gives it none.
 */
#include "base/clock.h"
#include "hook/error_class.h"
#include "hook/state.h"
#include "hook/usage.h"

#include <inttypes.h>

#define CHAIN_MAX 32

struct options {
    const char *const *classes, *const *final_classes;
    int64_t window, cooldown;
};

static const struct option options[] = {
    OPTION_LIST("classes", struct options, classes, "[rate_limit, quota]",
                "classes of errors that make it act at once"),
    OPTION_LIST("final_classes", struct options, final_classes,
                "[overloaded, network, unavailable]",
                "classes that make it act once the agent has given up (session.error)"),
    OPTION_TIME("window", struct options, window, "5s",
                "errors of one model within this time are one"),
    OPTION_TIME("cooldown", struct options, cooldown, "1m",
                "a provider that asks to wait this long is passed over until then"),
    OPTION_END,
};

/* The agent's own model first, then its fallbacks. */
struct chain {
    const char *model[CHAIN_MAX];
    size_t count;
};

struct trigger {
    const struct hook_call *call;
    struct chain chain;
    const char *model;      /* that failed; NULL: the host does not say */
    int64_t retry_after_ms; /* 0: unsaid */
    bool repeated;          /* the host tries again, not for the first time */
    const char *next;       /* out: the model to go on with */
    const char *tried;      /* out: what was tried, when nothing is left and nobody was told yet */
};

/* The chain -------------------------------------------------------------------------------------
 */

static void chain_add(struct chain *k, const struct setting *model)
{
    if (!model || model->kind != SETTING_STRING || !model->text.len || k->count == CHAIN_MAX)
        return;
    for (size_t i = 0; i < k->count; i++)
        if (str_is(model->text, k->model[i]))
            return;
    k->model[k->count++] = model->text.ptr;
}

/* False: this agent has no fallbacks. */
static bool chain_of(const struct config *config, const struct setting *agent, struct chain *k)
{
    const struct setting *own = setting_get(agent, "model"), *list = setting_get(agent, "fallback");

    *k = (struct chain){ 0 };
    if (!list || list->kind != SETTING_LIST || !list->first)
        return false;
    chain_add(k, own ? own : config_get(config, "model", NULL));
    for (const struct setting *s = list->first; s; s = s->next)
        chain_add(k, s);
    return true;
}

static size_t chain_find(const struct chain *k, const char *model)
{
    size_t i = 0;

    while (i < k->count && strcmp(k->model[i], model) != 0)
        i++;
    return i;
}

/* What all agents have, in order. */
static bool merge_chains(const struct config *config, const struct setting *all, struct chain *k)
{
    struct chain merged = { 0 }, one;

    for (const struct setting *s = all ? all->first : NULL; s; s = s->next) {
        if (!chain_of(config, s, &one))
            continue;
        for (size_t i = 0; i < one.count; i++)
            if (merged.count < CHAIN_MAX && chain_find(&merged, one.model[i]) == merged.count)
                merged.model[merged.count++] = one.model[i];
    }
    *k = merged;
    return merged.count > 0;
}

/* A host that names no agent means the one whose chain has the model, else any of them. */
static bool find_chain(struct trigger *t)
{
    const struct hook_call *c = t->call;
    const char *agent = c->event->session.agent;
    const struct setting *all = c->config ? config_get(c->config, "agents", NULL) : NULL;

    if (agent && agent[0])
        return chain_of(c->config, setting_get(all, agent), &t->chain);
    for (const struct setting *s = all && t->model ? all->first : NULL; s; s = s->next)
        if (chain_of(c->config, s, &t->chain) && chain_find(&t->chain, t->model) < t->chain.count)
            return true;
    return merge_chains(c->config, all, &t->chain);
}

/* What is remembered ----------------------------------------------------------------------------
 */

static bool is_listed(struct arena *a, const struct json *list, const char *text)
{
    for (const struct json *j = json_first(list); j; j = json_next(j))
        if (str_is(json_str(a, j), text))
            return true;
    return false;
}

static int64_t number(const struct json *j)
{
    int64_t n;

    return json_to_int64(j, &n) == 0 ? n : 0;
}

static struct str provider_of(const char *model)
{
    return (struct str){ model, strcspn(model, "/") };
}

static bool is_cooling(const struct json *memory, const char *model, int64_t now)
{
    return number(json_get(json_get(memory, STR("cooling")), provider_of(model))) > now;
}

/* The first after all that were tried. */
static const char *next_of(struct arena *a, const struct chain *k, const struct json *memory,
                           int64_t now)
{
    const struct json *tried = json_get(memory, STR("tried"));
    size_t i = k->count;

    while (i > 0 && !is_listed(a, tried, k->model[i - 1]))
        i--;
    while (i < k->count && is_cooling(memory, k->model[i], now))
        i++;
    return i < k->count ? k->model[i] : NULL;
}

static const struct json *note_tried(struct arena *a, const struct json *memory, const char *model)
{
    const struct json *tried = json_get(memory, STR("tried"));

    if (is_listed(a, tried, model))
        return memory;
    return json_with(a, memory, STR("tried"), json_append(a, tried, json_cstring(a, model)));
}

static const struct json *note_failure(const struct trigger *t, struct arena *a,
                                       const struct json *memory, const char *model, int64_t now)
{
    const struct options *o = t->call->options;
    const struct json *cooling = json_get(memory, STR("cooling"));

    if (t->retry_after_ms > 0 && t->retry_after_ms >= o->cooldown) {
        cooling = json_with(a, cooling, provider_of(model), json_int(a, now + t->retry_after_ms));
        memory = json_with(a, memory, STR("cooling"), cooling);
    }
    memory = json_with(a, memory, STR("last"), json_cstring(a, model));
    memory = json_with(a, memory, STR("at"), json_int(a, now));
    return note_tried(a, memory, model);
}

static bool is_same_trigger(const struct trigger *t, struct arena *a, const struct json *memory,
                            const char *model, int64_t now)
{
    const struct options *o = t->call->options;
    int64_t at = number(json_get(memory, STR("at")));
    bool stale = t->repeated && !t->model; /* of the model before this one */

    return (stale || str_is(json_str(a, json_get(memory, STR("last"))), model)) && at > 0 &&
           now >= at && now - at < o->window;
}

static const char *tried_text(struct arena *a, const struct json *memory)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };

    for (const struct json *j = json_first(json_get(memory, STR("tried"))); j; j = json_next(j))
        strbuf_printf(&text, "%s%s", text.len ? ", " : "", json_cstr(a, j));
    return arena_cstr(a, strbuf_str(&text));
}

static int decide(void *context, struct arena *a, struct str before, struct str *after,
                  struct err *e UNUSED)
{
    struct trigger *t = context;
    const struct json *memory = NULL;
    const char *model = t->model;
    int64_t now = clock_wall_ms();

    t->next = t->tried = NULL;
    if (str_is_set(before) && json_parse(a, before, NULL, &memory, NULL) < 0)
        memory = NULL;
    if (!model)
        model = json_cstr(a, json_get(memory, STR("now")));
    if (!model)
        model = t->chain.model[0];
    if (is_same_trigger(t, a, memory, model, now))
        return 0;
    memory = note_failure(t, a, memory, model, now);
    t->next = next_of(a, &t->chain, memory, now);
    if (t->next) {
        memory = json_with(a, note_tried(a, memory, t->next), STR("now"), json_cstring(a, t->next));
    } else if (!json_is_true(json_get(memory, STR("told")))) {
        t->tried = arena_strdup(t->call->arena, tried_text(a, memory));
        memory = json_with(a, memory, STR("told"), json_bool(a, true));
    }
    *after = str_of(json_text(a, memory));
    return 0;
}

static int decide_forget(void *context UNUSED, struct arena *a, struct str before,
                         struct str *after, struct err *e UNUSED)
{
    const struct json *memory = NULL;

    if (!str_is_set(before) || json_parse(a, before, NULL, &memory, NULL) < 0)
        return 0;
    memory = json_with(a, memory, STR("tried"), NULL);
    *after = str_of(json_text(a, json_with(a, memory, STR("told"), NULL)));
    return 0;
}

/* Points ----------------------------------------------------------------------------------------
 */

static bool is_among(const char *const *words, struct str word)
{
    for (; *words; words++)
        if (str_is(word, *words))
            return true;
    return false;
}

static bool is_wanted(const struct hook_call *c, const struct json *error)
{
    const struct options *o = c->options;
    struct str class = error_class(c->arena, error);

    if (!str_is_set(class))
        return false;
    return is_among(o->classes, class) ||
           (c->event->point == POINT_SESSION_ERROR && is_among(o->final_classes, class));
}

/* "provider/model", from the error or else from the event. */
static const char *failed_model(const struct hook_call *c, const struct json *error)
{
    const struct json *provider = json_get(error, STR("provider"));
    const struct json *model = json_get(error, STR("model"));
    const char *name;

    name = json_cstr(c->arena, model ? model : event_data(c->event, STR("model")));
    if (!name || !name[0])
        return NULL;
    if (!provider)
        provider = event_data(c->event, STR("provider"));
    if (json_type(provider) != JSON_STRING)
        return name;
    return arena_printf(c->arena, "%s/%s", json_cstr(c->arena, provider), name);
}

static int handle(const struct hook_call *c, const struct json *error, bool repeated,
                  struct verdict *v, struct err *e)
{
    struct trigger t = { .call = c, .repeated = repeated };
    int r;

    if (!is_wanted(c, error))
        return 0;
    t.model = failed_model(c, error);
    t.retry_after_ms = number(json_get(error, STR("retry_after_ms")));
    if (!find_chain(&t) || t.chain.count == 0)
        return 0;
    r = state_update(c, "chain", decide, &t, e);
    if (r < 0)
        return r;
    v->model = t.next;
    if (t.tried)
        v->say = arena_printf(c->arena,
                              "no model is left to fall back to; tried %s: wait, or add one to "
                              "'agents.%s.fallback'",
                              t.tried, c->event->session.agent ?: "AGENT");
    return 0;
}

static int on_error(const struct hook_call *c, struct verdict *v, struct err *e)
{
    return handle(c, event_data(c->event, STR("error")), false, v, e);
}

/* A model has answered: tokens came out of it. */
static int forget_tried(const struct hook_call *c, struct err *e)
{
    struct usage u = usage_from_json(event_data(c->event, STR("usage")));
    struct str kept = { 0 };
    int r;

    if (u.output + u.reasoning <= 0)
        return 0;
    r = state_get(c, "chain", &kept, e);
    if (r < 0 || !str_is_set(kept) || !memmem(kept.ptr, kept.len, "\"tried\"", 7))
        return r;
    return state_update(c, "chain", decide_forget, NULL, e);
}

static int message_updated(const struct hook_call *c, struct verdict *v, struct err *e)
{
    const struct json *error = event_data(c->event, STR("error"));

    return json_type(error) == JSON_OBJECT || json_type(error) == JSON_STRING
               ? handle(c, error, false, v, e)
               : forget_tried(c, e);
}

static int session_status(const struct hook_call *c, struct verdict *v, struct err *e)
{
    const struct json *status = event_data(c->event, STR("status"));
    const struct json *error = json_get(status, STR("error"));

    if (!str_is(json_str(c->arena, json_get(status, STR("type"))), "retry"))
        return 0;
    return handle(c, error ? error : json_get(status, STR("message")),
                  number(json_get(status, STR("attempt"))) > 1, v, e);
}

static int session_deleted(const struct hook_call *c, struct verdict *v UNUSED, struct err *e)
{
    return state_set(c, "chain", (struct str){ 0 }, e);
}

const struct hook_def foreground_fallback_hook = {
    .name = "foreground-fallback",
    .summary = "goes on with the agent's next model when one is rate-limited or over its quota",
    .layer = LAYER_TRANSFORM,
    .options = options,
    .options_size = sizeof(struct options),
    .on = { [POINT_MESSAGE_UPDATED] = message_updated,
            [POINT_SESSION_ERROR] = on_error,
            [POINT_SESSION_STATUS] = session_status,
            [POINT_SESSION_DELETED] = session_deleted },
};
