/*
 * claude_event.h - the events of Claude Code and Codex, which of them an event of ours is.
 *
 * Codex took over Claude Code's events, but not all of them. `system` is TOOLS_CLAUDE or
 * TOOLS_CODEX everywhere. Not every point has an event of theirs: ask claude_speaks() first.
 */
#pragma once

#include "hook/event.h"
#include "hook/tools.h"

enum claude_event {
    CLAUDE_SESSION_START,
    CLAUDE_SUBAGENT_START,
    CLAUDE_PROMPT, /* UserPromptSubmit */
    CLAUDE_BEFORE, /* PreToolUse */
    CLAUDE_ASKED,  /* PermissionRequest */
    CLAUDE_AFTER,  /* PostToolUse */
    CLAUDE_FAILED, /* PostToolUseFailure */
    CLAUDE_STOP,
    CLAUDE_SUBAGENT_STOP,
    CLAUDE_STOP_FAILURE,
    CLAUDE_COMPACTING, /* PreCompact */
    CLAUDE_COMPACTED,  /* PostCompact */
    CLAUDE_NOTIFICATION,
    CLAUDE_SESSION_END,
    CLAUDE_EVENTS,
};

/* Sets of events. */
#define CLAUDE_AT(event)  (UINT32_C(1) << CLAUDE_##event)
#define CLAUDE_EVERYWHERE (CLAUDE_AT(EVENTS) - 1)
#define CLAUDE_TOOL_EVENTS \
    (CLAUDE_AT(BEFORE) | CLAUDE_AT(ASKED) | CLAUDE_AT(AFTER) | CLAUDE_AT(FAILED))

/* Whether the system has an event for the point. */
bool claude_speaks(enum tools_system system, enum point point);

/* Which event of theirs it is, and what it is called. */
enum claude_event claude_event_of(enum tools_system system, const struct event *ev);
const char *claude_event_name(enum claude_event e);

/* The id a session has for their hooks: a subagent's events carry its parent's. Never NULL. */
const char *claude_session_id(const struct event *ev);
