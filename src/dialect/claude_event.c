#include "dialect/claude_event.h"

const char *claude_event_name(enum claude_event e)
{
    static const char *const names[CLAUDE_EVENTS] = {
        [CLAUDE_SESSION_START] = "SessionStart", [CLAUDE_SUBAGENT_START] = "SubagentStart",
        [CLAUDE_PROMPT] = "UserPromptSubmit",    [CLAUDE_BEFORE] = "PreToolUse",
        [CLAUDE_ASKED] = "PermissionRequest",    [CLAUDE_AFTER] = "PostToolUse",
        [CLAUDE_FAILED] = "PostToolUseFailure",  [CLAUDE_STOP] = "Stop",
        [CLAUDE_SUBAGENT_STOP] = "SubagentStop", [CLAUDE_STOP_FAILURE] = "StopFailure",
        [CLAUDE_COMPACTING] = "PreCompact",      [CLAUDE_COMPACTED] = "PostCompact",
        [CLAUDE_NOTIFICATION] = "Notification",  [CLAUDE_SESSION_END] = "SessionEnd",
    };

    return names[e];
}

/* Their event of a main session and, where that is another one, of a subagent; SESSION_START: none
 * of both, since no other point has it. */
static const struct {
    enum claude_event main, sub;
} events[POINT_COUNT] = {
    [POINT_SESSION_CREATED] = { CLAUDE_SESSION_START, CLAUDE_SUBAGENT_START },
    [POINT_CHAT_MESSAGE] = { CLAUDE_PROMPT, CLAUDE_PROMPT },
    [POINT_TOOL_EXECUTE_BEFORE] = { CLAUDE_BEFORE, CLAUDE_BEFORE },
    [POINT_PERMISSION_ASK] = { CLAUDE_ASKED, CLAUDE_ASKED },
    [POINT_TOOL_EXECUTE_AFTER] = { CLAUDE_AFTER, CLAUDE_AFTER },
    [POINT_AGENT_STOP] = { CLAUDE_STOP, CLAUDE_SUBAGENT_STOP },
    [POINT_AGENT_ERROR] = { CLAUDE_STOP_FAILURE, CLAUDE_STOP_FAILURE },
    [POINT_SESSION_COMPACTING] = { CLAUDE_COMPACTING, CLAUDE_COMPACTING },
    [POINT_SESSION_COMPACTED] = { CLAUDE_COMPACTED, CLAUDE_COMPACTED },
    [POINT_NOTIFICATION] = { CLAUDE_NOTIFICATION, CLAUDE_NOTIFICATION },
    [POINT_SESSION_ENDED] = { CLAUDE_SESSION_END, CLAUDE_SESSION_END },
};

bool claude_speaks(enum tools_system system, enum point point)
{
    if (point == POINT_NOTIFICATION || point == POINT_AGENT_ERROR)
        return system == TOOLS_CLAUDE;
    return point == POINT_SESSION_CREATED || events[point].main != CLAUDE_SESSION_START;
}

static bool has_failed(const struct event *ev)
{
    const struct json *success = event_data(ev, STR("success"));

    return json_type(success) == JSON_BOOL && !json_is_true(success);
}

enum claude_event claude_event_of(enum tools_system system, const struct event *ev)
{
    /* Codex tells of no failed tool; who asks for one all the same is told as of any other. */
    if (system == TOOLS_CLAUDE && ev->point == POINT_TOOL_EXECUTE_AFTER && has_failed(ev))
        return CLAUDE_FAILED;
    return event_is_sub(ev) ? events[ev->point].sub : events[ev->point].main;
}

const char *claude_session_id(const struct event *ev)
{
    const char *id = ev->session.parent ? ev->session.parent : ev->session.id;

    return id ? id : "";
}
