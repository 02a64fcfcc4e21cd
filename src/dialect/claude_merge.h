/*
 * claude_merge.h - what the answers of handlers that ran side by side add up to, in Claude Code and
 * in Codex. Configured order decides where theirs is the order in which handlers end.
 *
 *     decision     block > ask > allow; the first of the strictest gives the reason
 *     stop         the first reason; nothing continues beside it
 *     say          all, a line each
 *     injections   all
 *     changes      the last one of each field; none of them beside a block
 *     follow-ups   all; in Codex as one message
 *
 * In Codex the reasons of blocks after a tool are joined.
 */
#pragma once

#include "dialect/dialect.h"
#include "hook/tools.h"

void claude_merge(struct arena *a, enum tools_system system, const struct dialect_event *ev,
                  const struct verdict *answers, size_t count, const struct dialect_answer *out);
