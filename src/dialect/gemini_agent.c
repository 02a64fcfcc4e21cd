/*
 * gemini_agent.c - answering Gemini CLI: its events, and which member of an answer says what.
 *
 * Tests: tests/unit/dialect/test_gemini_agent.c, tests/e2e/test_answer.py; docs/agents/gemini.md
 */
#include "dialect/agent.h"
#include "dialect/gemini_payload.h"

/* Reading -------------------------------------------------------------------------------------- */

static void copy(struct arena *a, struct json *data, struct str name, const struct json *in,
                 struct str from)
{
    const struct json *value = json_get(in, from);

    if (json_type(value) == JSON_STRING)
        json_add(a, data, name, value);
}

static const struct json *data_start(struct arena *a, const struct json *in)
{
    const struct json *source = json_get(in, STR("source"));

    return json_with(a, NULL, STR("source"),
                     json_type(source) == JSON_STRING ? source : json_cstring(a, "startup"));
}

static const struct json *data_end(struct arena *a, const struct json *in)
{
    struct json *data = json_object(a);

    copy(a, data, STR("reason"), in, STR("reason"));
    return data;
}

static const struct json *data_prompt(struct arena *a, const struct json *in)
{
    struct json *message = json_object(a);

    copy(a, message, STR("text"), in, STR("prompt"));
    json_add(a, message, STR("internal"), json_bool(a, false));
    return json_with(a, NULL, STR("message"), message);
}

static void push_message(struct arena *a, struct json *list, const char *role,
                         const struct json *text)
{
    struct json *m = json_object(a);

    if (json_type(text) != JSON_STRING)
        return;
    json_add(a, m, STR("role"), json_cstring(a, role));
    json_add(a, m, STR("content"), text);
    json_push(a, list, m);
}

static const struct json *data_stop(struct arena *a, const struct json *in)
{
    struct json *data = json_object(a), *messages = json_array(a);

    push_message(a, messages, "user", json_get(in, STR("prompt")));
    push_message(a, messages, "assistant", json_get(in, STR("prompt_response")));
    json_add(a, data, STR("messages"), messages);
    json_add(a, data, STR("continuations"),
             json_int(a, json_is_true(json_get(in, STR("stop_hook_active")))));
    json_add(a, data, STR("status"), json_with(a, NULL, STR("type"), json_cstring(a, "idle")));
    return data;
}

/* The texts of the conversation: all that hooks are shown, and all that they can change. */
static const struct json *data_request(struct arena *a, const struct json *in)
{
    const struct json *request = json_get(in, STR("llm_request"));
    struct json *data = json_object(a);

    json_add(a, data, STR("messages"),
             gemini_messages_back(a, NULL, json_get(request, STR("messages"))));
    copy(a, data, STR("model"), request, STR("model"));
    json_add(a, data, STR("purpose"), json_cstring(a, "main"));
    return data;
}

static const struct json *data_tool(struct arena *a, const struct json *in)
{
    return agent_tool_data(a, TOOLS_GEMINI, in, NULL);
}

/* A text, a part with one, or a list of both. */
static void add_content(struct arena *a, struct strbuf *out, const struct json *content)
{
    struct str text =
        json_str(a, json_type(content) == JSON_OBJECT ? json_get(content, STR("text")) : content);

    strbuf_add(out, text.ptr, text.len);
    if (json_type(content) != JSON_ARRAY)
        return;
    for (const struct json *part = json_first(content); part; part = json_next(part)) {
        text = json_str(a, json_type(part) == JSON_OBJECT ? json_get(part, STR("text")) : part);
        strbuf_add(out, text.ptr, text.len);
    }
}

static const struct json *data_result(struct arena *a, const struct json *in)
{
    const struct json *response = json_get(in, STR("tool_response"));
    const struct json *content = json_get(response, STR("llmContent"));
    const struct json *error = json_get(response, STR("error"));
    struct json *data = agent_tool_data(a, TOOLS_GEMINI, in, response);
    CLEANUP(strbuf) struct strbuf text = { 0 };

    add_content(a, &text, content);
    json_add(a, data, STR("output"),
             text.len || !content ? json_string_copy(a, strbuf_str(&text))
                                  : json_cstring(a, json_text(a, content)));
    copy(a, data, STR("title"), response, STR("returnDisplay"));
    json_add(a, data, STR("success"),
             json_bool(a, json_type(error) == JSON_ABSENT || json_type(error) == JSON_NULL));
    return data;
}

/* Gemini announces a compaction before every request, whether it comes or not. */
static const struct json *data_compress(struct arena *a, const struct json *in)
{
    struct json *data = json_object(a);

    copy(a, data, STR("trigger"), in, STR("trigger"));
    return data;
}

static const struct json *data_notification(struct arena *a, const struct json *in)
{
    struct json *data = json_object(a);

    copy(a, data, STR("kind"), in, STR("notification_type"));
    copy(a, data, STR("message"), in, STR("message"));
    json_add(a, data, STR("details"), json_get(in, STR("details")));
    return data;
}

static const struct json *shape_args(struct arena *a, const struct json *in,
                                     const struct json *value)
{
    return agent_native_args(a, TOOLS_GEMINI, in, value);
}

/* Gemini puts one text back for all parts of a message: parts of ours must not run together. */
static const struct json *joined(struct arena *a, const struct json *message)
{
    const struct json *content = json_get(message, STR("content"));
    CLEANUP(strbuf) struct strbuf all = { 0 };

    if (json_type(content) != JSON_ARRAY)
        return message;
    for (const struct json *part = json_first(content); part; part = json_next(part)) {
        struct str text = json_str(a, json_get(part, STR("text")));

        if (text.len && all.len)
            strbuf_addstr(&all, "\n\n");
        strbuf_add(&all, text.ptr, text.len);
    }
    return json_with(a, message, STR("content"), json_string_copy(a, strbuf_str(&all)));
}

static const struct json *shape_messages(struct arena *a, const struct json *in UNUSED,
                                         const struct json *value)
{
    struct json *messages = json_array(a);

    if (json_type(value) != JSON_ARRAY)
        return NULL;
    for (const struct json *m = json_first(value); m; m = json_next(m))
        json_push(a, messages, joined(a, m));
    return gemini_messages(a, messages);
}

/* Means ---------------------------------------------------------------------------------------- */

#define OUT "hookSpecificOutput."

static const struct agent_means
    say = { .words = "`systemMessage`", .members = { { "systemMessage", VALUE_TEXT, NULL } } },
    stop = { .words = "`continue: false`",
             .members = { { "continue", VALUE_FALSE, NULL }, { "stopReason", VALUE_TEXT, NULL } } },
    deny = { .words = "`decision: deny`",
             .members = { { "decision", VALUE_WORD, "deny" }, { "reason", VALUE_TEXT, NULL } } },
    ask = { .words = "`decision: ask`",
            .waits = true,
            .members = { { "decision", VALUE_WORD, "ask" }, { "reason", VALUE_TEXT, NULL } } },
    input = { .words = "`tool_input`", .members = { { OUT "tool_input", VALUE_CHANGED, NULL } } },
    as_reason = { .words = "as the reason of `decision: deny`",
                  .alone = true,
                  .members = { { "decision", VALUE_WORD, "deny" },
                               { "reason", VALUE_TEXT, NULL } } },
    request = { .words = "`llm_request.messages`",
                .members = { { OUT "llm_request.messages", VALUE_CHANGED, NULL } } },
    context = { .words = "`additionalContext`",
                .members = { { OUT "additionalContext", VALUE_TEXT, NULL } } },
    /* The hook context-injector places what waits, by changing the messages. */
    placed = { .words = "`llm_request.messages`", .later = true },
    later = { .words = "at the next `BeforeModel`", .later = true };

static const struct agent_event events[] = {
    { .name = "SessionStart",
      .point = POINT_SESSION_CREATED,
      .data = data_start,
      .says = { [PART_INJECT] = &context, [PART_SAY] = &say } },
    { .name = "BeforeAgent",
      .point = POINT_CHAT_MESSAGE,
      .data = data_prompt,
      .says = { [PART_BLOCK] = &deny,
                [PART_STOP] = &stop,
                [PART_INJECT] = &context,
                [PART_SAY] = &say } },
    { .name = "BeforeModel",
      .point = POINT_MESSAGES_TRANSFORM,
      .data = data_request,
      .field = "messages",
      .shape = shape_messages,
      .says = { [PART_BLOCK] = &deny,
                [PART_STOP] = &stop,
                [PART_CHANGE] = &request,
                [PART_INJECT] = &placed,
                [PART_SAY] = &say } },
    { .name = "BeforeTool",
      .point = POINT_TOOL_EXECUTE_BEFORE,
      .data = data_tool,
      .field = "args",
      .shape = shape_args,
      .says = { [PART_BLOCK] = &deny,
                [PART_ASK] = &ask,
                [PART_STOP] = &stop,
                [PART_CHANGE] = &input,
                [PART_INJECT] = &later,
                [PART_SAY] = &say } },
    { .name = "AfterTool",
      .point = POINT_TOOL_EXECUTE_AFTER,
      .data = data_result,
      .field = "output",
      .says = { [PART_BLOCK] = &deny,
                [PART_STOP] = &stop,
                [PART_CHANGE] = &as_reason,
                [PART_INJECT] = &context,
                [PART_SAY] = &say } },
    { .name = "AfterAgent",
      .point = POINT_AGENT_STOP,
      .data = data_stop,
      .says = { [PART_STOP] = &stop, [PART_CONTINUE] = &deny, [PART_SAY] = &say } },
    { .name = "PreCompress",
      .point = POINT_SESSION_COMPACTING,
      .data = data_compress,
      .says = { [PART_SAY] = &say } },
    { .name = "Notification",
      .point = POINT_NOTIFICATION,
      .data = data_notification,
      .says = { [PART_SAY] = &say } },
    { .name = "SessionEnd",
      .point = POINT_SESSION_ENDED,
      .data = data_end,
      .says = { [PART_SAY] = &say } },
};

static const char *const others[] = { "BeforeToolSelection", "AfterModel", NULL };

const struct dialect_agent gemini_agent = {
    .title = "Gemini CLI",
    .tells_turns = true,
    .system = TOOLS_GEMINI,
    .events = events,
    .event_count = ARRAY_LEN(events),
    .others = others,
    .alarm = &stop,
};
