/*
 * claude_payload.h - what hooks written for Claude Code or for Codex read on standard input.
 *
 *     json_write(&input, claude_payload(a, TOOLS_CODEX, ev), JSON_COMPACT);
 *
 * Codex took over Claude Code's fields and has some of its own: one table has both.
 */
#pragma once

#include "dialect/claude_event.h"

const struct json *claude_payload(struct arena *a, enum tools_system system,
                                  const struct event *ev);

/* One field of it by name; NULL: the event has no such. */
const struct json *claude_field(struct arena *a, enum tools_system system, const struct event *ev,
                                const char *name);

/* The arguments of the tool under their names, paths of files absolute. Never NULL. */
const struct json *claude_tool_input(struct arena *a, enum tools_system system,
                                     const struct event *ev);
