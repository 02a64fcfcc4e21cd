#include "dialect/kodelet_payload.h"

#include "base/clock.h"
#include "dialect/talk.h"
#include "hook/tools.h"

const char *kodelet_event(enum point point)
{
    static const char *const events[POINT_COUNT] = {
        [POINT_TOOL_EXECUTE_BEFORE] = "before_tool_call",
        [POINT_TOOL_EXECUTE_AFTER] = "after_tool_call",
        [POINT_CHAT_MESSAGE] = "user_message_send",
        [POINT_TURN_AFTER] = "after_turn",
        [POINT_AGENT_STOP] = "agent_stop",
    };

    return events[point];
}

bool kodelet_is_turn_end(const char *as)
{
    return as && strcmp(as, "turn_end") == 0;
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

/* Kodelet leaves out a text that is empty. */
static void add_unless_empty(struct payload *p, struct str key, const char *text)
{
    if (text && text[0])
        add(p, key, json_cstring(p->arena, text));
}

static const struct json *or_empty(struct arena *a, const struct json *text)
{
    return json_type(text) == JSON_STRING ? text : json_cstring(a, "");
}

static void add_base(struct payload *p, const char *name)
{
    const struct session *s = &p->event->session;
    const char *by = s->invoked_by ? s->invoked_by : s->parent ? "subagent" : "main";

    add(p, STR("event"), json_cstring(p->arena, name));
    add(p, STR("conv_id"), json_cstring(p->arena, s->id ? s->id : ""));
    add(p, STR("cwd"), json_cstring(p->arena, s->cwd ? s->cwd : ""));
    add(p, STR("invoked_by"), json_cstring(p->arena, by));
    add_unless_empty(p, STR("recipe_name"), s->recipe);
}

const struct json *kodelet_tool_input(struct arena *a, const struct event *ev)
{
    const struct json *args = event_data(ev, STR("args"));

    if (!args)
        return json_object(a);
    return tools_to_theirs(a, TOOLS_KODELET, event_tool(a, ev), args);
}

static struct str tool_name(struct arena *a, const struct event *ev)
{
    return tools_name(TOOLS_KODELET, TOOLS_THEIRS, event_tool(a, ev));
}

static void add_tool(struct payload *p)
{
    struct arena *a = p->arena;

    add(p, STR("tool_name"), json_string(a, tool_name(a, p->event)));
    add(p, STR("tool_input"), kodelet_tool_input(a, p->event));
    add(p, STR("tool_user_id"), or_empty(a, event_data(p->event, STR("call_id"))));
}

static const struct json *output_text(struct arena *a, const struct event *ev)
{
    const struct json *output = event_data(ev, STR("output"));

    if (json_type(output) == JSON_STRING)
        return output;
    return json_cstring(a, output ? json_text(a, output) : "");
}

static bool has_failed(const struct event *ev)
{
    const struct json *success = event_data(ev, STR("success"));

    return json_type(success) == JSON_BOOL && !json_is_true(success);
}

/* Ours, with the members Kodelet's renderers of shell commands and files look for. */
static const struct json *tool_metadata(struct arena *a, const struct event *ev)
{
    const struct json *was = event_data(ev, STR("metadata"));
    const struct json *code = json_get(was, STR("exit_code")), *args = kodelet_tool_input(a, ev);
    const struct json *path = json_get(args, STR("file_path")), *m = was;

    if (json_type(m) != JSON_OBJECT)
        m = json_object(a);
    m = json_with(a, m, STR("output"), output_text(a, ev));
    if (path)
        m = json_with(a, m, STR("filePath"), path);
    if (!str_is(tool_name(a, ev), "bash"))
        return m;
    m = json_with(a, m, STR("command"), or_empty(a, json_get(args, STR("command"))));
    m = json_with(a, m, STR("exitCode"), code ? code : json_int(a, has_failed(ev)));
    if (!json_get(m, STR("executionTime")))
        m = json_with(a, m, STR("executionTime"), json_int(a, 0));
    if (ev->session.cwd)
        m = json_with(a, m, STR("workingDir"), json_cstring(a, ev->session.cwd));
    return m;
}

const struct json *kodelet_tool_output(struct arena *a, const struct event *ev)
{
    const struct json *name = json_string(a, tool_name(a, ev));
    struct json *out = json_object(a);
    char now[CLOCK_TEXT_SIZE];

    clock_format(clock_wall_ms(), now);
    json_add(a, out, STR("toolName"), name);
    json_add(a, out, STR("success"), json_bool(a, !has_failed(ev)));
    if (has_failed(ev))
        json_add(a, out, STR("error"), output_text(a, ev));
    json_add(a, out, STR("metadataType"), name);
    json_add(a, out, STR("metadata"), tool_metadata(a, ev));
    json_add(a, out, STR("timestamp"), json_cstring(a, arena_strdup(a, now)));
    return out;
}

static void push_message(struct arena *a, struct json *list, struct str role,
                         const struct json *content)
{
    struct json *m = json_object(a);

    json_add(a, m, STR("role"), json_string(a, role));
    json_add(a, m, STR("content"), content);
    json_push(a, list, m);
}

static struct str text_of(struct arena *a, const struct json *j)
{
    if (json_type(j) == JSON_STRING)
        return json_str(a, j);
    return str_of(j ? json_text(a, j) : "");
}

static void push_said(struct arena *a, struct json *list, const char *head, const struct json *j)
{
    struct str text = text_of(a, j);
    CLEANUP(strbuf) struct strbuf all = { 0 };

    strbuf_addstr(&all, head);
    strbuf_add(&all, text.ptr, text.len);
    push_message(a, list, STR("assistant"), json_string_copy(a, strbuf_str(&all)));
}

/* Each part is a message of its own, and all but plain text is said by the assistant. */
static void push_part(struct arena *a, struct json *list, struct str role, const struct json *part)
{
    struct str type = json_str(a, json_get(part, STR("type")));
    struct str tool = json_str(a, json_get(part, STR("tool")));
    struct str name = tools_name(TOOLS_KODELET, TOOLS_THEIRS, tool);
    const struct json *args = json_get(part, STR("args")), *text = json_get(part, STR("text"));
    const struct json *output = json_get(part, STR("output"));

    if (str_is(type, "tool_call"))
        push_said(a, list, arena_printf(a, "🔧 Using tool: %.*s with input: ", STR_ARG(name)),
                  args ? tools_to_theirs(a, TOOLS_KODELET, tool, args) : json_object(a));
    else if (str_is(type, "tool_result"))
        push_said(a, list, "🔄 Tool result:\n", output ? output : text);
    else if (str_is(type, "reasoning"))
        push_said(a, list, "💭 Thinking: ", text);
    else if (json_type(text) == JSON_STRING)
        push_message(a, list, role, text);
}

static void add_messages(struct payload *p)
{
    const struct json *messages = event_data(p->event, STR("messages"));
    struct json *list = json_array(p->arena);

    for (const struct json *m = json_first(messages); m; m = json_next(m)) {
        const struct json *content = json_get(m, STR("content"));
        struct str role = json_str(p->arena, json_get(m, STR("role")));

        if (json_type(content) != JSON_ARRAY)
            push_message(p->arena, list, role, json_string(p->arena, text_of(p->arena, content)));
        else
            for (const struct json *part = json_first(content); part; part = json_next(part))
                push_part(p->arena, list, role, part);
    }
    add(p, STR("messages"), list);
}

static void add_usage(struct payload *p)
{
    static const char *const counts[] = {
        "input_tokens",
        "output_tokens",
        "current_context_window",
        "max_context_window",
    };
    const struct json *usage = event_data(p->event, STR("usage"));
    struct json *out = json_object(p->arena);

    if (json_type(usage) != JSON_OBJECT)
        usage = p->event->session.usage;
    for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
        const struct json *n = json_get(usage, str_of(counts[i]));

        json_add(p->arena, out, str_of(counts[i]),
                 json_type(n) == JSON_NUMBER ? n : json_int(p->arena, 0));
    }
    add(p, STR("usage"), out);
}

static void add_compaction(struct payload *p)
{
    const struct json *compact = event_data(p->event, STR("auto_compact"));
    const struct json *threshold = json_get(compact, STR("threshold"));

    add_unless_empty(p, STR("invoked_recipe"), p->event->session.recipe);
    add(p, STR("auto_compact_enabled"),
        json_bool(p->arena, json_is_true(json_get(compact, STR("enabled")))));
    if (json_type(threshold) == JSON_NUMBER)
        add(p, STR("auto_compact_threshold"), threshold);
}

/* All that `turn_end` has, and `after_turn` has too. */
static void add_turn_end(struct payload *p)
{
    const struct json *turn = event_data(p->event, STR("turn"));

    add(p, STR("turn_number"),
        json_type(turn) == JSON_NUMBER ? turn : json_int(p->arena, p->event->turn));
    add(p, STR("response"), or_empty(p->arena, event_data(p->event, STR("response"))));
}

static void add_turn(struct payload *p)
{
    const struct json *tools = event_data(p->event, STR("tools_used"));
    const struct json *response = event_data(p->event, STR("response"));
    bool used = json_is_true(tools) || (json_type(tools) == JSON_ARRAY && json_count(tools) > 0);

    add(p, STR("tools_used"), json_bool(p->arena, used));
    add_unless_empty(p, STR("last_assistant_content"), json_cstr(p->arena, response));
    add_turn_end(p);
}

const struct json *kodelet_payload(struct arena *a, const struct event *ev, const char *as)
{
    struct payload p = { a, ev, json_object(a) };
    enum point point = ev->point;

    add_base(&p, kodelet_is_turn_end(as) ? as : kodelet_event(point));
    if (kodelet_is_turn_end(as)) {
        add_turn_end(&p);
        return p.json;
    }
    if (point == POINT_TOOL_EXECUTE_BEFORE || point == POINT_TOOL_EXECUTE_AFTER)
        add_tool(&p);
    if (point == POINT_TOOL_EXECUTE_AFTER)
        add(&p, STR("tool_output"), kodelet_tool_output(a, ev));
    if (point == POINT_CHAT_MESSAGE)
        add(&p, STR("message"), or_empty(a, talk_prompt(a, ev)));
    if (point == POINT_TURN_AFTER)
        add_turn(&p);
    if (point == POINT_TURN_AFTER || point == POINT_AGENT_STOP) {
        add_messages(&p);
        add_usage(&p);
        add_compaction(&p);
    }
    return p.json;
}
