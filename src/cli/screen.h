/*
 * screen.h - a session as it is shown: the model's text on standard output, all else on standard
 * error, or with --json one event a line on standard output.
 */
#pragma once

#include "agent/agent.h"
#include "cli/cli.h"

struct screen {
    struct cli *cli;
    struct agent_screen agent; /* give this to the agent */
    bool json;
    bool in_text; /* a line of text is open */
    bool in_thought;
    struct term err;
};

void screen_open(struct screen *s, struct cli *cli, bool json);

/* What it came to, once it is over. */
void screen_end(struct screen *s, const struct agent_outcome *o);
