#include "dialect/claude_payload.h"

#include "base/path.h"
#include "dialect/talk.h"

/* Values --------------------------------------------------------------------------------------- */

struct payload {
    struct arena *arena;
    const struct event *event;
    enum tools_system system;
};

static const struct json *text(const struct payload *p, const char *words)
{
    return json_cstring(p->arena, words);
}

static const struct json *text_of(const struct payload *p, struct str field, const char *otherwise)
{
    const struct json *j = event_data(p->event, field);

    if (json_type(j) == JSON_STRING)
        return j;
    return otherwise ? text(p, otherwise) : NULL;
}

/* What a system says where it has a text and we do not know it. */
static const struct json *unknown(const struct payload *p)
{
    return p->system == TOOLS_CODEX ? json_null(p->arena) : text(p, "");
}

static const struct json *session_id(const struct payload *p)
{
    return text(p, claude_session_id(p->event));
}

static const struct json *turn_id(const struct payload *p)
{
    return text(p, arena_printf(p->arena, "%s:%u", claude_session_id(p->event), p->event->turn));
}

static const struct json *transcript_path(const struct payload *p)
{
    return unknown(p);
}

static const struct json *cwd(const struct payload *p)
{
    return text(p, p->event->session.cwd ? p->event->session.cwd : "");
}

static const struct json *hook_event_name(const struct payload *p)
{
    return text(p, claude_event_name(claude_event_of(p->system, p->event)));
}

static const struct json *model(const struct payload *p)
{
    const struct json *said = event_data(p->event, STR("model"));

    if (json_type(said) != JSON_STRING)
        said = json_get(event_data(p->event, STR("message")), STR("model"));
    if (json_type(said) == JSON_STRING)
        return said;
    return p->system == TOOLS_CODEX ? text(p, "") : NULL;
}

static const struct json *permission_mode(const struct payload *p)
{
    return text(p, "default");
}

/* A session ID/agent is the subagent `agent` of ID. */
static const struct json *agent_id(const struct payload *p)
{
    const struct session *s = &p->event->session;
    const char *id = s->id ? s->id : "";
    size_t len = s->parent ? strlen(s->parent) : 0;

    if (!s->parent)
        return NULL;
    if (strncmp(id, s->parent, len) == 0 && id[len] == '/')
        id += len + 1;
    return text(p, id);
}

static const struct json *agent_type(const struct payload *p)
{
    const struct session *s = &p->event->session;
    const char *usual = p->system == TOOLS_CODEX ? "default" : "general-purpose";

    if (!s->parent && (p->system == TOOLS_CODEX || !s->agent))
        return NULL;
    return text(p, s->agent ? s->agent : usual);
}

static const struct json *source(const struct payload *p)
{
    return text_of(p, STR("source"), "startup");
}

static const struct json *prompt(const struct payload *p)
{
    const struct json *said = talk_prompt(p->arena, p->event);

    return said ? said : text(p, "");
}

static const struct json *tool_name(const struct payload *p)
{
    struct str tool = event_tool(p->arena, p->event);

    return json_string(p->arena,
                       tools_name(p->system, TOOLS_THEIRS, str_is_set(tool) ? tool : STR("")));
}

static bool is_file_tool(struct str tool)
{
    return str_is(tool, "read") || str_is(tool, "write") || str_is(tool, "edit");
}

const struct json *claude_tool_input(struct arena *a, enum tools_system system,
                                     const struct event *ev)
{
    const struct json *args = event_data(ev, STR("args"));
    struct str tool = event_tool(a, ev), path;

    if (!args)
        return json_object(a);
    args = tools_to_theirs(a, system, tool, args);
    path = json_str(a, json_get(args, STR("file_path")));
    if (!is_file_tool(tool) || path.len == 0 || path.ptr[0] == '/' || !ev->session.cwd ||
        memchr(path.ptr, '\0', path.len))
        return args;
    return json_with(
        a, args, STR("file_path"),
        json_cstring(a, path_normalize(a, path_join(a, ev->session.cwd, arena_cstr(a, path)))));
}

static const struct json *tool_input(const struct payload *p)
{
    return claude_tool_input(p->arena, p->system, p->event);
}

static const struct json *tool_use_id(const struct payload *p)
{
    return text_of(p, STR("call_id"), "");
}

static const struct json *shell_response(struct arena *a, const struct json *output)
{
    struct json *j = json_object(a);

    json_add(a, j, STR("stdout"), output);
    json_add(a, j, STR("stderr"), json_cstring(a, ""));
    json_add(a, j, STR("interrupted"), json_bool(a, false));
    json_add(a, j, STR("isImage"), json_bool(a, false));
    return j;
}

static const struct json *file_response(const struct payload *p, struct str tool,
                                        const struct json *output)
{
    struct arena *a = p->arena;
    const struct json *path = json_get(tool_input(p), STR("file_path"));
    struct json *j = json_object(a), *file = json_object(a);

    if (str_is(tool, "read")) {
        json_add(a, file, STR("filePath"), path);
        json_add(a, file, STR("content"), output);
        json_add(a, j, STR("type"), json_cstring(a, "text"));
        json_add(a, j, STR("file"), file);
    } else {
        json_add(a, j, STR("filePath"), path);
        json_add(a, j, STR("success"), json_bool(a, true));
    }
    return j;
}

/* Claude's tools answer in shapes of their own; a tool that has none answers with its output. */
static const struct json *tool_response(const struct payload *p)
{
    const struct json *output = event_data(p->event, STR("output"));
    struct str tool = event_tool(p->arena, p->event);

    if (!output)
        output = text(p, "");
    if (p->system == TOOLS_CODEX || json_type(output) != JSON_STRING)
        return output;
    if (str_is(tool, "bash"))
        return shell_response(p->arena, output);
    return is_file_tool(tool) ? file_response(p, tool, output) : output;
}

static const struct json *duration_ms(const struct payload *p)
{
    const struct json *n = json_get(event_data(p->event, STR("metadata")), STR("duration_ms"));

    return json_type(n) == JSON_NUMBER ? n : NULL;
}

/* Why a tool or a run failed: a text, or the class of an error. */
static const struct json *error(const struct payload *p)
{
    const struct json *output = event_data(p->event, STR("output"));
    const struct json *class = json_get(event_data(p->event, STR("error")), STR("class"));

    if (p->event->point == POINT_AGENT_ERROR)
        return json_type(class) == JSON_STRING ? class : text(p, "unknown");
    if (json_type(output) == JSON_STRING)
        return output;
    return text(p, output ? json_text(p->arena, output) : "");
}

static const struct json *error_details(const struct payload *p)
{
    const struct json *message = json_get(event_data(p->event, STR("error")), STR("message"));

    return json_type(message) == JSON_STRING ? message : NULL;
}

static const struct json *stop_hook_active(const struct payload *p)
{
    int64_t times = 0;

    if (json_to_int64(event_data(p->event, STR("continuations")), &times) < 0)
        times = 0;
    return json_bool(p->arena, times > 0);
}

static const struct json *last_assistant_message(const struct payload *p)
{
    const struct json *said = talk_last_answer(p->arena, p->event);

    if (said || p->event->point == POINT_AGENT_ERROR)
        return said;
    return unknown(p);
}

static const struct json *empty_list(const struct payload *p)
{
    return json_array(p->arena);
}

/* Ours may be a hook's; they know only people and the engine. */
static const struct json *trigger(const struct payload *p)
{
    struct str said = json_str(p->arena, event_data(p->event, STR("trigger")));

    return text(p, str_is(said, "manual") ? "manual" : "auto");
}

static const struct json *custom_instructions(const struct payload *p)
{
    return text(p, "");
}

static const struct json *compact_summary(const struct payload *p)
{
    return text_of(p, STR("summary"), "");
}

static const struct json *message(const struct payload *p)
{
    return text_of(p, STR("message"), "");
}

static const struct json *title(const struct payload *p)
{
    return text_of(p, STR("title"), NULL);
}

static const struct json *notification_type(const struct payload *p)
{
    return text_of(p, STR("kind"), "");
}

static const struct json *reason(const struct payload *p)
{
    return p->system == TOOLS_CODEX ? text(p, "other") : text_of(p, STR("reason"), "other");
}

/* The table ------------------------------------------------------------------------------------ */

#define AT(event) CLAUDE_AT(event)
#define ALL       CLAUDE_EVERYWHERE
#define STOPS     (AT(STOP) | AT(SUBAGENT_STOP))
#define COMPACTS  (AT(COMPACTING) | AT(COMPACTED))
#define STARTS    (AT(SESSION_START) | AT(SUBAGENT_START))
#define WORKING   (AT(PROMPT) | CLAUDE_TOOL_EVENTS | STOPS)

static const struct {
    const char *name;
    uint32_t claude, codex;                               /* events that have it */
    const struct json *(*value)(const struct payload *p); /* NULL from it: not known, left out */
} fields[] = {
    { "session_id", ALL, ALL, session_id },
    { "turn_id", 0, WORKING | COMPACTS | AT(SUBAGENT_START), turn_id },
    { "transcript_path", ALL, ALL, transcript_path },
    { "cwd", ALL, ALL, cwd },
    { "hook_event_name", ALL, ALL, hook_event_name },
    { "model", AT(SESSION_START), ALL & ~AT(SESSION_END), model },
    { "permission_mode", WORKING, WORKING | STARTS, permission_mode },
    { "agent_id", ALL, ALL & ~AT(SESSION_END), agent_id },
    { "agent_type", ALL, ALL & ~AT(SESSION_END), agent_type },
    { "source", AT(SESSION_START), AT(SESSION_START), source },
    { "prompt", AT(PROMPT), AT(PROMPT), prompt },
    { "tool_name", CLAUDE_TOOL_EVENTS, CLAUDE_TOOL_EVENTS, tool_name },
    { "tool_input", CLAUDE_TOOL_EVENTS, CLAUDE_TOOL_EVENTS, tool_input },
    { "tool_response", AT(AFTER), AT(AFTER), tool_response },
    { "tool_use_id", CLAUDE_TOOL_EVENTS & ~AT(ASKED), CLAUDE_TOOL_EVENTS & ~AT(ASKED),
      tool_use_id },
    { "duration_ms", AT(AFTER) | AT(FAILED), 0, duration_ms },
    { "error", AT(FAILED) | AT(STOP_FAILURE), 0, error },
    { "error_details", AT(STOP_FAILURE), 0, error_details },
    { "stop_hook_active", STOPS, STOPS, stop_hook_active },
    { "agent_transcript_path", AT(SUBAGENT_STOP), AT(SUBAGENT_STOP), transcript_path },
    { "last_assistant_message", STOPS | AT(STOP_FAILURE), STOPS, last_assistant_message },
    { "background_tasks", STOPS, 0, empty_list },
    { "session_crons", STOPS, 0, empty_list },
    { "trigger", COMPACTS, COMPACTS, trigger },
    { "custom_instructions", AT(COMPACTING), 0, custom_instructions },
    { "compact_summary", AT(COMPACTED), 0, compact_summary },
    { "message", AT(NOTIFICATION), 0, message },
    { "title", AT(NOTIFICATION), 0, title },
    { "notification_type", AT(NOTIFICATION), 0, notification_type },
    { "reason", AT(SESSION_END), AT(SESSION_END), reason },
};

static const struct json *value_of(const struct payload *p, size_t i)
{
    uint32_t at = p->system == TOOLS_CODEX ? fields[i].codex : fields[i].claude;

    return at >> claude_event_of(p->system, p->event) & 1 ? fields[i].value(p) : NULL;
}

const struct json *claude_payload(struct arena *a, enum tools_system system, const struct event *ev)
{
    struct payload p = { a, ev, system };
    struct json *j = json_object(a);

    for (size_t i = 0; i < ARRAY_LEN(fields); i++)
        json_add(a, j, str_of(fields[i].name), value_of(&p, i));
    return j;
}

const struct json *claude_field(struct arena *a, enum tools_system system, const struct event *ev,
                                const char *name)
{
    struct payload p = { a, ev, system };

    for (size_t i = 0; i < ARRAY_LEN(fields); i++)
        if (strcmp(fields[i].name, name) == 0)
            return value_of(&p, i);
    return NULL;
}
