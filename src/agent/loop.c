/*
 * The order of things in a session:
 *
 *     session.created, chat.message, stored, agent.start,
 *     { step.start, the request, its tools, turn.after } until no tool is called,
 *     agent.stop, and then follow-ups or the end.
 *
 * Exactly one of agent.stop and agent.error is the last word of a run.
 */
#include "agent/compaction.h"
#include "agent/models.h"
#include "agent/status.h"
#include "agent/subagent.h"
#include "base/ulid.h"

#include <errno.h>
#include <stdio.h>

/* Beginning ----------------------------------------------------------------------------------- */

void session_begin(struct agent_session *s, const char *source)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(receipt) struct receipt r = { 0 };

    agent_show(s->agent, &(struct show){ .kind = SHOW_SESSION,
                                         .session = s->about.id,
                                         .depth = s->about.depth,
                                         .text = str_of(arena_printf(&a, "%s/%s", s->model.provider,
                                                                     s->model.model)) });
    session_emit(s, POINT_SESSION_CREATED,
                 json_with(&a, NULL, STR("source"), json_cstring(&a, source)), &a, &r);
}

static const struct json *user_message(struct agent_session *s, struct arena *a,
                                       const struct agent_task *task, bool internal)
{
    struct json *parts = json_array(a);
    const struct json *m = json_with(a, NULL, STR("id"), json_cstring(a, ulid_new(a)));

    json_push(a, parts, message_text_part(a, str_of(task->text)));
    for (const struct json *f = json_first(task->files); f; f = json_next(f))
        json_push(a, parts, f);
    m = json_with(a, m, STR("text"), json_cstring(a, task->text));
    m = json_with(a, m, STR("parts"), parts);
    if (s->variant)
        m = json_with(a, m, STR("variant"), json_cstring(a, s->variant));
    m = json_with(a, m, STR("model"),
                  json_cstring(a, arena_printf(a, "%s/%s", s->model.provider, s->model.model)));
    return json_with(a, m, STR("internal"), json_bool(a, internal));
}

/* A hook that rewrote the text means what is sent; parts are then text and files anew. */
static const struct json *parts_of(struct arena *a, const struct json *before,
                                   const struct json *after)
{
    const struct json *text = json_get(after, STR("text")), *parts = json_get(after, STR("parts"));
    struct json *one;

    if (json_equal(text, json_get(before, STR("text"))))
        return parts;
    one = json_array(a);
    json_push(a, one, message_text_part(a, json_str(a, text)));
    return json_splice(a, parts, 0, 1, one);
}

static bool apply_choice(struct agent_session *s, struct arena *a, const struct json *m)
{
    const char *variant = json_cstr(a, json_get(m, STR("variant")));
    const char *model = json_cstr(a, json_get(m, STR("model")));
    struct err e = { 0 };

    if (variant && variant[0])
        s->variant = arena_strdup(&s->arena, variant);
    if (model && session_use_model(s, model, &e) < 0) {
        session_end(s, AGENT_FAILED, e.msg);
        return false;
    }
    return true;
}

/* The user speaks, or somebody for the user. False: the run is over. */
static bool take_message(struct agent_session *s, const struct agent_task *task, bool internal)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(receipt) struct receipt r = { 0 };
    const struct json *before = user_message(s, &a, task, internal), *m, *stored;
    struct err e = { 0 };

    s->turn = 0;
    session_emit(s, POINT_CHAT_MESSAGE, json_with(&a, NULL, STR("message"), before), &a, &r);
    if (r.verdict.decision == DECISION_BLOCK)
        session_end(s, AGENT_BLOCKED, r.verdict.reason);
    if (s->over)
        return false;
    m = json_get(inject_apply(&a, POINT_CHAT_MESSAGE, r.data, r.verdict.injections),
                 STR("message"));
    if (!apply_choice(s, &a, m))
        return false;
    stored =
        message_new(&a, "user", json_cstr(&a, json_get(m, STR("id"))), parts_of(&a, before, m));
    if (internal)
        stored = json_with(&a, stored, STR("internal"), json_bool(&a, true));
    session_add(s, stored);
    if (session_save(s, &e) < 0)
        session_end(s, AGENT_FAILED, e.msg);
    return !s->over;
}

static bool pass_gate(struct agent_session *s, enum point point)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(receipt) struct receipt r = { 0 };

    session_emit(s, point, json_with(&a, NULL, STR("model"), json_cstring(&a, s->model.model)), &a,
                 &r);
    if (r.verdict.decision == DECISION_BLOCK)
        session_end(s, AGENT_BLOCKED, r.verdict.reason);
    return !s->over;
}

/* Limits -------------------------------------------------------------------------------------- */

static int64_t limit(const struct agent_session *s, const char *name, int64_t otherwise)
{
    const struct setting *said = config_get(agent_config(s->agent), "limits", name, NULL);
    int64_t n;

    return said && setting_to_int64(said, &n) ? n : otherwise;
}

static double cost_limit(const struct agent_session *s)
{
    const struct setting *said = config_get(agent_config(s->agent), "limits", "cost", NULL);
    double n;

    return said && setting_to_double(said, &n) ? n : 0;
}

/* A limit that nothing counts against is none: say so, once. */
static void tell_unpriced(struct agent_session *s)
{
    CLEANUP(arena) struct arena a = { 0 };

    if (s->told_unpriced || model_info_find(s->provider, s->model.model).priced)
        return;
    s->told_unpriced = true;
    session_note(s, arena_printf(&a,
                                 "nobody knows what '%s/%s' costs, so 'limits.cost' does not hold: "
                                 "set 'price' of it under 'providers'",
                                 s->model.provider, s->model.model));
}

static bool within_limits(struct agent_session *s)
{
    CLEANUP(arena) struct arena a = { 0 };
    int64_t turns = s->max_turns ? s->max_turns : limit(s, "turns", 0);
    int64_t tokens = limit(s, "tokens", 0);
    int64_t used = usage_tokens(&s->usage) + usage_tokens(&s->above.usage);
    double cost = cost_limit(s);

    if (cost > 0)
        tell_unpriced(s);
    if (turns && s->turns >= turns)
        session_end(s, AGENT_FAILED,
                    arena_printf(&a, "the limit of %lld turns is reached", (long long)turns));
    else if (tokens && used >= tokens)
        session_end(s, AGENT_FAILED,
                    arena_printf(&a, "the limit of %lld tokens is reached", (long long)tokens));
    else if (cost > 0 && s->cost + s->above.cost >= cost)
        session_end(s, AGENT_FAILED, arena_printf(&a, "the limit of $%.2f is reached", cost));
    else if (agent_is_aborted(s->agent))
        session_end(s, AGENT_ABORTED, "aborted");
    return !s->over;
}

/* Turns --------------------------------------------------------------------------------------- */

static const struct json *tools_used(struct arena *a, const struct json *message)
{
    struct json *names = json_array(a);
    const struct json *part = json_first(json_get(message, STR("content")));

    for (; part; part = json_next(part))
        if (message_part_is(part, "tool_call"))
            json_push(a, names, json_get(part, STR("tool")));
    return names;
}

const struct json *session_state(struct agent_session *s, struct arena *a)
{
    const struct json *data = json_with(a, NULL, STR("turn"), json_int(a, s->turn));

    data = json_with(a, data, STR("usage"), usage_to_json(a, &s->usage));
    data = json_with(a, data, STR("auto_compact"), compaction_settings(s, a));
    return json_with(a, data, STR("messages"), session_messages(a, s));
}

static void end_turn(struct agent_session *s, struct arena *a, const struct json *message)
{
    CLEANUP(receipt) struct receipt r = { 0 };
    const struct json *used = tools_used(a, message), *data = session_state(s, a);

    data = json_with(a, data, STR("tools_used"), used);
    data = json_with(a, data, STR("response"), json_cstring(a, s->said));
    s->compact.seen = true;
    s->compact.window = s->usage.window;
    session_emit(s, POINT_TURN_AFTER, data, a, &r);
    session_obey(s, &r, json_count(used) > 0);
}

/* One request and its tools. True: the model wants another turn. */
static bool take_turn(struct agent_session *s)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct model_reply reply;
    struct err e = { 0 };
    bool tools;

    if (!within_limits(s))
        return false;
    s->turn++;
    s->turns++;
    if (!pass_gate(s, POINT_STEP_START))
        return false;
    compaction_look(s);
    if (s->over || !session_ask(s, &a, &reply))
        return false;
    tools = json_count(tools_used(&a, reply.message)) > 0;
    s->newest_at = s->history.count;
    session_add(s, reply.message);
    s->said = message_text(&s->arena, reply.message);
    if (tools)
        session_call_tools(s, &a, reply.message);
    if (session_save(s, &e) < 0)
        session_end(s, AGENT_FAILED, e.msg);
    if (!s->over)
        end_turn(s, &a, reply.message);
    return tools && !s->over;
}

void session_talk(struct agent_session *s)
{
    while (take_turn(s))
        ;
}

/* Stopping ------------------------------------------------------------------------------------ */

static bool follow_up(struct agent_session *s, const char *text)
{
    const struct agent_task task = { .text = text };

    agent_show(s->agent, &(struct show){ .kind = SHOW_FOLLOW_UP,
                                         .session = s->about.id,
                                         .depth = s->about.depth,
                                         .text = str_of(text) });
    return take_message(s, &task, true);
}

/* True: hooks want the agent to go on, and it may. */
static bool follow_ups(struct agent_session *s, struct arena *a, const struct verdict *v)
{
    const struct json *list = v->follow_ups;
    const char *why = NULL, *first = json_cstr(a, json_first(list));

    if (json_count(list) == 0)
        return false;
    if (!loop_continue(&s->loop, (unsigned)limit(s, "continuations", LOOP_CONTINUATIONS),
                       v->reason ? v->reason : first, a, &why)) {
        agent_show(s->agent, &(struct show){ .kind = SHOW_NOTE,
                                             .session = s->about.id,
                                             .depth = s->about.depth,
                                             .text = str_of(why) });
        return false;
    }
    for (const struct json *f = json_first(list); f; f = json_next(f))
        if (json_type(f) == JSON_STRING && !follow_up(s, json_cstr(a, f)))
            return false;
    return true;
}

/* What tasks in the background came to is told before anything stops. */
static bool hear_tasks(struct agent_session *s)
{
    CLEANUP(arena) struct arena a = { 0 };
    const char *text = subagent_wait(s, &a);

    return text && !s->over && follow_up(s, text);
}

static bool stop_or_go_on(struct agent_session *s)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(receipt) struct receipt r = { 0 };
    const struct json *data = json_with(&a, NULL, STR("messages"), session_messages(&a, s));

    data = json_with(&a, data, STR("usage"), usage_to_json(&a, &s->usage));
    data = json_with(&a, data, STR("auto_compact"), compaction_settings(s, &a));
    data = json_with(&a, data, STR("continuations"), json_int(&a, s->loop.continuations));
    if (s->todos)
        data = json_with(&a, data, STR("todos"), s->todos);
    data = json_with(&a, data, STR("status"), status_stopping(s, &a));
    session_emit(s, POINT_AGENT_STOP, data, &a, &r);
    if (s->over)
        return false;
    session_obey(s, &r, false);
    if (s->over)
        return false;
    r.verdict.follow_ups = status_take_prompts(s, &a, r.verdict.follow_ups);
    return follow_ups(s, &a, &r.verdict);
}

static void emit_error(struct agent_session *s)
{
    static const char *const classes[] = {
        [AGENT_DONE] = "other",    [AGENT_BLOCKED] = "blocked", [AGENT_STOPPED] = "stopped",
        [AGENT_FAILED] = "failed", [AGENT_ABORTED] = "aborted",
    };
    CLEANUP(arena) struct arena a = { 0 };
    struct json *error = json_object(&a);

    json_add(&a, error, STR("class"), json_cstring(&a, classes[s->end]));
    json_add(&a, error, STR("message"), json_cstring(&a, s->reason));
    json_add(&a, error, STR("provider"), json_cstring(&a, s->model.provider));
    json_add(&a, error, STR("model"), json_cstring(&a, s->model.model));
    (void)session_notice(s, POINT_AGENT_ERROR, json_with(&a, NULL, STR("error"), error), &a);
}

static void finish(struct agent_session *s)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct err e = { 0 };

    (void)subagent_wait(s, &a);
    if (status_drop_prompts(s) > 0)
        session_note(s, "what hooks wanted to be sent is not sent: the session has stopped");
    if (s->over)
        emit_error(s);
    if (session_save(s, &e) < 0)
        log_warn(agent_options(s->agent)->log, "%s", e.msg);
    (void)session_status(s, "idle", 0, NULL, &a);
    (void)session_notice(s, POINT_SESSION_IDLE, json_object(&a), &a);
}

/* Running ------------------------------------------------------------------------------------- */

void session_run(struct agent_session *s, const struct agent_task *task)
{
    CLEANUP(arena) struct arena a = { 0 };

    (void)session_status(s, "busy", 0, NULL, &a);
    loop_user_spoke(&s->loop);
    if (!s->over && take_message(s, task, s->about.parent != NULL) &&
        pass_gate(s, POINT_AGENT_START)) {
        do {
            session_talk(s);
        } while (!s->over && (hear_tasks(s) || (!s->over && stop_or_go_on(s))));
    }
    finish(s);
}

void session_outcome(const struct agent_session *s, struct agent_outcome *out)
{
    (void)snprintf(out->session, sizeof(out->session), "%s", s->about.id);
    (void)snprintf(out->agent, sizeof(out->agent), "%s", s->def->name);
    (void)snprintf(out->model, sizeof(out->model), "%s/%s", s->model.provider, s->model.model);
    (void)snprintf(out->recipe, sizeof(out->recipe), "%s", s->about.recipe ? s->about.recipe : "");
    (void)snprintf(out->reason, sizeof(out->reason), "%s", s->reason ? s->reason : "");
    out->end = s->over ? s->end : AGENT_DONE;
    out->usage = s->usage;
    out->cost = s->cost;
    out->turns = s->turns;
    out->hook_ns = s->hook_ns;
    out->text = s->said ? strdup(s->said) : NULL;
}

int agent_run(struct agent *ag, const struct agent_task *task, struct agent_outcome *out,
              struct err *e)
{
    struct agent_session s = { 0 };
    int r;

    *out = (struct agent_outcome){ 0 };
    r = session_open(&s, ag, task, e);
    if (r == 0) {
        if (!task->goes_on)
            session_begin(&s, task->resume ? "resume" : "startup");
        session_run(&s, task);
        session_outcome(&s, out);
    }
    session_close(&s);
    return r;
}
