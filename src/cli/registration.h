/*
 * registration.h - how hooke is written into the configuration of another agent.
 *
 *     const struct registration *r = registration_find("claude");
 *     r = registration_add(r, a, text, "hooke-answer claude", &changed, e);
 *
 * Each agent has one JSON file with `hooks: {EVENT: [{hooks: [{type, command}]}]}`. An entry of
 * ours is cut into its text: no other byte changes. Which entries are ours is told by what they
 * run.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "json/json.h"

struct registration {
    const char *agent;
    const char *variable; /* names the agent's own folder; NULL: nothing does */
    const char *folder;   /* of the agent, below the home and below the workspace */
    const char *file;     /* in it */
    bool named;           /* its handlers have a name */
};

/* NULL: hooke is not registered in such an agent this way. */
const struct registration *registration_find(const char *agent);

/* All agents, ended by NULL: for messages. */
const char *const *registration_agents(void);

/* The file for the user, or for a workspace. */
char *registration_file(const struct registration *r, struct arena *a, const char *workspace);

/* The text with hooke in it for every event that has a point; the same where that is so already. */
MUST_CHECK int registration_add(const struct registration *r, struct arena *a, struct str text,
                                const char *command, struct str *out, struct err *e);

/* The text without any entry of ours. */
MUST_CHECK int registration_remove(struct arena *a, struct str text, struct str *out,
                                   struct err *e);

/* For which events it has an entry of ours: names, ended by NULL. */
MUST_CHECK int registration_events(struct arena *a, struct str text, const char *const **events,
                                   struct err *e);
