/* screen_json.h - a session for programs: one JSON object a line, docs/agent.md names them. */
#pragma once

#include "agent/agent.h"

void screen_json_show(const struct show *w);
void screen_json_end(const struct agent_outcome *o);

/* A compaction that a person asked for. */
void screen_json_compacted(const struct agent_compacted *c);
