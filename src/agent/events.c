/* Events of a session, and what the person is shown of them. */
#include "agent/status.h"

static const struct {
    unsigned powers;
    const char *word;
} effects[] = {
    { POWER_BLOCK, "block" },   { POWER_STOP, "stop" },         { POWER_ASK, "ask" },
    { POWER_CHANGE, "change" }, { POWER_INJECT, "inject" },     { POWER_CONTINUE, "continue" },
    { POWER_MUTATE, "mutate" }, { POWER_CALLBACK, "callback" },
};

/* Points of every request, where what a hook adds or changes is no news. */
static bool is_routine(enum point point, unsigned power)
{
    return (power == POWER_CHANGE || power == POWER_INJECT) &&
           (point == POINT_SYSTEM_TRANSFORM || point == POINT_MESSAGES_TRANSFORM ||
            point == POINT_CHAT_PARAMS || point == POINT_CHAT_HEADERS ||
            point == POINT_TOOL_DEFINITION || point == POINT_SHELL_ENV);
}

/* What every command of a session gets, such as its sandbox. */
static bool is_standing(const struct hook_run *run)
{
    return run->effects == POWER_CHANGE && run->hook->def && run->hook->def->no_rerun;
}

static void show_run(struct agent_session *s, enum point point, const struct hook_run *run)
{
    if (is_standing(run))
        return;
    for (size_t i = 0; i < ARRAY_LEN(effects); i++)
        if (run->effects & effects[i].powers) {
            agent_show(s->agent, &(struct show){ .kind = SHOW_HOOK,
                                                 .session = s->about.id,
                                                 .depth = s->about.depth,
                                                 .hook = run->hook->name,
                                                 .tool = effects[i].word,
                                                 .text = str_of(run->detail),
                                                 .routine = is_routine(point, effects[i].powers) });
            return;
        }
    if (run->end != RUN_DONE)
        agent_show(s->agent, &(struct show){ .kind = SHOW_HOOK,
                                             .session = s->about.id,
                                             .depth = s->about.depth,
                                             .hook = run->hook->name,
                                             .tool = "failed",
                                             .text = str_of(run->detail) });
}

static void show_receipt(struct agent_session *s, const struct receipt *r)
{
    for (size_t i = 0; i < r->run_count; i++)
        show_run(s, r->event->point, &r->runs[i]);
    if (r->verdict.say)
        agent_show(s->agent, &(struct show){ .kind = SHOW_SAY,
                                             .session = s->about.id,
                                             .depth = s->about.depth,
                                             .text = str_of(r->verdict.say) });
}

static void note_abort(struct agent_session *s)
{
    if (!s->over && agent_is_aborted(s->agent))
        session_end(s, AGENT_ABORTED, "aborted");
}

void session_emit(struct agent_session *s, enum point point, const struct json *data,
                  struct arena *a, struct receipt *r)
{
    const struct event ev = { .point = point, .data = data };

    session_emit_event(s, &ev, a, r);
}

void session_emit_event(struct agent_session *s, const struct event *about, struct arena *a,
                        struct receipt *r)
{
    struct event *ev = arena_new(a, struct event); /* the receipt refers to it */
    struct err e = { 0 };

    *ev = *about;
    ev->turn = s->turn;
    ev->session = s->about;
    *r = (struct receipt){ 0 };
    note_abort(s);
    status_at(s, ev->point);
    if (!s->over) /* the last words of an aborted run are heard to their end */
        ev->abort_fd = agent_options(s->agent)->abort_fd;
    ev->session.usage = usage_to_json(a, &s->usage);
    if (engine_emit(agent_options(s->agent)->engine, ev, a, r, &e) < 0) {
        log_warn(agent_options(s->agent)->log, "%s: %s", point_info(ev->point)->name, e.msg);
        r->data = ev->data;
        return;
    }
    s->hook_ns += r->ns;
    show_receipt(s, r);
    note_abort(s); /* before the stop that an aborted event ends with */
    if (r->verdict.stop)
        session_end(s, AGENT_STOPPED, r->verdict.stop);
    status_collect(s);
}

void session_note(struct agent_session *s, const char *text)
{
    agent_show(s->agent, &(struct show){ .kind = SHOW_NOTE,
                                         .session = s->about.id,
                                         .depth = s->about.depth,
                                         .text = str_of(text) });
}

const char *session_notice(struct agent_session *s, enum point point, const struct json *data,
                           struct arena *a)
{
    CLEANUP(receipt) struct receipt r = { 0 };

    session_emit(s, point, data, a, &r);
    return arena_strdup(a, r.verdict.model);
}

const char *session_status(struct agent_session *s, const char *type, unsigned attempt,
                           const struct json *error, struct arena *a)
{
    struct json *status = json_object(a), *data = json_object(a);

    status_set(s, type, attempt, json_cstr(a, json_get(error, STR("message"))));
    json_add(a, status, STR("type"), json_cstring(a, type));
    if (attempt)
        json_add(a, status, STR("attempt"), json_int(a, attempt));
    json_add(a, status, STR("message"), json_get(error, STR("message")));
    json_add(a, status, STR("error"), error);
    json_add(a, data, STR("status"), status);
    return session_notice(s, POINT_SESSION_STATUS, data, a);
}

void agent_session_ended(struct agent *ag, const struct agent_outcome *out, const char *reason)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(receipt) struct receipt r = { 0 };
    const struct event ev = {
        .point = POINT_SESSION_ENDED,
        .session = { .id = out->session,
                     .agent = out->agent,
                     .recipe = out->recipe,
                     .cwd = agent_cwd(ag) },
        .data = json_with(&a, NULL, STR("reason"), json_cstring(&a, reason)),
    };
    struct err e = { 0 };

    if (engine_emit(agent_options(ag)->engine, &ev, &a, &r, &e) < 0)
        log_warn(agent_options(ag)->log, "session.ended: %s", e.msg);
}
