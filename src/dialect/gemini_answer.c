/*
 * gemini_answer.c - one answer of a Gemini hook, in JSON, as a verdict.
 */
#include "dialect/gemini.h"
#include "dialect/gemini_payload.h"
#include "hook/tools.h"

/* What it may say ----------------------------------------------------------------------- */

enum may {
    MAY_DENY = 1 << 0,
    MAY_ASK = 1 << 1,
    MAY_STOP = 1 << 2,
    MAY_CONTEXT = 1 << 3,
    MAY_INPUT = 1 << 4,
    MAY_REQUEST = 1 << 5,
    MAY_CLEAR = 1 << 6,
    MAY_ALWAYS = 1 << 7,
    MAY_NEVER = 1 << 8, /* Gemini's own agent can, no point of ours */
};

static const unsigned powers[POINT_COUNT] = {
    [POINT_SESSION_CREATED] = MAY_CONTEXT,
    [POINT_CHAT_MESSAGE] = MAY_DENY | MAY_STOP | MAY_CONTEXT,
    [POINT_AGENT_STOP] = MAY_DENY | MAY_STOP | MAY_CLEAR,
    [POINT_MESSAGES_TRANSFORM] = MAY_DENY | MAY_STOP | MAY_REQUEST,
    [POINT_TOOL_EXECUTE_BEFORE] = MAY_DENY | MAY_ASK | MAY_STOP | MAY_INPUT,
    [POINT_TOOL_EXECUTE_AFTER] = MAY_DENY | MAY_STOP | MAY_CONTEXT,
};

enum field {
    CONTINUE,
    STOP_REASON,
    SUPPRESS_OUTPUT,
    SYSTEM_MESSAGE,
    DECISION,
    REASON,
    SPECIFIC,
    EVENT_NAME,
    CONTEXT,
    TOOL_INPUT,
    LLM_REQUEST,
    LLM_RESPONSE,
    TOOL_CONFIG,
    TAIL_CALL,
    CLEAR_CONTEXT,
    FIELD_COUNT,
};

static const struct {
    const char *name;
    enum json_type type;
    unsigned needs; /* one of enum may */
} fields[FIELD_COUNT] = {
    [CONTINUE] = { "continue", JSON_BOOL, MAY_ALWAYS },
    [STOP_REASON] = { "stopReason", JSON_STRING, MAY_ALWAYS },
    [SUPPRESS_OUTPUT] = { "suppressOutput", JSON_BOOL, MAY_ALWAYS },
    [SYSTEM_MESSAGE] = { "systemMessage", JSON_STRING, MAY_ALWAYS },
    [DECISION] = { "decision", JSON_STRING, MAY_ALWAYS },
    [REASON] = { "reason", JSON_STRING, MAY_ALWAYS },
    [SPECIFIC] = { "hookSpecificOutput", JSON_OBJECT, MAY_ALWAYS },
    [EVENT_NAME] = { "hookEventName", JSON_STRING, MAY_ALWAYS },
    [CONTEXT] = { "additionalContext", JSON_STRING, MAY_CONTEXT },
    [TOOL_INPUT] = { "tool_input", JSON_OBJECT, MAY_INPUT },
    [LLM_REQUEST] = { "llm_request", JSON_OBJECT, MAY_REQUEST },
    [LLM_RESPONSE] = { "llm_response", JSON_OBJECT, MAY_NEVER },
    [TOOL_CONFIG] = { "toolConfig", JSON_OBJECT, MAY_NEVER },
    [TAIL_CALL] = { "tailToolCallRequest", JSON_OBJECT, MAY_NEVER },
    [CLEAR_CONTEXT] = { "clearContext", JSON_BOOL, MAY_CLEAR },
};

struct answer {
    struct arena *arena;
    const struct event *event;
    struct verdict *v;
    struct strbuf *warnings;
    const struct json *said[FIELD_COUNT];
};

bool gemini_may_deny(enum point point)
{
    return powers[point] & MAY_DENY;
}

static bool may(const struct answer *r, unsigned needs)
{
    return (powers[r->event->point] | MAY_ALWAYS) & needs;
}

static void warn_of_no_effect(const struct answer *r, const char *what)
{
    strbuf_printf(r->warnings, "'%s' has no effect at %s\n", what, gemini_event(r->event->point));
}

/* Members between `first` and `last`; like Gemini, what makes no sense is left out. */
static void read_fields(struct answer *r, const struct json *j, enum field first, enum field last)
{
    for (const struct json *m = json_first(j); m; m = json_next(m)) {
        struct str key = json_key(r->arena, m);
        enum field f = first;

        while (f <= last && !str_is(key, fields[f].name))
            f++;
        if (f > last)
            strbuf_printf(r->warnings, "unknown field '%.*s'\n", STR_ARG(key));
        else if (json_type(m) == JSON_NULL)
            continue;
        else if (json_type(m) != fields[f].type)
            strbuf_printf(r->warnings, "'%s' must be %s, not %s\n", fields[f].name,
                          json_type_name(fields[f].type), json_type_name(json_type(m)));
        else if (!may(r, fields[f].needs))
            warn_of_no_effect(r, fields[f].name);
        else
            r->said[f] = m;
    }
}

/* What it means -------------------------------------------------------------------------------- */

/* NULL for an empty text too. */
static const char *text(const struct answer *r, enum field f)
{
    char *said = json_cstr(r->arena, r->said[f]);

    return said && said[0] ? said : NULL;
}

void gemini_deny(struct arena *a, const struct event *ev, struct verdict *v, const char *reason)
{
    struct json *prompts;

    switch (ev->point) {
    case POINT_AGENT_STOP: /* to refuse the end is to go on, with the reason as the prompt */
        prompts = json_array(a);
        json_push(a, prompts, json_cstring(a, reason));
        v->result = v->result == VERDICT_MUTATE ? VERDICT_MUTATE : VERDICT_CONTINUE;
        v->follow_ups = prompts;
        v->reason = reason;
        break;
    case POINT_TOOL_EXECUTE_AFTER:
        verdict_block(v, arena_printf(a, GEMINI_REFUSED "%s", reason));
        break;
    default:
        verdict_block(v, reason);
    }
}

void gemini_context(struct arena *a, struct verdict *v, struct str escaped)
{
    verdict_inject(
        a, v, "context",
        arena_printf(a, GEMINI_CONTEXT_BEGIN "%.*s" GEMINI_CONTEXT_END, STR_ARG(escaped)));
}

static enum decision read_decision(const struct answer *r, bool *allows)
{
    static const struct {
        const char *word;
        enum decision decision;
        unsigned needs;
    } words[] = {
        { "deny", DECISION_BLOCK, MAY_DENY },     { "block", DECISION_BLOCK, MAY_DENY },
        { "ask", DECISION_ASK, MAY_ASK },         { "allow", DECISION_NONE, MAY_ALWAYS },
        { "approve", DECISION_NONE, MAY_ALWAYS },
    };
    struct str said = json_str(r->arena, r->said[DECISION]);

    *allows = false;
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (!str_is(said, words[i].word))
            continue;
        if (!may(r, words[i].needs))
            warn_of_no_effect(r, words[i].word);
        else
            *allows = words[i].decision == DECISION_NONE;
        return may(r, words[i].needs) ? words[i].decision : DECISION_NONE;
    }
    if (r->said[DECISION])
        strbuf_printf(r->warnings, "'decision' must be allow, deny or ask, not '%.*s'\n",
                      STR_ARG(said));
    return DECISION_NONE;
}

/* In Gemini `allow` does not skip the question for consent: it is no opinion. */
static void take_decision(struct answer *r, const char *reason)
{
    bool allows;
    enum decision decision = read_decision(r, &allows);

    if (decision == DECISION_BLOCK) {
        gemini_deny(r->arena, r->event, r->v, reason);
    } else if (decision == DECISION_ASK) {
        r->v->decision = DECISION_ASK;
        r->v->reason = reason;
    } else if (allows || r->event->point != POINT_MESSAGES_TRANSFORM) {
        r->v->reason = text(r, REASON);
        if (!r->v->reason && allows)
            r->v->reason = "";
    }
}

static void take_stop_or_decision(struct answer *r)
{
    const struct json *goes_on = r->said[CONTINUE];
    const char *reason = text(r, STOP_REASON);
    bool stops = json_type(goes_on) == JSON_BOOL && !json_is_true(goes_on);

    if (!reason)
        reason = text(r, REASON);
    if (!reason)
        reason = GEMINI_NO_REASON;
    if (stops && may(r, MAY_STOP)) {
        r->v->stop = reason;
        return;
    }
    if (stops)
        warn_of_no_effect(r, fields[CONTINUE].name);
    take_decision(r, reason);
}

/* The text can't close the tag it will stand in. */
static void take_context(struct answer *r)
{
    struct str said = json_str(r->arena, r->said[CONTEXT]);
    CLEANUP(strbuf) struct strbuf escaped = { 0 };

    for (size_t i = 0; i < said.len; i++) {
        if (said.ptr[i] == '<')
            strbuf_addstr(&escaped, "&lt;");
        else if (said.ptr[i] == '>')
            strbuf_addstr(&escaped, "&gt;");
        else
            strbuf_addch(&escaped, said.ptr[i]);
    }
    if (escaped.len)
        gemini_context(r->arena, r->v, strbuf_str(&escaped));
}

/* What comes back as it was sent is no change: guards need not look again. */
static void take_input(struct answer *r)
{
    struct arena *a = r->arena;
    const struct json *input = r->said[TOOL_INPUT];

    if (input && !json_equal(input, gemini_tool_input(a, r->event)))
        verdict_replace(a, r->v, STR("args"),
                        tools_to_ours(a, TOOLS_GEMINI, event_tool(a, r->event), input,
                                      event_data(r->event, STR("args"))));
}

static void take_request(struct answer *r)
{
    struct arena *a = r->arena;
    const struct json *ours = event_data(r->event, STR("messages"));
    const struct json *sent = json_get(gemini_payload(a, r->event), STR("llm_request"));

    for (const struct json *m = json_first(r->said[LLM_REQUEST]); m; m = json_next(m)) {
        struct str key = json_key(a, m);

        if (json_equal(m, json_get(sent, key)))
            continue;
        if (!str_is(key, "messages"))
            strbuf_printf(r->warnings, "'%.*s' of 'llm_request' can't be changed here\n",
                          STR_ARG(key));
        else if (json_type(m) != JSON_ARRAY || json_count(m) == 0)
            strbuf_addstr(r->warnings, "'messages' must be a list of messages\n");
        else
            verdict_replace(a, r->v, STR("messages"), gemini_messages_back(a, ours, m));
    }
}

/* A conversation can't be empty: what is left says that it was cleared. */
static void take_clear(struct answer *r)
{
    struct arena *a = r->arena;
    struct json *list, *m;

    if (!json_is_true(r->said[CLEAR_CONTEXT]))
        return;
    list = json_array(a);
    m = json_object(a);
    json_add(a, m, STR("role"), json_cstring(a, "user"));
    json_add(a, m, STR("content"), json_cstring(a, "A hook has cleared the conversation so far."));
    json_push(a, list, m);
    r->v->result = VERDICT_MUTATE;
    r->v->messages = list;
}

void gemini_answer_take(struct arena *a, const struct event *ev, const struct json *j,
                        const struct dialect_answer *to)
{
    struct answer r = { .arena = a, .event = ev, .v = to->v, .warnings = to->warnings };

    if (json_type(j) != JSON_OBJECT)
        return;
    read_fields(&r, j, CONTINUE, SPECIFIC);
    read_fields(&r, r.said[SPECIFIC], EVENT_NAME, CLEAR_CONTEXT);
    r.v->say = text(&r, SYSTEM_MESSAGE);
    take_clear(&r);
    take_stop_or_decision(&r);
    take_context(&r);
    take_input(&r);
    take_request(&r);
}
