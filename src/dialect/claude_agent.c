/*
 * claude_agent.c - answering Claude Code: its events, and which member of an answer says what.
 *
 * Tests: tests/unit/dialect/test_claude_agent.c, tests/e2e/test_answer.py; docs/agents/claude.md
 */
#include "dialect/claude_agent.h"

/* Reading -------------------------------------------------------------------------------------- */

static void copy(struct arena *a, struct json *data, struct str name, const struct json *in,
                 struct str from)
{
    const struct json *value = json_get(in, from);

    if (json_type(value) == JSON_STRING)
        json_add(a, data, name, value);
}

/* A session that goes on from another one had its first message already. */
const struct json *claude_data_start(struct arena *a, const struct json *in)
{
    const struct json *source = json_get(in, STR("source"));
    struct json *data = json_object(a);

    if (str_is(json_str(a, source), "fork"))
        source = json_cstring(a, "resume");
    json_add(a, data, STR("source"),
             json_type(source) == JSON_STRING ? source : json_cstring(a, "startup"));
    copy(a, data, STR("model"), in, STR("model"));
    return data;
}

const struct json *claude_data_subagent(struct arena *a, const struct json *in UNUSED)
{
    return json_with(a, NULL, STR("source"), json_cstring(a, "subagent"));
}

const struct json *claude_data_prompt(struct arena *a, const struct json *in)
{
    struct json *message = json_object(a);

    copy(a, message, STR("text"), in, STR("prompt"));
    json_add(a, message, STR("internal"), json_bool(a, false));
    return json_with(a, NULL, STR("message"), message);
}

const struct json *claude_data_tool(struct arena *a, enum tools_system system,
                                    const struct json *in)
{
    return agent_tool_data(a, system, in, NULL);
}

/* How often is for whoever answers to count: the agent only says whether. */
const struct json *claude_data_stop(struct arena *a, const struct json *in)
{
    const struct json *said = json_get(in, STR("last_assistant_message"));
    struct json *data = json_object(a), *messages = json_array(a), *message = json_object(a);

    if (json_type(said) == JSON_STRING) {
        json_add(a, message, STR("role"), json_cstring(a, "assistant"));
        json_add(a, message, STR("content"), said);
        json_push(a, messages, message);
    }
    json_add(a, data, STR("messages"), messages);
    json_add(a, data, STR("continuations"),
             json_int(a, json_is_true(json_get(in, STR("stop_hook_active")))));
    json_add(a, data, STR("status"), json_with(a, NULL, STR("type"), json_cstring(a, "idle")));
    return data;
}

const struct json *claude_data_compact(struct arena *a, const struct json *in)
{
    struct json *data = json_object(a);

    copy(a, data, STR("trigger"), in, STR("trigger"));
    copy(a, data, STR("prompt"), in, STR("custom_instructions"));
    copy(a, data, STR("summary"), in, STR("compact_summary"));
    return data;
}

const struct json *claude_data_end(struct arena *a, const struct json *in)
{
    struct json *data = json_object(a);

    copy(a, data, STR("reason"), in, STR("reason"));
    return data;
}

/* What tools answer ---------------------------------------------------------------------------- */

/* Where tools keep the text that the model reads, the first that is a text. */
static const char *const places[] = {
    "", "/stdout", "/file/content", "/content", "/result", "/text", NULL,
};

/* The same of a part in a list of them, as MCP servers and subagents answer. */
static const char *const part_places[] = { "", "/text", "/resource/text", NULL };

static const char *text_place(const struct json *j, const char *const *at)
{
    while (*at && json_type(json_pointer(j, *at)) != JSON_STRING)
        at++;
    return *at;
}

/* `j` with another value at the pointer, which is there and leads through no list. */
static const struct json *put_at(struct arena *a, const struct json *j, struct str pointer,
                                 const struct json *value)
{
    struct str key;

    if (pointer.len == 0)
        return value;
    pointer.ptr++;
    pointer.len--;
    (void)str_cut(&pointer, '/', &key);
    pointer = str_is_set(pointer) ? (struct str){ pointer.ptr - 1, pointer.len + 1 } : pointer;
    return json_with(a, j, key, put_at(a, json_get(j, key), pointer, value));
}

static void add_lines(struct strbuf *all, struct str text)
{
    if (text.len && all->len && all->buf[all->len - 1] != '\n')
        strbuf_addch(all, '\n');
    strbuf_add(all, text.ptr, text.len);
}

/* What a command wrote to standard error is read by the model, too. */
static const struct json *with_errors(struct arena *a, const struct json *response,
                                      const struct json *text)
{
    struct str err = json_str(a, json_get(response, STR("stderr")));
    CLEANUP(strbuf) struct strbuf all = { 0 };

    if (err.len == 0)
        return text;
    add_lines(&all, json_str(a, text));
    add_lines(&all, err);
    return json_string_copy(a, strbuf_str(&all));
}

/* Parts ---------------------------------------------------------------------------------------- */

/* The list of parts in an answer; NULL: there is none, or no text in it. */
static const struct json *parts_of(const struct json *response)
{
    const struct json *list =
        json_type(response) == JSON_ARRAY ? response : json_get(response, STR("content"));

    if (json_type(list) != JSON_ARRAY)
        return NULL;
    for (const struct json *part = json_first(list); part; part = json_next(part))
        if (text_place(part, part_places))
            return list;
    return NULL;
}

/* What a server answers twice, as text and as data: some agents show models the one, some both. */
static const struct json *data_beside(struct arena *a, const struct json *response, struct str text)
{
    const struct json *data = json_get(response, STR("structuredContent")), *same;

    if (json_type(data) == JSON_ABSENT || json_type(data) == JSON_NULL)
        return NULL;
    if (json_parse(a, text, NULL, &same, NULL) == 0 && json_equal(same, data))
        return NULL;
    return data;
}

/* Every text of them: what a hook is not shown it can't refuse. */
static const struct json *parts_text(struct arena *a, const struct json *response,
                                     const struct json *parts)
{
    CLEANUP(strbuf) struct strbuf all = { 0 };
    const struct json *data;

    for (const struct json *part = json_first(parts); part; part = json_next(part)) {
        const char *place = text_place(part, part_places);

        add_lines(&all, json_str(a, place ? json_pointer(part, place) : NULL));
    }
    data = data_beside(a, response, strbuf_str(&all));
    if (data)
        add_lines(&all, str_of(json_text(a, data)));
    return json_string_copy(a, strbuf_str(&all));
}

/* One part has all of the text; what else was text goes. */
static const struct json *parts_with(struct arena *a, const struct json *response,
                                     const struct json *parts, const struct json *text)
{
    struct json *list = json_array(a);
    bool said = false;

    for (const struct json *part = json_first(parts); part; part = json_next(part)) {
        const char *place = text_place(part, part_places);

        if (!place)
            json_push(a, list, part);
        else if (!said)
            json_push(a, list, put_at(a, part, str_of(place), text));
        said |= place != NULL;
    }
    if (parts == response)
        return list;
    response = json_merge(a, response, json_with(a, NULL, STR("structuredContent"), json_null(a)));
    return json_with(a, response, STR("content"), list);
}

const struct json *claude_response_text(struct arena *a, const struct json *response)
{
    const struct json *parts = parts_of(response);
    const char *place = text_place(response, places);

    if (parts)
        return parts_text(a, response, parts);
    if (!place)
        return json_cstring(a, response ? json_text(a, response) : "");
    if (strcmp(place, "/stdout") == 0)
        return with_errors(a, response, json_pointer(response, place));
    return json_pointer(response, place);
}

const struct json *claude_response_with(struct arena *a, const struct json *response,
                                        const struct json *text)
{
    const struct json *parts = parts_of(response), *whole;
    const char *place = text_place(response, places);

    if (json_type(text) != JSON_STRING)
        return NULL;
    if (parts)
        return parts_with(a, response, parts, text);
    if (!place) { /* it was shown as JSON, and may still be some */
        if (json_parse(a, json_str(a, text), NULL, &whole, NULL) < 0 ||
            json_type(whole) != json_type(response))
            return NULL;
        return whole;
    }
    if (strcmp(place, "/stdout") == 0 && json_get(response, STR("stderr")))
        response = json_with(a, response, STR("stderr"), json_cstring(a, ""));
    return put_at(a, response, str_of(place), text);
}

const struct json *claude_data_result(struct arena *a, enum tools_system system,
                                      const struct json *in)
{
    const struct json *response = json_get(in, STR("tool_response"));
    struct json *data = agent_tool_data(a, system, in, response), *metadata = json_object(a);

    json_add(a, data, STR("output"), claude_response_text(a, response));
    json_add(a, metadata, STR("duration_ms"), json_get(in, STR("duration_ms")));
    json_add(a, data, STR("metadata"), metadata);
    json_add(a, data, STR("success"), json_bool(a, true));
    return data;
}

/* Events of Claude Code alone ------------------------------------------------------------------ */

static const struct json *data_tool(struct arena *a, const struct json *in)
{
    return claude_data_tool(a, TOOLS_CLAUDE, in);
}

/* What a task in the background has to tell comes as a prompt, which nobody typed. */
static const struct json *data_prompt(struct arena *a, const struct json *in)
{
    const struct json *data = claude_data_prompt(a, in), *message = json_get(data, STR("message"));

    if (!str_starts(json_str(a, json_get(in, STR("prompt"))), STR("<task-notification>")))
        return data;
    return json_with(a, data, STR("message"),
                     json_with(a, message, STR("internal"), json_bool(a, true)));
}

static const struct json *data_asked(struct arena *a, const struct json *in)
{
    return json_with(a, data_tool(a, in), STR("why"), json_cstring(a, "Claude Code asks"));
}

static const struct json *data_result(struct arena *a, const struct json *in)
{
    return claude_data_result(a, TOOLS_CLAUDE, in);
}

static const struct json *data_failed(struct arena *a, const struct json *in)
{
    const struct json *error = json_get(in, STR("error"));
    struct json *data = agent_tool_data(a, TOOLS_CLAUDE, in, error);

    json_add(a, data, STR("output"),
             json_type(error) == JSON_STRING ? error : json_cstring(a, "it failed"));
    json_add(a, data, STR("success"), json_bool(a, false));
    return data;
}

static const struct json *data_error(struct arena *a, const struct json *in)
{
    struct json *error = json_object(a);

    copy(a, error, STR("class"), in, STR("error"));
    copy(a, error, STR("message"), in,
         json_get(in, STR("error_details")) ? STR("error_details") : STR("last_assistant_message"));
    return json_with(a, NULL, STR("error"), error);
}

static const struct json *data_notification(struct arena *a, const struct json *in)
{
    struct json *data = json_object(a);

    copy(a, data, STR("kind"), in, STR("notification_type"));
    copy(a, data, STR("message"), in, STR("message"));
    copy(a, data, STR("title"), in, STR("title"));
    return data;
}

static const struct json *shape_args(struct arena *a, const struct json *in,
                                     const struct json *value)
{
    return agent_native_args(a, TOOLS_CLAUDE, in, value);
}

static const struct json *shape_output(struct arena *a, const struct json *in,
                                       const struct json *value)
{
    return claude_response_with(a, json_get(in, STR("tool_response")), value);
}

/* Texts that are to be heeded, as people write them: one, or a list. */
static const struct json *shape_context(struct arena *a, const struct json *in UNUSED,
                                        const struct json *value)
{
    CLEANUP(strbuf) struct strbuf all = { 0 };

    if (json_type(value) == JSON_STRING)
        return value;
    for (const struct json *text = json_first(value); text; text = json_next(text)) {
        struct str words = json_str(a, text);

        if (words.len && all.len)
            strbuf_addstr(&all, "\n\n");
        strbuf_add(&all, words.ptr, words.len);
    }
    return all.len ? json_string_copy(a, strbuf_str(&all)) : NULL;
}

/* Means ---------------------------------------------------------------------------------------- */

#define OUT  "hookSpecificOutput."
#define BARE "printed"

static const struct agent_means
    say = { .words = "`systemMessage`", .members = { { "systemMessage", VALUE_TEXT, NULL } } },
    stop = { .words = "`continue: false`",
             .members = { { "continue", VALUE_FALSE, NULL }, { "stopReason", VALUE_TEXT, NULL } } },
    /* It is taken no notice of there; at the `brake` and at a prompt it is. */
    stop_later = { .words = "`continue: false` later",
                   .members = { { "continue", VALUE_FALSE, NULL },
                                { "stopReason", VALUE_TEXT, NULL } },
                   .later = true },
    /* The tool must not run while the session ends. */
    stop_tool = { .words = "`continue: false`",
                  .members = { { "continue", VALUE_FALSE, NULL },
                               { "stopReason", VALUE_TEXT, NULL },
                               { OUT "permissionDecision", VALUE_WORD, "deny" },
                               { OUT "permissionDecisionReason", VALUE_TEXT, NULL } } },
    block = { .words = "`decision: block`",
              .members = { { "decision", VALUE_WORD, "block" }, { "reason", VALUE_TEXT, NULL } } },
    /* By itself a block only adds its reason to the output. */
    block_beside = { .words = "`decision: block`",
                     .beside = true,
                     .members = { { "decision", VALUE_WORD, "block" },
                                  { "reason", VALUE_TEXT, NULL } } },
    block_output = { .words = "`decision: block` and `updatedToolOutput`",
                     .beside = true,
                     .members = { { "decision", VALUE_WORD, "block" },
                                  { "reason", VALUE_TEXT, NULL },
                                  { OUT "updatedToolOutput", VALUE_SHAPED, NULL } } },
    deny = { .words = "`permissionDecision: deny`",
             .members = { { OUT "permissionDecision", VALUE_WORD, "deny" },
                          { OUT "permissionDecisionReason", VALUE_TEXT, NULL } } },
    ask = { .words = "`permissionDecision: ask`",
            .members = { { OUT "permissionDecision", VALUE_WORD, "ask" },
                         { OUT "permissionDecisionReason", VALUE_TEXT, NULL } } },
    allow = { .words = "`permissionDecision: allow`",
              .members = { { OUT "permissionDecision", VALUE_WORD, "allow" },
                           { OUT "permissionDecisionReason", VALUE_TEXT, NULL } } },
    refuse = { .words = "`decision.behavior: deny`",
               .members = { { OUT "decision.behavior", VALUE_WORD, "deny" },
                            { OUT "decision.message", VALUE_TEXT, NULL } } },
    consent = { .words = "`decision.behavior: allow`",
                .members = { { OUT "decision.behavior", VALUE_WORD, "allow" } } },
    it_asks = { .words = "it asks anyway" },
    input = { .words = "`updatedInput`",
              .members = { { OUT "updatedInput", VALUE_CHANGED, NULL } } },
    output = { .words = "`updatedToolOutput`",
               .members = { { OUT "updatedToolOutput", VALUE_CHANGED, NULL },
                            { OUT "updatedMCPToolOutput", VALUE_MCP, NULL } } },
    printed = { .words = "`context`, as text", .members = { { BARE, VALUE_CHANGED, NULL } } },
    context = { .words = "`additionalContext`",
                .members = { { OUT "additionalContext", VALUE_TEXT, NULL } } };

static const struct agent_event events[] = {
    { .name = "SessionStart",
      .point = POINT_SESSION_CREATED,
      .data = claude_data_start,
      .says = { [PART_STOP] = &stop_later, [PART_INJECT] = &context, [PART_SAY] = &say } },
    { .name = "SubagentStart",
      .point = POINT_SESSION_CREATED,
      .sub = true,
      .data = claude_data_subagent,
      .says = { [PART_STOP] = &stop_later, [PART_INJECT] = &context, [PART_SAY] = &say } },
    { .name = "UserPromptSubmit",
      .point = POINT_CHAT_MESSAGE,
      .data = data_prompt,
      .says = { [PART_BLOCK] = &block,
                [PART_STOP] = &stop,
                [PART_INJECT] = &context,
                [PART_SAY] = &say } },
    { .name = "PreToolUse",
      .point = POINT_TOOL_EXECUTE_BEFORE,
      .data = data_tool,
      .field = "args",
      .shape = shape_args,
      .says = { [PART_BLOCK] = &deny,
                [PART_ASK] = &ask,
                [PART_ALLOW] = &allow,
                [PART_STOP] = &stop_tool,
                [PART_CHANGE] = &input,
                [PART_INJECT] = &context,
                [PART_SAY] = &say } },
    { .name = "PermissionRequest",
      .point = POINT_PERMISSION_ASK,
      .data = data_asked,
      .says = { [PART_BLOCK] = &refuse,
                [PART_ASK] = &it_asks,
                [PART_ALLOW] = &consent,
                [PART_SAY] = &say } },
    { .name = "PostToolUse",
      .point = POINT_TOOL_EXECUTE_AFTER,
      .data = data_result,
      .field = "output",
      .shape = shape_output,
      .refuge = PART_STOP,
      .says = { [PART_BLOCK] = &block_output,
                [PART_STOP] = &stop,
                [PART_CHANGE] = &output,
                [PART_INJECT] = &context,
                [PART_SAY] = &say } },
    { .name = "PostToolUseFailure",
      .point = POINT_TOOL_EXECUTE_AFTER,
      .data = data_failed,
      .refuge = PART_STOP,
      .says = { [PART_BLOCK] = &block_beside,
                [PART_STOP] = &stop_later,
                [PART_INJECT] = &context,
                [PART_SAY] = &say } },
    { .name = "Stop",
      .point = POINT_AGENT_STOP,
      .data = claude_data_stop,
      .says = { [PART_STOP] = &stop, [PART_CONTINUE] = &block, [PART_SAY] = &say } },
    { .name = "SubagentStop",
      .point = POINT_AGENT_STOP,
      .sub = true,
      .data = claude_data_stop,
      .says = { [PART_STOP] = &stop, [PART_CONTINUE] = &block, [PART_SAY] = &say } },
    { .name = "StopFailure", .point = POINT_AGENT_ERROR, .data = data_error },
    { .name = "PreCompact",
      .point = POINT_SESSION_COMPACTING,
      .data = claude_data_compact,
      .field = "context",
      .shape = shape_context,
      .bare = BARE, /* it goes into the prompt of the compaction */
      .says = { [PART_BLOCK] = &block, [PART_CHANGE] = &printed } },
    { .name = "PostCompact",
      .point = POINT_SESSION_COMPACTED,
      .data = claude_data_compact,
      .says = { [PART_SAY] = &say } },
    { .name = "Notification", .point = POINT_NOTIFICATION, .data = data_notification },
    { .name = "SessionEnd", .point = POINT_SESSION_ENDED, .data = claude_data_end },
};

static const char *const others[] = {
    "Setup",          "UserPromptExpansion", "PermissionDenied",  "PostToolBatch",
    "MessageDisplay", "TaskCreated",         "TaskCompleted",     "TeammateIdle",
    "ConfigChange",   "InstructionsLoaded",  "CwdChanged",        "DirectoryAdded",
    "FileChanged",    "WorktreeCreate",      "WorktreeRemove",    "Elicitation",
    "PreModelSwitch", "PostModelSwitch",     "ElicitationResult", NULL,
};

const struct dialect_agent claude_agent = {
    .title = "Claude Code",
    .system = TOOLS_CLAUDE,
    .events = events,
    .event_count = ARRAY_LEN(events),
    .others = others,
    .alarm = &stop,
    .mute = "WorktreeCreate", /* takes whatever is printed for a path */
    .brake = "PostToolBatch", /* before the model is asked again */
};
