#include "agent/callback.h"

#include "agent/status.h"
#include "base/clock.h"
#include "base/ulid.h"
#include "hook/registry.h"

#include <errno.h>

#define FUNCTION_MS    600000u /* of one whose hook says nothing: as long as a whole event */
#define TEXT_TURNS     3       /* of one that may call no tool and tries nevertheless */
#define CALLBACK_TURNS 50

/* Finding ------------------------------------------------------------------------------------- */

int callback_find(struct agent_session *s, const char *name, struct arena *a, struct callback *out,
                  struct err *e)
{
    const struct recipe_place place = { .config = agent_config(s->agent) };
    int r;

    *out = (struct callback){ .name = arena_strdup(a, name) };
    out->registry = engine_look(agent_options(s->agent)->engine);
    out->function = registry_callback(out->registry, name, &out->hook);
    if (out->function)
        return 0;
    r = recipe_find(&place, a, name, &out->recipe, e);
    if (r < 0)
        callback_release(out);
    return r == -ENOENT ? err_wrap(e, r, "no hook offers a callback '%s'", name) : r;
}

void callback_release(struct callback *cb)
{
    registry_unref(cb->registry);
    cb->registry = NULL;
}

int callback_prompt(struct agent_session *s, const struct callback *cb, const struct json *args,
                    struct arena *a, char **prompt, struct err *e)
{
    const struct recipe_kitchen kitchen = {
        .cwd = agent_cwd(s->agent),
        .run = true,
        .abort_fd = agent_options(s->agent)->abort_fd,
    };

    return recipe_render(&cb->recipe, args, &kitchen, a, prompt, e);
}

/* The thread ---------------------------------------------------------------------------------- */

/*
 * One that may call nothing is told of the session's tools all the same: providers refuse a history
 * with calls of tools they were not told of, and what they have cached begins with the tools.
 */
static void give_tools(struct agent_session *child, struct agent_session *s,
                       const struct recipe *recipe)
{
    child->only_tools = recipe->tools ? recipe->tools : s->only_tools;
    child->only_commands = recipe->commands ? recipe->commands : s->only_commands;
    if (session_may_call_none(child) || !recipe->tools)
        child->tools = session_tools(s);
    child->max_turns = session_may_call_none(child) ? TEXT_TURNS : CALLBACK_TURNS;
}

static int choose(struct agent_session *child, const struct recipe *recipe, struct err *e)
{
    struct agent_def *def = arena_new(&child->arena, struct agent_def);
    const char *model = recipe->model;
    int r = 0;

    if (recipe->agent) {
        r = agent_def_find(child->agent, &child->arena, recipe->agent, def, e);
        if (r < 0)
            return r;
        child->def = def;
        child->about.agent = def->name;
        child->system = NULL;
        model = model ? model : def->model;
    }
    if (model) {
        child->variant = NULL; /* it was chosen for another model */
        r = session_use_model(child, model, e);
    }
    return r;
}

/* A session of its own name: what its hooks remember and count is not the parent's. */
static int open_child(struct agent_session *child, struct agent_session *s,
                      const struct callback *cb, const char *purpose, struct err *e)
{
    int r;

    child->agent = s->agent;
    child->claim = -1;
    child->about = (struct session){
        .id = ulid_new(&child->arena),
        .parent = s->about.id,
        .agent = s->about.agent,
        .recipe = cb->name,
        .cwd = s->about.cwd,
        .depth = s->about.depth + 1,
    };
    child->def = s->def;
    child->model = s->model;
    child->provider = s->provider;
    child->variant = s->variant;
    child->seen = seen_new();
    child->loop.in_callback = true;
    child->purpose = purpose;
    (void)session_system(s, &child->arena);
    child->system = s->system;
    r = choose(child, &cb->recipe, e);
    if (r < 0)
        return r;
    give_tools(child, s, &cb->recipe);
    status_join(child);
    (void)status_drop_prompts(child); /* it does not stop to be sent on: none is taken */
    return 0;
}

static void tell(struct agent_session *child, const struct json *messages, const char *prompt)
{
    struct arena *a = &child->arena;
    const struct json *said = message_of_text(a, "user", ulid_new(a), prompt);

    for (const struct json *m = json_first(messages); m; m = json_next(m))
        session_add(child, m);
    session_add(child, json_with(a, said, STR("internal"), json_bool(a, true)));
}

/* What its hooks left behind belongs to nobody now. */
static void close_child(struct agent_session *child)
{
    struct err e = { 0 };

    if (child->about.id && store_erase(agent_options(child->agent)->store,
                                       &(struct store_key){ child->about.id, NULL, NULL }, &e) < 0)
        log_warn(agent_options(child->agent)->log, "%s", e.msg);
    session_close(child);
}

static void count(struct agent_session *s, const struct agent_session *child,
                  struct callback_answer *out)
{
    out->usage = child->usage;
    out->cost = child->cost;
    out->failure = child->failure;
    usage_add(&s->usage, &child->usage);
    s->cost += child->cost;
    s->hook_ns += child->hook_ns;
}

static int converse(struct agent_session *s, const struct callback *cb,
                    const struct callback_request *q, struct arena *a, struct callback_answer *out,
                    struct err *e)
{
    struct agent_session child = { 0 };
    char *prompt = NULL;
    int r = q->prompt ? 0 : callback_prompt(s, cb, q->args, a, &prompt, e);

    if (r == 0)
        r = open_child(&child, s, cb, q->purpose, e);
    if (r == 0) {
        tell(&child, q->messages, q->prompt ? q->prompt : prompt);
        session_talk(&child);
        count(s, &child, out);
        if (child.over)
            r = err_set(e, child.end == AGENT_ABORTED ? -ECANCELED : -EIO, "%s", child.reason);
        else
            out->text = arena_strdup(a, child.said);
    }
    if (child.agent)
        close_child(&child);
    return r;
}

/* Functions ----------------------------------------------------------------------------------- */

/* What it did, after the event that wanted it; what a person wants is wanted at a compaction. */
static void record(struct agent_session *s, const struct callback *cb, const struct receipt *asked,
                   struct hook_run *run)
{
    const struct event ev = {
        .point = asked && asked->event ? asked->event->point : POINT_SESSION_COMPACTING,
        .turn = s->turn,
        .session = s->about,
    };
    struct receipt r = {
        .after = asked && asked->event ? asked->id : NULL,
        .at_ms = clock_wall_ms(),
        .event = &ev,
        .runs = run,
        .run_count = 1,
        .ns = run->ns,
    };

    run->hook = cb->hook;
    engine_record(agent_options(s->agent)->engine, &r);
}

static int call_function(struct agent_session *s, const struct callback *cb,
                         const struct callback_request *q, struct arena *a,
                         struct callback_answer *out, struct err *e)
{
    uint32_t ms = cb->hook->traits.timeout_ms ? cb->hook->traits.timeout_ms : FUNCTION_MS;
    uint64_t began = clock_mono_ns();
    struct hook_io io = { 0 };
    struct hook_run run = { .detail = arena_printf(a, "callback '%s'", cb->name), .io = &io };
    const struct callback_call call = {
        .engine = agent_options(s->agent)->engine,
        .registry = cb->registry,
        .hook = cb->hook,
        .name = cb->name,
        .session = &s->about,
        .args = q->args ? q->args : json_object(a),
        .messages = q->messages,
        .arena = a,
        .io = &io,
        .deadline_ns = began + (uint64_t)ms * 1000000u,
        .abort_fd = agent_options(s->agent)->abort_fd,
    };
    int r = cb->function->run(&call, &out->text, e);

    if (r < 0) {
        run.end = RUN_FAILED;
        run.detail = arena_printf(a, "%s: %s", run.detail, e->msg);
    }
    run.ns = clock_mono_ns() - began;
    record(s, cb, q->asked, &run);
    return r < 0 ? err_wrap(e, r, "hook '%s'", cb->hook->name) : r;
}

/* Running ------------------------------------------------------------------------------------- */

int callback_call(struct agent_session *s, const struct callback *cb,
                  const struct callback_request *q, struct arena *a, struct callback_answer *out,
                  struct err *e)
{
    struct callback_request whole = *q;
    const char *why;
    int r;

    *out = (struct callback_answer){ 0 };
    if (!loop_callback(&s->loop, &why))
        return err_set(e, -ELOOP, "%s", why);
    if (!whole.messages)
        whole.messages = session_messages(a, s);
    r = cb->function ? call_function(s, cb, &whole, a, out, e) : converse(s, cb, &whole, a, out, e);
    loop_callback_ended(&s->loop);
    if (r < 0)
        return err_wrap(e, r, "callback '%s'", cb->name);
    if (!str_trim(str_of(out->text)).len)
        return err_set(e, -ENODATA, "callback '%s' had nothing to say", cb->name);
    return 0;
}

int callback_run(struct agent_session *s, const struct callback_request *q, struct arena *a,
                 struct callback_answer *out, struct err *e)
{
    CLEANUP(callback) struct callback cb = { 0 };
    int r = callback_find(s, q->name, a, &cb, e);

    *out = (struct callback_answer){ 0 };
    return r == 0 ? callback_call(s, &cb, q, a, out, e) : r;
}
