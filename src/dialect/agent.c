#include "dialect/agent.h"

#include <errno.h>
#include <stdlib.h>

#define SPECIFIC  "hookSpecificOutput"
#define NO_REASON "a hook of hooke refused it without a reason"

const struct agent_event *agent_event_find(const struct dialect_agent *ag, struct str name)
{
    for (size_t i = 0; i < ag->event_count; i++)
        if (str_is(name, ag->events[i].name))
            return &ag->events[i];
    return NULL;
}

bool agent_event_is_other(const struct dialect_agent *ag, struct str name)
{
    for (const char *const *o = ag->others; *o; o++)
        if (str_is(name, *o))
            return true;
    return false;
}

/* Reading -------------------------------------------------------------------------------------- */

static char *text_member(struct arena *a, const struct json *in, struct str name)
{
    char *text = json_cstr(a, json_get(in, name));

    return text && text[0] ? text : NULL;
}

static const char *session_name(struct arena *a, const char *id, const char *sub)
{
    return sub && id ? arena_printf(a, "%s/%s", id, sub) : id;
}

const char *agent_session(struct arena *a, const struct json *in)
{
    return session_name(a, text_member(a, in, STR("session_id")),
                        text_member(a, in, STR("agent_id")));
}

int agent_read(struct arena *a, const struct dialect_agent *ag, const struct agent_event *kind,
               const struct json *in, struct event *ev, struct err *e)
{
    const struct json *tool = json_get(in, STR("tool_name"));
    const char *id, *sub;

    if (json_type(in) != JSON_OBJECT)
        return err_set(e, -EBADMSG, "the event must be an object, not %s",
                       json_type_name(json_type(in)));
    id = text_member(a, in, STR("session_id"));
    if (!id)
        return err_set(e, -EBADMSG, "the event has no 'session_id', %s always gives one",
                       ag->title);
    if (tool && json_type(tool) != JSON_STRING) /* hooks of some tools would not see it */
        return err_set(e, -EBADMSG, "'tool_name' of the event is no text but %s",
                       json_type_name(json_type(tool)));
    sub = text_member(a, in, STR("agent_id"));
    if (!sub && kind->sub)
        sub = "subagent";
    *ev = (struct event){
        .point = kind->point,
        .session = {
            .id = session_name(a, id, sub),
            .parent = sub ? id : NULL,
            .agent = text_member(a, in, STR("agent_type")),
            .cwd = text_member(a, in, STR("cwd")),
            .depth = sub ? 1 : 0,
        },
        .data = kind->data(a, ag, in),
    };
    return 0;
}

/* Writing -------------------------------------------------------------------------------------- */

struct writing {
    struct arena *arena;
    const struct agent_saying *saying;
    const struct json *out;
    const struct json *unchanged; /* `out` before any change was said */
    const char *context;          /* to be said; NULL: none */
    const char *over; /* why it is blocked or stopped: nothing is left that could be changed */
};

static const enum power powers[AGENT_PARTS] = {
    [PART_BLOCK] = POWER_BLOCK,       [PART_ASK] = POWER_ASK,       [PART_ALLOW] = POWER_ALLOW,
    [PART_STOP] = POWER_STOP,         [PART_CHANGE] = POWER_CHANGE, [PART_INJECT] = POWER_INJECT,
    [PART_CONTINUE] = POWER_CONTINUE,
};

static const char *part_name(enum agent_part part)
{
    return part == PART_SAY ? "say" : power_name(powers[part]);
}

static void lose(struct writing *w, enum agent_part part, const char *becomes)
{
    const struct agent_saying *s = w->saying;

    if (s->lost && s->event)
        strbuf_printf(s->lost, "%s has no '%s' at %s: %s\n", s->agent->title, part_name(part),
                      s->event->name, becomes);
}

static const struct agent_means *means_of(const struct writing *w, enum agent_part part)
{
    return w->saying->event ? w->saying->event->says[part] : NULL;
}

/* `object` with the member at the path; a part of the answer names its event first. */
static const struct json *put(struct arena *a, const struct json *object, struct str path,
                              const struct json *value, const char *event)
{
    struct str key;

    (void)str_cut(&path, '.', &key);
    if (!str_is_set(path))
        return json_with(a, object, key, value);
    if (event && !json_get(object, key))
        object = json_with(a, object, key,
                           json_with(a, NULL, STR("hookEventName"), json_cstring(a, event)));
    return json_with(a, object, key, put(a, json_get(object, key), path, value, NULL));
}

static bool is_mcp(struct arena *a, const struct json *in)
{
    return str_starts(json_str(a, json_get(in, STR("tool_name"))), STR("mcp__"));
}

static const struct json *shaped(struct writing *w, const struct json *value)
{
    const struct agent_saying *s = w->saying;

    return s->event && s->event->shape ? s->event->shape(w->arena, s->agent, s->in, value) : value;
}

static const struct json *value_of(struct writing *w, const struct agent_member *m,
                                   const char *text, const struct json *changed)
{
    struct arena *a = w->arena;

    switch (m->value) {
    case VALUE_WORD:
        return json_cstring(a, m->word);
    case VALUE_FALSE:
        return json_bool(a, false);
    case VALUE_TEXT:
        return json_cstring(a, text);
    case VALUE_CHANGED:
        return changed;
    case VALUE_MCP:
        return is_mcp(a, w->saying->in) ? changed : NULL;
    case VALUE_SHAPED:
        return shaped(w, json_cstring(a, text));
    }
    return NULL;
}

static void say(struct writing *w, const struct agent_means *means, const char *text,
                const struct json *changed)
{
    const char *event = w->saying->event ? w->saying->event->name : NULL;

    for (size_t i = 0; i < AGENT_MEMBERS && means->members[i].path; i++) {
        const struct agent_member *m = &means->members[i];
        const struct json *value = value_of(w, m, text, changed);

        if (value)
            w->out = put(w->arena, w->out, str_of(m->path), value, event);
    }
}

/* A reason is one that the model or a person can read: some agents take no blank one. */
static const char *reason_or(const char *reason)
{
    return reason && str_trim(str_of(reason)).len ? reason : NO_REASON;
}

/* Whether the model gets to see what is refused. */
static bool stays(struct writing *w, const struct agent_means *block, const char *reason)
{
    const struct agent_event *kind = w->saying->event;

    return block->beside && !(kind && kind->shape && shaped(w, json_cstring(w->arena, reason)));
}

static void say_stop(struct writing *w, const struct agent_means *means, const char *reason)
{
    say(w, means, reason, NULL);
    if (means->later && w->saying->held)
        *w->saying->held = reason;
}

static void write_block(struct writing *w, const char *reason)
{
    const struct agent_means *means =
        w->saying->event ? means_of(w, PART_BLOCK) : w->saying->agent->alarm;
    bool stops = w->saying->critical && means_of(w, PART_STOP);

    if (!means) {
        lose(w, PART_BLOCK, "it goes on");
        return;
    }
    reason = reason_or(reason);
    say(w, means, reason, NULL);
    w->over = reason;
    if (!stays(w, means, reason))
        return;
    lose(w, PART_BLOCK, stops ? "it is stopped" : "the output stays, the reason is added to it");
    if (stops)
        say_stop(w, means_of(w, PART_STOP), reason);
}

static void write_stop(struct writing *w, const char *reason)
{
    const struct agent_means *means = means_of(w, PART_STOP);

    if (means && !means->as_block) {
        w->over = reason_or(reason);
        say_stop(w, means, w->over);
    } else if (means || means_of(w, PART_BLOCK)) {
        lose(w, PART_STOP, "it is blocked");
        write_block(w, reason);
    } else {
        lose(w, PART_STOP, "it goes on");
    }
}

static void write_ask(struct writing *w, const struct verdict *v)
{
    const struct agent_means *means = means_of(w, PART_ASK);
    const char *title = w->saying->agent->title;

    if (means && !(means->waits && w->saying->unattended)) {
        say(w, means, v->reason ? v->reason : "", NULL);
        return;
    }
    lose(w, PART_ASK, "it is blocked");
    write_block(w, arena_printf(w->arena,
                                means ? "%s (nobody can be asked: %s has no terminal)"
                                      : "%s (%s can't be made to ask)",
                                reason_or(v->reason), title));
}

static void write_decision(struct writing *w, const struct verdict *v)
{
    const struct agent_means *allow = means_of(w, PART_ALLOW);

    if (v->decision == DECISION_BLOCK)
        write_block(w, v->reason);
    else if (v->decision == DECISION_ASK)
        write_ask(w, v);
    else if (v->decision == DECISION_ALLOW && allow)
        say(w, allow, v->reason ? v->reason : "", NULL);
    else if (v->decision == DECISION_ALLOW)
        lose(w, PART_ALLOW, "its own permissions decide");
}

/* Injections ----------------------------------------------------------------------------------- */

static bool is_over(const struct verdict *v)
{
    return v->stop || v->decision == DECISION_BLOCK;
}

bool agent_says(const struct agent_event *kind, const struct verdict *v, const struct injection *i)
{
    const struct agent_means *means = kind->says[PART_INJECT];

    /* What belongs to a message or an output that is refused goes with it. */
    if (i->class == INJECT_PERSISTENT && is_over(v))
        return false;
    return means && !means->later && i->class != INJECT_VOLATILE;
}

/* What the answer is to say of them, most important first. */
static const char *injected_text(struct writing *w, const struct verdict *v)
{
    const struct agent_means *means = means_of(w, PART_INJECT);
    CLEANUP(strbuf) struct strbuf text = { 0 };
    bool lost = false;

    for (unsigned rank = 0; rank < 4; rank++)
        for (const struct injection *i = v->injections; i; i = i->next) {
            if (inject_rank(i->priority) != rank)
                continue;
            if (agent_says(w->saying->event, v, i))
                strbuf_printf(&text, "%s%s", text.len ? "\n\n" : "", i->text);
            else
                lost |= !(means && means->later) && !is_over(v);
        }
    if (lost)
        lose(w, PART_INJECT, means ? "what is volatile is dropped" : "it is dropped");
    return text.len ? arena_cstr(w->arena, strbuf_str(&text)) : NULL;
}

/* Changes -------------------------------------------------------------------------------------- */

/* A change that can't be said. What somebody depends on must not be passed over. */
static void lose_change(struct writing *w, struct str field)
{
    const struct agent_saying *s = w->saying;
    const char *why;

    if (!s->critical || !s->event->says[s->event->refuge]) {
        lose(w, PART_CHANGE,
             arena_printf(w->arena, "the change of '%.*s' is dropped", STR_ARG(field)));
        return;
    }
    why = arena_printf(w->arena, "a safety-critical hook changed '%.*s', which %s can't take at %s",
                       STR_ARG(field), s->agent->title, s->event->name);
    lose(w, PART_CHANGE, s->event->refuge == PART_STOP ? "it is stopped" : "it is blocked");
    if (s->event->refuge == PART_STOP) {
        write_stop(w, why);
        return;
    }
    w->out = w->unchanged; /* beside a change Codex takes no block: the whole answer would fail */
    write_block(w, why);
}

/* The words of a changed field: where it becomes a reason, the model reads them. */
static const char *words_of(struct arena *a, const struct json *value)
{
    return json_type(value) == JSON_STRING ? json_cstr(a, value) : json_text(a, value);
}

static void write_change(struct writing *w, const struct json *field)
{
    const struct agent_event *kind = w->saying->event;
    const struct agent_means *means = means_of(w, PART_CHANGE);
    struct str name = json_key(w->arena, field);
    const struct json *value = NULL;
    const char *text;

    if (w->over)
        return;
    if (means && kind->field && str_is(name, kind->field))
        value = shaped(w, field);
    if (!value) {
        lose_change(w, name);
        return;
    }
    text = reason_or(words_of(w->arena, field));
    if (means->alone && w->context) {
        text = arena_printf(w->arena, "%s\n\n%s", text, w->context);
        w->context = NULL;
    }
    say(w, means, text, value);
}

/* Results -------------------------------------------------------------------------------------- */

const char *agent_follow_up(struct arena *a, const struct verdict *v)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };

    for (const struct json *f = json_first(v->follow_ups); f; f = json_next(f)) {
        const char *words = json_cstr(a, f);

        if (words)
            strbuf_printf(&text, "%s%s", text.len ? "\n\n" : "", words);
    }
    return text.len ? arena_cstr(a, strbuf_str(&text)) : NULL;
}

static void write_follow_ups(struct writing *w, const struct verdict *v)
{
    const struct agent_means *means = means_of(w, PART_CONTINUE);
    const char *text = agent_follow_up(w->arena, v);

    if (!text || w->over)
        return;
    if (means)
        say(w, means, text, NULL);
    else
        lose(w, PART_CONTINUE, "it is dropped");
}

static void lose_results(struct writing *w, const struct verdict *v)
{
    const struct agent_saying *s = w->saying;

    if (!s->lost)
        return;
    if (v->messages)
        strbuf_printf(s->lost, "%s lets no hook rewrite its history: the mutation is dropped\n",
                      s->agent->title);
    if (v->callback)
        strbuf_printf(s->lost, "%s runs no callbacks: '%s' is dropped\n", s->agent->title,
                      v->callback);
    if (v->model)
        strbuf_printf(s->lost, "%s lets no hook choose its model: '%s' is dropped\n",
                      s->agent->title, v->model);
}

static void write_verdict(struct writing *w, const struct verdict *v)
{
    const struct agent_event *kind = w->saying->event;

    if (v->stop)
        write_stop(w, v->stop);
    else
        write_decision(w, v);
    w->context = injected_text(w, v);
    w->unchanged = w->out;
    for (const struct json *f = json_first(v->replace); f; f = json_next(f))
        write_change(w, f);
    if (w->context)
        say(w, kind->says[PART_INJECT], w->context, NULL);
    write_follow_ups(w, v);
    lose_results(w, v);
    if (v->say && kind->says[PART_SAY])
        say(w, kind->says[PART_SAY], v->say, NULL);
    else if (v->say)
        lose(w, PART_SAY, "nobody reads it");
}

const struct json *agent_write(struct arena *a, const struct agent_saying *s)
{
    struct writing w = { .arena = a, .saying = s, .out = json_object(a) };

    if (s->event)
        write_verdict(&w, s->verdict);
    else if (is_over(s->verdict))
        write_block(&w, s->verdict->reason);
    if (s->refused)
        *s->refused = w.over;
    return w.out;
}

const struct json *agent_brake(struct arena *a, const struct dialect_agent *ag, const char *reason)
{
    const struct agent_saying s = { .agent = ag };
    struct writing w = { .arena = a, .saying = &s, .out = json_object(a) };

    say(&w, ag->alarm, reason, NULL);
    return w.out;
}

/* The table ------------------------------------------------------------------------------------ */

static const char *cell(const struct agent_event *kind, enum agent_part part)
{
    const struct agent_means *means = kind->says[part];

    if (part != PART_SAY && !(point_info(kind->point)->powers & powers[part]))
        return "–";
    if (means)
        return means->words;
    if (part == PART_ASK)
        return "block";
    if (part == PART_CHANGE && kind->says[kind->refuge])
        return kind->refuge == PART_STOP ? "dropped, or stop" : "dropped, or block";
    return part == PART_STOP && kind->says[PART_BLOCK] ? "block" : "dropped";
}

void agent_table(struct strbuf *out, const struct dialect_agent *ag)
{
    strbuf_addstr(out, "| event | point");
    for (int p = 0; p < AGENT_PARTS; p++)
        strbuf_printf(out, " | %s", part_name((enum agent_part)p));
    strbuf_addstr(out, " |\n|---|---");
    for (int p = 0; p < AGENT_PARTS; p++)
        strbuf_addstr(out, "|---");
    strbuf_addstr(out, "|\n");
    for (size_t i = 0; i < ag->event_count; i++) {
        const struct agent_event *kind = &ag->events[i];

        strbuf_printf(out, "| `%s` | `%s`", kind->name, point_info(kind->point)->name);
        for (int p = 0; p < AGENT_PARTS; p++)
            strbuf_printf(out, " | %s", cell(kind, (enum agent_part)p));
        strbuf_addstr(out, " |\n");
    }
}
