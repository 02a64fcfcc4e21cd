/*
 * claude_handler.h - one handler of Claude's settings as a handler of a `group`. Internal to
 * find/claude_*.c.
 */
#pragma once

#include "find/claude_settings.h"

/* NULL: it is left out; problems say why, unless it runs hooke. */
struct setting *claude_handler_read(struct claude_settings *c, const struct setting *said);

/* Whether a command line starts hooke to answer an agent. */
bool claude_handler_runs_hooke(struct str command);
