/*
 * agent_check.h - is hooke in another agent, does that agent use it, and what has it missed?
 *
 *     agent_check(&doctor, registration_find("codex"), registry, receipts);
 *
 * Each part reports lines of its own: agent_check.c what is installed and what came of it,
 * agent_trust.c what the agent's own settings say of hooks, agent_calls.c the tool calls of its
 * transcripts that no receipt covers.
 */
#pragma once

#include "cli/doctor.h"
#include "cli/registration.h"
#include "cli/sightings.h"

/* One of the two files hooke may be in: the user's, the workspace's. */
struct agent_place {
    const char *file;
    const char *broken;                       /* why it can't be read; NULL: it can */
    const char *names;                        /* a configuration that names the plugin; or NULL */
    bool installed;                           /* hooke is in it, or named */
    bool plugin;                              /* it is the plugin */
    const struct registration_entry *entries; /* of an agent without plugins; NULL: none */
    int64_t since_ms;                         /* when the file was changed last */
};

enum { AGENT_USER, AGENT_PROJECT, AGENT_PLACES };

struct agent_look {
    struct doctor *doctor;
    struct arena *arena;
    const struct registration *agent;
    const char *workspace;
    struct agent_place places[AGENT_PLACES];
    struct sightings seen;
    bool seen_since; /* an event came after hooke was installed as it is */
};

void agent_check(struct doctor *d, const struct registration *r, const struct registry *reg,
                 const char *receipts);

/* Whether the agent's settings let hooks run, and whether it trusts ours. */
void agent_trust(struct agent_look *l);

void agent_calls(struct agent_look *l);
