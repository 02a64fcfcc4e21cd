/*
 * claude_answer.h - the JSON a hook written for Claude Code or Codex prints, checked against the
 * schema of its system.
 *
 *     struct claude_answer said = { .arena = a, .system = TOOLS_CODEX, .event = CLAUDE_STOP,
 *                                   .warnings = warnings };
 *     r = claude_answer_read(&said, j, e);
 *     if (said.facts & FACT_BLOCK)
 *         reason = claude_text(&said, SAID_REASON);
 *
 * All-or-nothing: a value of the wrong type or a field that may not be there fails the whole
 * answer. null counts as absent.
 */
#pragma once

#include "base/err.h"
#include "dialect/claude_event.h"

/* The fields that mean something. */
enum claude_said {
    SAID_CONTINUE,
    SAID_STOP_REASON,
    SAID_SUPPRESS,
    SAID_SYSTEM_MESSAGE,
    SAID_DECISION,
    SAID_REASON,
    SAID_SPECIFIC, /* hookSpecificOutput, and in it: */
    SAID_EVENT_NAME,
    SAID_PERMISSION,
    SAID_PERMISSION_REASON,
    SAID_INPUT,
    SAID_CONTEXT,
    SAID_OUTPUT,
    SAID_MCP_OUTPUT,
    SAID_CONSENT, /* decision of a PermissionRequest, and in it: */
    SAID_BEHAVIOR,
    SAID_MESSAGE,
    SAID_CONSENT_INPUT,
    SAID_PERMISSIONS,
    SAID_INTERRUPT,
    SAID_COUNT,
};

/* What an answer says, as far as whether it may be said depends on it. */
enum claude_fact {
    FACT_STOPS = 1 << 0, /* continue: false */
    FACT_STOP_REASON = 1 << 1,
    FACT_SUPPRESS = 1 << 2,
    FACT_BLOCK = 1 << 3,
    FACT_APPROVE = 1 << 4,
    FACT_REASON = 1 << 5, /* and it is not blank */
    FACT_ANY_REASON = 1 << 6,
    FACT_ALLOW = 1 << 7,
    FACT_DENY = 1 << 8,
    FACT_ASK = 1 << 9,
    FACT_PERMISSION_REASON = 1 << 10, /* and it is not blank */
    FACT_ANY_PERMISSION_REASON = 1 << 11,
    FACT_INPUT = 1 << 12,
    FACT_CONSENT_INPUT = 1 << 13,
    FACT_PERMISSIONS = 1 << 14,
    FACT_INTERRUPT = 1 << 15,
    FACT_MCP_OUTPUT = 1 << 16,
};

struct claude_answer {
    struct arena *arena;
    enum tools_system system;
    enum claude_event event;
    struct strbuf *warnings; /* fields without an effect, a line each */
    const struct json *said[SAID_COUNT];
    uint32_t facts;
};

/* -EBADMSG: it does not fit the schema, and `e` says where. `j` is an object. */
MUST_CHECK int claude_answer_read(struct claude_answer *r, const struct json *j, struct err *e);

/* A text of it without white space at its ends; NULL when it is absent or blank. */
const char *claude_text(const struct claude_answer *r, enum claude_said field);
