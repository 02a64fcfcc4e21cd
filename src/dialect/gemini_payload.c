#include "dialect/gemini_payload.h"

#include "base/clock.h"
#include "hook/inject.h"
#include "hook/tools.h"

const char *gemini_event(enum point point)
{
    static const char *const events[POINT_COUNT] = {
        [POINT_SESSION_CREATED] = "SessionStart",   [POINT_SESSION_ENDED] = "SessionEnd",
        [POINT_CHAT_MESSAGE] = "BeforeAgent",       [POINT_AGENT_STOP] = "AfterAgent",
        [POINT_MESSAGES_TRANSFORM] = "BeforeModel", [POINT_TOOL_EXECUTE_BEFORE] = "BeforeTool",
        [POINT_TOOL_EXECUTE_AFTER] = "AfterTool",   [POINT_SESSION_COMPACTING] = "PreCompress",
        [POINT_NOTIFICATION] = "Notification",
    };

    return events[point];
}

struct payload {
    struct arena *arena;
    const struct event *event;
    struct json *json;
};

static void add(struct payload *p, struct str key, const struct json *value)
{
    json_add(p->arena, p->json, key, value);
}

static const struct json *or_empty(struct arena *a, const struct json *text)
{
    return json_type(text) == JSON_STRING ? text : json_cstring(a, "");
}

static void add_base(struct payload *p)
{
    const struct session *s = &p->event->session;
    char now[CLOCK_TEXT_SIZE];

    clock_format(clock_wall_ms(), now);
    add(p, STR("session_id"), json_cstring(p->arena, s->id ? s->id : ""));
    add(p, STR("transcript_path"), json_cstring(p->arena, ""));
    add(p, STR("cwd"), json_cstring(p->arena, s->cwd ? s->cwd : ""));
    add(p, STR("hook_event_name"), json_cstring(p->arena, gemini_event(p->event->point)));
    add(p, STR("timestamp"), json_cstring(p->arena, arena_strdup(p->arena, now)));
}

/* Texts ---------------------------------------------------------------------------------------- */

static bool is_text_part(struct arena *a, const struct json *part)
{
    return str_is(json_str(a, json_get(part, STR("type"))), "text");
}

/* The texts of a message's content, a string or parts, one after the other. */
static void add_text(struct arena *a, struct strbuf *out, const struct json *content)
{
    struct str text = json_str(a, content);

    strbuf_add(out, text.ptr, text.len);
    if (json_type(content) != JSON_ARRAY)
        return;
    for (const struct json *part = json_first(content); part; part = json_next(part)) {
        if (!is_text_part(a, part))
            continue;
        text = json_str(a, json_get(part, STR("text")));
        strbuf_add(out, text.ptr, text.len);
    }
}

static const struct json *text_of(struct arena *a, const struct json *content)
{
    CLEANUP(strbuf) struct strbuf all = { 0 };

    if (json_type(content) == JSON_STRING)
        return content;
    add_text(a, &all, content);
    return json_string_copy(a, strbuf_str(&all));
}

static const struct json *content_of(const struct json *message)
{
    return json_get(message, STR("content"));
}

static struct str role_of(struct arena *a, const struct json *message)
{
    return json_str(a, json_get(message, STR("role")));
}

/* The conversation ----------------------------------------------------------------------------- */

const struct json *gemini_messages(struct arena *a, const struct json *ours)
{
    struct json *list = json_array(a);

    for (const struct json *m = json_first(ours); m; m = json_next(m)) {
        const struct json *text = text_of(a, content_of(m));
        struct str role = role_of(a, m);
        struct json *theirs;

        if (json_str(a, text).len == 0)
            continue;
        theirs = json_object(a);
        json_add(a, theirs, STR("role"),
                 json_cstring(a, str_is(role, "assistant") ? "model"
                                 : str_is(role, "system")  ? "system"
                                                           : "user"));
        json_add(a, theirs, STR("content"), text);
        json_push(a, list, theirs);
    }
    return list;
}

/* The parts with one text, or none, in the place of all texts. */
static const struct json *parts_with(struct arena *a, const struct json *parts,
                                     const struct json *text)
{
    struct json *list = json_array(a);

    for (const struct json *part = json_first(parts); part; part = json_next(part)) {
        if (!is_text_part(a, part)) {
            json_push(a, list, part);
        } else if (text) {
            json_push(a, list, json_with(a, part, STR("text"), text));
            text = NULL;
        }
    }
    return list;
}

/* `text` NULL: the hook left it out. NULL when nothing of the message is left. */
static const struct json *message_with(struct arena *a, const struct json *m,
                                       const struct json *text)
{
    const struct json *content = content_of(m);

    if (text && json_equal(text, text_of(a, content)))
        return m;
    if (json_type(content) != JSON_ARRAY)
        return text ? json_with(a, m, STR("content"), text) : NULL;
    content = parts_with(a, content, text);
    return json_count(content) ? json_with(a, m, STR("content"), content) : NULL;
}

static const struct json *new_message(struct arena *a, const struct json *theirs)
{
    struct str role = role_of(a, theirs);
    struct json *m = json_object(a);

    json_add(a, m, STR("role"),
             json_cstring(a, str_is(role, "model")    ? "assistant"
                             : str_is(role, "system") ? "system"
                                                      : "user"));
    json_add(a, m, STR("content"), text_of(a, content_of(theirs)));
    return m;
}

const struct json *gemini_messages_back(struct arena *a, const struct json *ours,
                                        const struct json *theirs)
{
    const struct json *next = json_first(theirs), *left;
    struct json *list = json_array(a);

    for (const struct json *m = json_first(ours); m; m = json_next(m)) {
        left = m;
        if (json_str(a, text_of(a, content_of(m))).len > 0) {
            left = message_with(a, m, next ? text_of(a, content_of(next)) : NULL);
            next = next ? json_next(next) : NULL;
        }
        if (left)
            json_push(a, list, left);
    }
    for (; next; next = json_next(next))
        json_push(a, list, new_message(a, next));
    return list;
}

/* Sampling parameters are chosen at another point, so nothing is said of them here. */
static void add_request(struct payload *p)
{
    struct arena *a = p->arena;
    struct json *request = json_object(a);

    json_add(a, request, STR("model"), or_empty(a, event_data(p->event, STR("model"))));
    json_add(a, request, STR("messages"),
             gemini_messages(a, event_data(p->event, STR("messages"))));
    json_add(a, request, STR("config"), json_object(a));
    add(p, STR("llm_request"), request);
}

/* Messages of the user ------------------------------------------------------------------------- */

static void add_prompt(struct payload *p)
{
    const struct json *message = event_data(p->event, STR("message"));
    const struct json *text = json_get(message, STR("text"));

    if (json_type(message) == JSON_STRING)
        text = message;
    add(p, STR("prompt"),
        text ? or_empty(p->arena, text) : text_of(p->arena, json_get(message, STR("parts"))));
}

/* What was typed last, and all that the model has said since. */
static void add_exchange(struct payload *p)
{
    struct arena *a = p->arena;
    const struct json *messages = event_data(p->event, STR("messages")), *prompt = NULL;
    CLEANUP(strbuf) struct strbuf said = { 0 };
    int64_t continuations = 0;

    for (const struct json *m = json_first(messages); m; m = json_next(m))
        if (inject_is_typed(a, m))
            prompt = m;
    for (const struct json *m = prompt ? json_next(prompt) : json_first(messages); m;
         m = json_next(m)) {
        struct str text = json_str(a, text_of(a, content_of(m)));

        if (!str_is(role_of(a, m), "assistant"))
            continue;
        if (said.len && text.len)
            strbuf_addch(&said, '\n');
        strbuf_add(&said, text.ptr, text.len);
    }
    if (json_to_int64(event_data(p->event, STR("continuations")), &continuations) < 0)
        continuations = 0;
    add(p, STR("prompt"), text_of(a, content_of(prompt)));
    add(p, STR("prompt_response"), json_string_copy(a, strbuf_str(&said)));
    add(p, STR("stop_hook_active"), json_bool(a, continuations > 0));
}

/* Tools ---------------------------------------------------------------------------------------- */

struct str gemini_tool(struct arena *a, const struct event *ev)
{
    return tools_name(TOOLS_GEMINI, TOOLS_THEIRS, event_tool(a, ev));
}

const struct json *gemini_tool_input(struct arena *a, const struct event *ev)
{
    const struct json *args = event_data(ev, STR("args"));

    if (!args)
        return json_object(a);
    return tools_to_theirs(a, TOOLS_GEMINI, event_tool(a, ev), args);
}

/* What only an event that came from Gemini itself knows is kept beside our data. */
static void add_tool(struct payload *p)
{
    const struct json *native = event_data(p->event, STR("native"));

    add(p, STR("tool_name"), json_string(p->arena, gemini_tool(p->arena, p->event)));
    add(p, STR("tool_input"), gemini_tool_input(p->arena, p->event));
    add(p, STR("mcp_context"), json_get(native, STR("mcp_context")));
    add(p, STR("original_request_name"), json_get(native, STR("original_request_name")));
}

static const struct json *output_text(struct arena *a, const struct json *output)
{
    if (json_type(output) == JSON_STRING)
        return output;
    return json_cstring(a, output ? json_text(a, output) : "");
}

static void add_response(struct payload *p)
{
    struct arena *a = p->arena;
    const struct json *output = event_data(p->event, STR("output"));
    const struct json *title = event_data(p->event, STR("title"));
    const struct json *success = event_data(p->event, STR("success"));
    struct json *response = json_object(a), *error = json_object(a);

    json_add(a, response, STR("llmContent"), output ? output : json_cstring(a, ""));
    json_add(a, response, STR("returnDisplay"),
             json_type(title) == JSON_STRING ? title : output_text(a, output));
    if (json_type(success) == JSON_BOOL && !json_is_true(success)) {
        json_add(a, error, STR("message"), output_text(a, output));
        json_add(a, response, STR("error"), error);
    }
    add(p, STR("tool_response"), response);
}

/* Triggers ------------------------------------------------------------------------------------- */

static bool is_one_of(struct str word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_is(word, words[i]))
            return true;
    return false;
}

struct str gemini_trigger(struct arena *a, const struct event *ev)
{
    static const char *const reasons[] = { "exit", "clear", "logout", "prompt_input_exit" };
    struct str word;

    switch (ev->point) {
    case POINT_SESSION_CREATED:
        word = json_str(a, event_data(ev, STR("source")));
        return word.len ? word : STR("startup");
    case POINT_SESSION_ENDED:
        word = json_str(a, event_data(ev, STR("reason")));
        return is_one_of(word, reasons, ARRAY_LEN(reasons)) ? word : STR("other");
    case POINT_SESSION_COMPACTING:
        word = json_str(a, event_data(ev, STR("trigger")));
        return str_is(word, "manual") ? word : STR("auto");
    default:
        return (struct str){ 0 };
    }
}

static void add_trigger(struct payload *p, struct str key)
{
    add(p, key, json_string(p->arena, gemini_trigger(p->arena, p->event)));
}

/* Gemini knows one type, and its hooks look for that word. */
static void add_notification(struct payload *p)
{
    struct arena *a = p->arena;
    struct str kind = json_str(a, event_data(p->event, STR("kind")));
    const struct json *details = event_data(p->event, STR("details"));

    if (str_starts(kind, STR("permission")))
        kind = STR("ToolPermission");
    add(p, STR("notification_type"), json_string(a, kind));
    add(p, STR("message"), or_empty(a, event_data(p->event, STR("message"))));
    add(p, STR("details"), json_type(details) == JSON_OBJECT ? details : json_object(a));
}

const struct json *gemini_payload(struct arena *a, const struct event *ev)
{
    struct payload p = { a, ev, json_object(a) };

    add_base(&p);
    if (ev->point == POINT_SESSION_CREATED)
        add_trigger(&p, STR("source"));
    if (ev->point == POINT_SESSION_ENDED)
        add_trigger(&p, STR("reason"));
    if (ev->point == POINT_SESSION_COMPACTING)
        add_trigger(&p, STR("trigger"));
    if (ev->point == POINT_CHAT_MESSAGE)
        add_prompt(&p);
    if (ev->point == POINT_AGENT_STOP)
        add_exchange(&p);
    if (ev->point == POINT_MESSAGES_TRANSFORM)
        add_request(&p);
    if (ev->point == POINT_TOOL_EXECUTE_BEFORE || ev->point == POINT_TOOL_EXECUTE_AFTER)
        add_tool(&p);
    if (ev->point == POINT_TOOL_EXECUTE_AFTER)
        add_response(&p);
    if (ev->point == POINT_NOTIFICATION)
        add_notification(&p);
    return p.json;
}
