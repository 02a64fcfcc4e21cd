/*
 * llm.complete and recipe.run: a hook asks a model. One request with no tools and no history but
 * what the hook asks for; no hook sees it, nothing is stored. What it takes is charged to the
 * hook's budget in this session before it is sent, at the most it can take, and corrected
 * afterwards: so however many threads ask at once, the budget holds. It is in the session's totals,
 * not in its context.
 */
#include "agent/models.h"
#include "agent/recipe.h"
#include "agent/services.h"
#include "base/clock.h"
#include "base/until.h"
#include "hook/registry.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define TOKENS_DEFAULT 100000
#define COST_DEFAULT   1.0
#define OUTPUT_DEFAULT 4096
#define OUTPUT_LEAST   16 /* a model with less room has no use */
#define OUTPUT_MOST    1000000

struct completion {
    struct agent *agent;
    const struct service_call *call;
    struct provider *provider;
    struct model_info info;
    struct model_request q;
    const char *model;  /* "provider/model" */
    int64_t tokens_max; /* of the budget */
    double cost_max;
    int64_t input, output; /* the most it can take */
    struct usage used;
    double cost;
};

/* The request ---------------------------------------------------------------------------------- */

/* The one the hook names; else that of the recipe, of the session, of the configuration. */
static int find_model(struct completion *k, const char *of_recipe, struct err *e)
{
    const struct service_call *c = k->call;
    const char *model = service_text(c, STR("model")), *variant = service_text(c, STR("variant"));
    struct model_name name = { 0 };
    int r;

    if (!model)
        model = of_recipe;
    if (!model)
        model = status_model(agent_statuses(k->agent), c->arena, c->session->id);
    if (!model)
        model = session_configured_model(k->agent);
    if (!model)
        return err_set(e, -EINVAL, "%s needs 'model': the session does not run, and none is set",
                       c->method);
    r = model_name_parse(c->arena, model, &name, e);
    if (r == 0)
        r = agent_provider(k->agent, name.provider, &k->provider, e);
    if (r == 0 && variant)
        r = provider_check_variant(k->provider, variant, e);
    if (r < 0)
        return r == -ENOENT ? err_wrap(e, -EINVAL, "'model' of %s", c->method) : r;
    k->model = model;
    k->info = model_info_find(k->provider, name.model);
    k->q.model = name.model;
    k->q.variant = variant;
    return 0;
}

static int find_messages(struct completion *k, struct err *e)
{
    const struct service_call *c = k->call;
    const struct json *messages = service_param(c, STR("messages"));
    const char *prompt = service_text(c, STR("prompt")), *system = service_text(c, STR("system"));
    struct json *one = json_array(c->arena);
    int r;

    if (!prompt == !messages)
        return err_set(e, -EINVAL, "%s needs either 'prompt' or 'messages'", c->method);
    if (prompt)
        json_push(c->arena, one, message_of_text(c->arena, "user", NULL, prompt));
    k->q.messages = prompt ? one : messages;
    r = message_check(k->q.messages, e);
    if (r < 0)
        return err_wrap(e, -EINVAL, "'%s' of %s", prompt ? "prompt" : "messages", c->method);
    if (system) {
        struct json *list = json_array(c->arena);

        json_push(c->arena, list, json_cstring(c->arena, system));
        k->q.system = list;
    }
    return 0;
}

static int64_t tokens_of(struct arena *a, const struct json *j)
{
    return j ? (int64_t)inject_tokens(str_of(json_text(a, j))) : 0;
}

static int find_output(struct completion *k, struct err *e)
{
    const struct service_call *c = k->call;
    const struct json *most = service_param(c, STR("max_output_tokens"));

    k->output = k->info.max_output && k->info.max_output < OUTPUT_DEFAULT ? k->info.max_output
                                                                          : OUTPUT_DEFAULT;
    if (most && (json_to_int64(most, &k->output) < 0 || k->output < 1 || k->output > OUTPUT_MOST))
        return err_set(e, -EINVAL, "'max_output_tokens' of %s must be a whole number from 1 to %d",
                       c->method, OUTPUT_MOST);
    k->input = tokens_of(c->arena, k->q.messages) + tokens_of(c->arena, k->q.system);
    return 0;
}

/* The budget ----------------------------------------------------------------------------------- */

static void find_budget(struct completion *k)
{
    struct registry *reg = engine_look(agent_options(k->agent)->engine);
    const struct hook *h = registry_find(reg, k->call->hook);
    bool said = h && h->traits.budget_llm_tokens, said_cost = h && h->traits.budget_llm_cost > 0;

    k->tokens_max = said ? h->traits.budget_llm_tokens : TOKENS_DEFAULT;
    k->cost_max = said_cost ? h->traits.budget_llm_cost : COST_DEFAULT;
    registry_unref(reg);
}

struct spent {
    int64_t tokens;
    double cost;
};

static struct spent read_spent(struct arena *a, struct str value)
{
    struct spent s = { 0 };
    char *end = NULL;

    if (!str_is_set(value))
        return s;
    s.tokens = strtoll(arena_cstr(a, value), &end, 10);
    s.cost = strtod(end, NULL);
    return s;
}

static struct str write_spent(struct arena *a, const struct spent *s)
{
    return str_of(arena_printf(a, "%" PRId64 " %.9f", s->tokens, s->cost));
}

static double cost_of(const struct completion *k, int64_t input, int64_t output)
{
    return model_cost(&k->info, &(struct usage){ .input = input, .output = output });
}

/* Charge the most it can take; its output is cut to what is left. */
static int decide_to_reserve(void *context, struct arena *a, struct str before, struct str *after,
                             struct err *e)
{
    struct completion *k = context;
    struct spent s = read_spent(a, before);
    int64_t left = k->tokens_max - s.tokens - k->input;

    if (left < OUTPUT_LEAST)
        return err_set(e, -EDQUOT,
                       "models have taken %" PRId64 " of the %" PRId64
                       " tokens they may take for hook '%s' in this session, and this needs more "
                       "than is left: set 'budget.llm_tokens' of the hook",
                       s.tokens, k->tokens_max, k->call->hook);
    k->output = k->output < left ? k->output : left;
    s.cost += cost_of(k, k->input, k->output);
    if (s.cost > k->cost_max)
        return err_set(e, -EDQUOT,
                       "with this, models might cost more than the $%.2f they may cost for hook "
                       "'%s' in this session: set 'budget.llm_cost' of the hook",
                       k->cost_max, k->call->hook);
    s.tokens += k->input + k->output;
    *after = write_spent(a, &s);
    return 0;
}

static int decide_to_settle(void *context, struct arena *a, struct str before, struct str *after,
                            struct err *e UNUSED)
{
    const struct completion *k = context;
    struct spent s = read_spent(a, before);

    s.tokens += usage_tokens(&k->used) - k->input - k->output;
    s.cost += k->cost - cost_of(k, k->input, k->output);
    s.tokens = s.tokens > 0 ? s.tokens : 0; /* the session may have been deleted meanwhile */
    s.cost = s.cost > 0 ? s.cost : 0;
    *after = write_spent(a, &s);
    return 0;
}

static int charge(struct completion *k, store_decide_fn *decide, struct err *e)
{
    const struct store_key key = { k->call->session->id, k->call->hook, "@budget/llm" };

    return store_update(engine_store(agent_options(k->agent)->engine), &key, decide, k, e);
}

/* Sending -------------------------------------------------------------------------------------- */

static int explain(const struct completion *k, const struct model_failure *f, struct err *e)
{
    if (f->class != MODEL_ABORTED)
        return err_set(e, -EIO, "%s: %s (%s)", k->model, f->message, failure_class_name(f->class));
    if (clock_mono_ns() >= k->call->deadline_ns)
        return err_set(e, -ETIMEDOUT, "%s did not answer within the time of the hook", k->model);
    return err_set(e, -ECANCELED, "was aborted");
}

/* Providers that do not say what they took are believed to have taken what they were sent. */
static void count(struct completion *k, const struct model_reply *reply)
{
    const struct service_call *c = k->call;

    k->used = reply->usage;
    if (usage_tokens(&k->used) == 0)
        k->used =
            (struct usage){ .input = k->input, .output = tokens_of(c->arena, reply->message) };
    k->cost = model_cost(&k->info, &k->used);
    llm_use_add(c->used, &(struct llm_use){ 1, usage_tokens(&k->used), k->cost });
    status_charge(agent_statuses(k->agent), c->session->id, &k->used, k->cost);
}

static int send(struct completion *k, struct model_reply *reply, struct err *e)
{
    const struct service_call *c = k->call;
    CLEANUP(until) struct until u;
    struct model_failure f = { 0 };
    const struct model_exchange x = {
        .provider = k->provider, .arena = c->arena, .request = &k->q, .reply = reply, .failure = &f
    };
    struct err unsettled = { 0 };
    int r;

    until_open(&u, c->deadline_ns, c->abort_fd);
    until_watch(&u, agent_options(k->agent)->abort_fd);
    k->q.abort_fd = u.fd;
    k->q.params =
        json_with(c->arena, NULL, STR("max_output_tokens"), json_int(c->arena, k->output));
    r = provider_send(&x);
    if (r == 0)
        count(k, reply);
    else
        r = explain(k, &f, e);
    if (charge(k, decide_to_settle, &unsettled) < 0)
        log_warn(agent_options(k->agent)->log, "the budget of hook '%s' can't be corrected: %s",
                 c->hook, unsettled.msg);
    return r;
}

static const struct json *result_of(const struct completion *k, const struct model_reply *reply)
{
    static const char *const stops[] = {
        [MODEL_DONE] = "done",
        [MODEL_TOOLS] = "done",
        [MODEL_LENGTH] = "length",
        [MODEL_REFUSED] = "refused",
    };
    struct arena *a = k->call->arena;
    struct json *j = json_object(a);

    json_add(a, j, STR("text"), json_cstring(a, message_text(a, reply->message)));
    json_add(a, j, STR("model"), json_cstring(a, k->model));
    json_add(a, j, STR("stop"), json_cstring(a, stops[reply->stop]));
    json_add(a, j, STR("usage"), usage_to_json(a, &k->used));
    json_add(a, j, STR("cost"), json_double(a, k->cost));
    return j;
}

/* Messages are there: choose the rest, see that it fits the budget, and ask. */
static int complete(struct completion *k, const char *model_of_recipe, const struct json **result,
                    struct err *e)
{
    struct model_reply reply = { 0 };
    int r = find_model(k, model_of_recipe, e);

    if (r == 0)
        r = find_output(k, e);
    if (r < 0)
        return r;
    find_budget(k);
    r = charge(k, decide_to_reserve, e);
    if (r == 0)
        r = send(k, &reply, e);
    if (r == 0)
        *result = result_of(k, &reply);
    return r;
}

int service_complete(struct agent *ag, const struct service_call *c, const struct json **result,
                     struct err *e)
{
    static const struct service_field fields[] = {
        { "prompt", JSON_STRING, false },  { "messages", JSON_ARRAY, false },
        { "system", JSON_STRING, false },  { "model", JSON_STRING, false },
        { "variant", JSON_STRING, false }, { "max_output_tokens", JSON_NUMBER, false },
        { "session", JSON_STRING, false }, { 0 },
    };
    struct completion k = { .agent = ag, .call = c };
    int r = service_check(c, fields, e);

    if (r == 0)
        r = find_messages(&k, e);
    return r == 0 ? complete(&k, NULL, result, e) : r;
}

/* Recipes -------------------------------------------------------------------------------------- */

/* What was called and what came of it is told as text: without tools no provider takes calls. */
static const struct json *told_part(struct arena *a, const struct json *part)
{
    struct str tool = json_str(a, json_get(part, STR("tool")));
    const struct json *output = json_get(part, STR("output"));

    if (message_part_is(part, "tool_call"))
        return message_text_part(a,
                                 str_of(arena_printf(a, "Call of %.*s: %s", STR_ARG(tool),
                                                     json_text(a, json_get(part, STR("args"))))));
    if (message_part_is(part, "tool_result"))
        return message_text_part(
            a, str_of(arena_printf(a, "Result of %.*s: %s", STR_ARG(tool),
                                   json_type(output) == JSON_STRING ? json_cstr(a, output)
                                                                    : json_text(a, output))));
    return message_part_is(part, "reasoning") ? NULL : part;
}

static void tell_message(struct arena *a, struct json *list, const struct json *message)
{
    struct json *parts = json_array(a);
    const struct json *p = json_first(message_parts(a, message));

    for (; p; p = json_next(p)) {
        const struct json *told = told_part(a, p);

        if (told)
            json_push(a, parts, told);
    }
    if (json_count(parts))
        json_push(
            a, list,
            message_new(a, message_is(message, "assistant") ? "assistant" : "user", NULL, parts));
}

static int find_history(struct completion *k, struct json *list, struct err *e)
{
    const struct service_call *c = k->call;
    const struct json *messages = NULL;
    int r;

    if (!json_is_true(service_param(c, STR("history"))))
        return 0;
    r = status_messages(agent_statuses(k->agent), c->arena, c->session->id, SIZE_MAX, &messages, e);
    for (const struct json *m = json_first(messages); m; m = json_next(m))
        tell_message(c->arena, list, m);
    return r;
}

static int find_recipe(struct completion *k, struct recipe *recipe, char **text, struct err *e)
{
    const struct service_call *c = k->call;
    const struct recipe_place place = { .config = agent_config(k->agent) };
    const struct recipe_kitchen kitchen = {
        .cwd = c->session->cwd ? c->session->cwd : agent_cwd(k->agent),
        .run = true,
        .deadline_ns = c->deadline_ns,
        .abort_fd = c->abort_fd,
    };
    int r = recipe_find(&place, c->arena, service_text(c, STR("name")), recipe, e);

    return r == 0
               ? recipe_render(recipe, service_param(c, STR("args")), &kitchen, c->arena, text, e)
               : r;
}

int service_recipe(struct agent *ag, const struct service_call *c, const struct json **result,
                   struct err *e)
{
    static const struct service_field fields[] = {
        { "name", JSON_STRING, true },     { "args", JSON_OBJECT, false },
        { "history", JSON_BOOL, false },   { "model", JSON_STRING, false },
        { "variant", JSON_STRING, false }, { "max_output_tokens", JSON_NUMBER, false },
        { "session", JSON_STRING, false }, { 0 },
    };
    struct completion k = { .agent = ag, .call = c };
    struct json *list = json_array(c->arena);
    struct recipe recipe = { 0 };
    char *text = NULL;
    int r = service_check(c, fields, e);

    if (r == 0 && c->callback)
        r = err_set(e, -EPERM, "a callback starts no other: '%s' can't be used in '%s'", c->method,
                    c->callback);
    if (r == 0)
        r = find_recipe(&k, &recipe, &text, e);
    if (r == 0)
        r = find_history(&k, list, e);
    if (r < 0)
        return r;
    json_push(c->arena, list, message_of_text(c->arena, "user", NULL, text));
    k.q.messages = list;
    r = message_check(list, e);
    if (r < 0)
        return err_wrap(e, r, "recipe '%s'", recipe.name);
    return complete(&k, recipe.model, result, e);
}
