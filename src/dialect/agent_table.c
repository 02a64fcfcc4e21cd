/* What the tables of agents share. */
#include "dialect/agent_table.h"

/* Reading -------------------------------------------------------------------------------------- */

void agent_copy(struct arena *a, struct json *data, struct str name, const struct json *in,
                struct str from)
{
    const struct json *value = json_get(in, from);

    if (json_type(value) == JSON_STRING)
        json_add(a, data, name, value);
}

/* A session that goes on from another one had its first message already. */
const struct json *agent_data_start(struct arena *a, const struct dialect_agent *ag UNUSED,
                                    const struct json *in)
{
    const struct json *source = json_get(in, STR("source"));
    struct json *data = json_object(a);

    if (str_is(json_str(a, source), "fork"))
        source = json_cstring(a, "resume");
    json_add(a, data, STR("source"),
             json_type(source) == JSON_STRING ? source : json_cstring(a, "startup"));
    agent_copy(a, data, STR("model"), in, STR("model"));
    return data;
}

const struct json *agent_data_prompt(struct arena *a, const struct dialect_agent *ag UNUSED,
                                     const struct json *in)
{
    struct json *message = json_object(a);

    agent_copy(a, message, STR("text"), in, STR("prompt"));
    json_add(a, message, STR("internal"), json_bool(a, false));
    return json_with(a, NULL, STR("message"), message);
}

const struct json *agent_data_notification(struct arena *a, const struct dialect_agent *ag UNUSED,
                                           const struct json *in)
{
    struct json *data = json_object(a);

    agent_copy(a, data, STR("kind"), in, STR("notification_type"));
    agent_copy(a, data, STR("message"), in, STR("message"));
    agent_copy(a, data, STR("title"), in, STR("title"));
    json_add(a, data, STR("details"), json_get(in, STR("details")));
    return data;
}

const struct json *agent_data_end(struct arena *a, const struct dialect_agent *ag UNUSED,
                                  const struct json *in)
{
    struct json *data = json_object(a);

    agent_copy(a, data, STR("reason"), in, STR("reason"));
    return data;
}

void agent_push_message(struct arena *a, struct json *list, const char *role,
                        const struct json *content)
{
    struct json *m = json_object(a);

    if (json_type(content) != JSON_STRING)
        return;
    json_add(a, m, STR("role"), json_cstring(a, role));
    json_add(a, m, STR("content"), content);
    json_push(a, list, m);
}

const struct json *agent_stop_data(struct arena *a, const struct json *in,
                                   const struct json *messages)
{
    struct json *data = json_object(a);

    json_add(a, data, STR("messages"), messages);
    json_add(a, data, STR("continuations"),
             json_int(a, json_is_true(json_get(in, STR("stop_hook_active")))));
    json_add(a, data, STR("status"), json_with(a, NULL, STR("type"), json_cstring(a, "idle")));
    return data;
}

/* Tools ---------------------------------------------------------------------------------------- */

struct json *agent_tool_data(struct arena *a, const struct dialect_agent *ag, const struct json *in,
                             const struct json *output)
{
    static const struct str kept[] = { STR("mcp_context"), STR("original_request_name") };
    const struct json *name = json_get(in, STR("tool_name")), *input;
    const struct json *call = json_get(in, STR("tool_use_id"));
    struct json *data = json_object(a), *native = json_object(a);
    struct str tool = tools_name(ag->system, TOOLS_OURS, json_str(a, name));

    input = json_get(in, STR("tool_input"));
    json_add(a, native, STR("tool"), name);
    json_add(a, native, STR("args"), input);
    json_add(a, native, STR("output"), output);
    for (size_t i = 0; i < ARRAY_LEN(kept); i++)
        json_add(a, native, kept[i], json_get(in, kept[i]));
    if (json_type(name) == JSON_STRING)
        json_add(a, data, STR("tool"), json_string(a, tool));
    if (json_type(call) == JSON_STRING)
        json_add(a, data, STR("call_id"), call);
    json_add(a, data, STR("args"),
             input ? tools_to_ours(a, ag->system, tool, input, NULL) : json_object(a));
    json_add(a, data, STR("native"), native);
    return data;
}

const struct json *agent_data_tool(struct arena *a, const struct dialect_agent *ag,
                                   const struct json *in)
{
    return agent_tool_data(a, ag, in, NULL);
}

const struct json *agent_data_asked(struct arena *a, const struct dialect_agent *ag,
                                    const struct json *in)
{
    return json_with(a, agent_data_tool(a, ag, in), STR("why"),
                     json_cstring(a, arena_printf(a, "%s asks", ag->title)));
}

/* How the agent spelled the argument that we call `ours`; what it is usually called there. */
static struct str spelled(struct arena *a, enum tools_system system, struct str tool,
                          const struct json *input, struct str ours)
{
    const struct json *one = json_with(a, NULL, ours, json_null(a));

    for (const struct json *m = json_first(input); m; m = json_next(m)) {
        const struct json *alone = json_with(a, NULL, json_key(a, m), json_null(a));

        if (json_get(tools_to_ours(a, system, tool, alone, NULL), ours))
            return json_key(a, m);
    }
    return json_key(a, json_first(tools_to_theirs(a, system, tool, one)));
}

const struct json *agent_shape_args(struct arena *a, const struct dialect_agent *ag,
                                    const struct json *in, const struct json *value)
{
    const struct json *input = json_get(in, STR("tool_input")), *out = json_object(a);
    const struct json *name = json_get(in, STR("tool_name"));
    struct str tool = tools_name(ag->system, TOOLS_OURS, json_str(a, name));

    if (json_type(value) != JSON_OBJECT)
        return NULL;
    for (const struct json *m = json_first(value); m; m = json_next(m))
        out = json_with(a, out, spelled(a, ag->system, tool, input, json_key(a, m)), m);
    return out;
}

/* Means ---------------------------------------------------------------------------------------- */

const struct agent_means agent_say = {
    .words = "`systemMessage`",
    .members = { { "systemMessage", VALUE_TEXT, NULL } },
};

const struct agent_means agent_stop = {
    .words = "`continue: false`",
    .members = { { "continue", VALUE_FALSE, NULL }, { "stopReason", VALUE_TEXT, NULL } },
};

const struct agent_means agent_context = {
    .words = "`additionalContext`",
    .members = { { AGENT_OUT "additionalContext", VALUE_TEXT, NULL } },
};
