/*
 * transcript.h - which tools another agent has called, from the file it keeps of a session.
 *
 *     r = transcript_read(a, "codex", text, &t);
 *     for (size_t i = 0; i < t.count; i++)
 *         printf("%s %s\n", t.calls[i].id, t.calls[i].tool);
 *
 * Claude Code and Codex write a line of JSON for each thing that happened, Gemini CLI a line or a
 * member for each message, again when it has changed. What is not understood is passed over: these
 * files are theirs and change. Everything is in the arena.
 */
#pragma once

#include "base/arena.h"

struct transcript_call {
    const char *id;   /* "": not known */
    const char *tool; /* as the agent calls it */
    const char *at;   /* RFC 3339; "": not known */
};

struct transcript {
    const char *session; /* NULL: it names none */
    const char *cwd;     /* NULL: it names none */
    struct transcript_call *calls;
    size_t count;
};

/* Whether there is anything to read of that agent. */
bool transcript_is_known(const char *agent);

void transcript_read(struct arena *a, const char *agent, struct str text, struct transcript *t);
