/*
 * screen.h - a session as it is shown: the model's text on standard output, all else on standard
 * error, or with --json one event a line on standard output.
 *
 *     screen_open(&screen, cli, &(struct screen_options){ .thinking = true });
 *     …                                  give &screen.agent to the agent
 *     screen_end(&screen, &outcome);     after each task
 *     screen_close(&screen);
 */
#pragma once

#include "agent/agent.h"
#include "cli/cli.h"
#include "cli/spinner.h"

struct screen_options {
    bool json;
    bool thinking; /* show what the model thinks */
    bool no_id;    /* the totals leave the session's id out */
    int abort_fd;  /* readable: nobody answers a question any more; 0: none */
};

struct screen {
    struct cli *cli;
    struct agent_screen agent; /* give this to the agent */
    struct screen_options options;
    bool in_text; /* a line of text is open */
    bool in_thought;
    bool unread; /* nobody reads standard output any more */
    bool half;   /* the first byte of a two-byte character was held back */
    struct term err;
    struct spinner *spinner;
    char waits_for[128]; /* unless a tool runs: the model */
    uint64_t begun_ns;
};

void screen_open(struct screen *s, struct cli *cli, const struct screen_options *o);
void screen_close(struct screen *s);

/* A message was sent: what takes long is counted from here. */
void screen_begin(struct screen *s);

/* What it came to, once it is over. */
void screen_end(struct screen *s, const struct agent_outcome *o);
const char *screen_end_name(enum agent_end end);

/* The argument that says most of a call; "" when none does. */
const char *screen_gist(struct arena *a, const struct json *args);

/* A line of our own on standard error, broken where the terminal ends. */
void screen_say(struct screen *s, enum style style, const char *text);
