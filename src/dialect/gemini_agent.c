/*
 * gemini_agent.c - answering Gemini CLI: its events, and which member of an answer says what.
 *
 * Tests: tests/unit/dialect/test_gemini_agent.c, tests/e2e/test_answer.py; docs/agents/gemini.md
 */
#include "dialect/agent_table.h"
#include "dialect/gemini_payload.h"

/* Reading -------------------------------------------------------------------------------------- */

static const struct json *data_stop(struct arena *a, const struct dialect_agent *ag UNUSED,
                                    const struct json *in)
{
    struct json *messages = json_array(a);

    agent_push_message(a, messages, "user", json_get(in, STR("prompt")));
    agent_push_message(a, messages, "assistant", json_get(in, STR("prompt_response")));
    return agent_stop_data(a, in, messages);
}

/* The texts of the conversation: all that hooks are shown, and all that they can change. */
static const struct json *data_request(struct arena *a, const struct dialect_agent *ag UNUSED,
                                       const struct json *in)
{
    const struct json *request = json_get(in, STR("llm_request"));
    struct json *data = json_object(a);

    json_add(a, data, STR("messages"),
             gemini_messages_back(a, NULL, json_get(request, STR("messages"))));
    agent_copy(a, data, STR("model"), request, STR("model"));
    json_add(a, data, STR("purpose"), json_cstring(a, "main"));
    return data;
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

static const struct json *data_result(struct arena *a, const struct dialect_agent *ag,
                                      const struct json *in)
{
    const struct json *response = json_get(in, STR("tool_response"));
    const struct json *content = json_get(response, STR("llmContent"));
    const struct json *error = json_get(response, STR("error"));
    struct json *data = agent_tool_data(a, ag, in, response);
    CLEANUP(strbuf) struct strbuf text = { 0 };

    add_content(a, &text, content);
    json_add(a, data, STR("output"),
             text.len || !content ? json_string_copy(a, strbuf_str(&text))
                                  : json_cstring(a, json_text(a, content)));
    agent_copy(a, data, STR("title"), response, STR("returnDisplay"));
    json_add(a, data, STR("success"),
             json_bool(a, json_type(error) == JSON_ABSENT || json_type(error) == JSON_NULL));
    return data;
}

/* Gemini announces a compaction before every request, whether it comes or not. */
static const struct json *data_compress(struct arena *a, const struct dialect_agent *ag UNUSED,
                                        const struct json *in)
{
    struct json *data = json_object(a);

    agent_copy(a, data, STR("trigger"), in, STR("trigger"));
    return data;
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

static const struct json *shape_messages(struct arena *a, const struct dialect_agent *ag UNUSED,
                                         const struct json *in UNUSED, const struct json *value)
{
    struct json *messages = json_array(a);

    if (json_type(value) != JSON_ARRAY)
        return NULL;
    for (const struct json *m = json_first(value); m; m = json_next(m))
        json_push(a, messages, joined(a, m));
    return gemini_messages(a, messages);
}

/* Means ---------------------------------------------------------------------------------------- */

#define OUT AGENT_OUT

static const struct agent_means
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
    /* The hook context-injector places what waits, by changing the messages. */
    placed = { .words = "`llm_request.messages`", .later = true },
    later = { .words = "at the next `BeforeModel`", .later = true };

static const struct agent_event events[] = {
    { .name = "SessionStart",
      .point = POINT_SESSION_CREATED,
      .data = agent_data_start,
      .says = { [PART_INJECT] = &agent_context, [PART_SAY] = &agent_say } },
    { .name = "BeforeAgent",
      .point = POINT_CHAT_MESSAGE,
      .data = agent_data_prompt,
      .says = { [PART_BLOCK] = &deny,
                [PART_STOP] = &agent_stop,
                [PART_INJECT] = &agent_context,
                [PART_SAY] = &agent_say } },
    { .name = "BeforeModel",
      .point = POINT_MESSAGES_TRANSFORM,
      .data = data_request,
      .field = "messages",
      .shape = shape_messages,
      .says = { [PART_BLOCK] = &deny,
                [PART_STOP] = &agent_stop,
                [PART_CHANGE] = &request,
                [PART_INJECT] = &placed,
                [PART_SAY] = &agent_say } },
    { .name = "BeforeTool",
      .point = POINT_TOOL_EXECUTE_BEFORE,
      .data = agent_data_tool,
      .field = "args",
      .shape = agent_shape_args,
      .says = { [PART_BLOCK] = &deny,
                [PART_ASK] = &ask,
                [PART_STOP] = &agent_stop,
                [PART_CHANGE] = &input,
                [PART_INJECT] = &later,
                [PART_SAY] = &agent_say } },
    { .name = "AfterTool",
      .point = POINT_TOOL_EXECUTE_AFTER,
      .data = data_result,
      .field = "output",
      .says = { [PART_BLOCK] = &deny,
                [PART_STOP] = &agent_stop,
                [PART_CHANGE] = &as_reason,
                [PART_INJECT] = &agent_context,
                [PART_SAY] = &agent_say } },
    { .name = "AfterAgent",
      .point = POINT_AGENT_STOP,
      .data = data_stop,
      .says = { [PART_STOP] = &agent_stop, [PART_CONTINUE] = &deny, [PART_SAY] = &agent_say } },
    { .name = "PreCompress",
      .point = POINT_SESSION_COMPACTING,
      .data = data_compress,
      .says = { [PART_SAY] = &agent_say } },
    { .name = "Notification",
      .point = POINT_NOTIFICATION,
      .data = agent_data_notification,
      .says = { [PART_SAY] = &agent_say } },
    { .name = "SessionEnd",
      .point = POINT_SESSION_ENDED,
      .data = agent_data_end,
      .says = { [PART_SAY] = &agent_say } },
};

static const char *const others[] = { "BeforeToolSelection", "AfterModel", NULL };

const struct dialect_agent gemini_agent = {
    .title = "Gemini CLI",
    .tells_turns = true,
    .system = TOOLS_GEMINI,
    .events = events,
    .event_count = ARRAY_LEN(events),
    .others = others,
    .alarm = &agent_stop,
};
