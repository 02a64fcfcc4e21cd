/*
 * registration.h - how hooke is written into the configuration of another agent.
 *
 *     const struct registration *r = registration_find("claude");
 *     r = registration_add(r, a, text, "hooke-answer claude", &changed, e);
 *
 * Each agent has one JSON file with `hooks: {EVENT: [{hooks: [{type, command}]}]}`. An entry of
 * ours is cut into its text: no other byte changes. Which entries are ours is told by what they
 * run. An agent with plugins has a file that is all ours: plugin_file.h.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "json/json.h"

struct registration {
    const char *agent;
    const char *program;  /* of ours, that it starts */
    const char *variable; /* names a folder in place of `home`; NULL: nothing does */
    const char *below;    /* in that folder */
    const char *home;     /* of the agent, below the home */
    const char *project;  /* the same below the workspace */
    const char *file;     /* in one of them */
    bool named;           /* its handlers have a name */
    bool comments;        /* its file may have comments */
    bool plugin;          /* the file is a plugin */
    bool repeats;         /* it runs a command that two of its files have twice */
};

/* NULL: hooke is not registered in such an agent this way. */
const struct registration *registration_find(const char *agent);

/* All agents, ended by NULL: for messages. */
const char *const *registration_agents(void);

/* The file for the user, or for a workspace. */
char *registration_file(const struct registration *r, struct arena *a, const char *workspace);

/*
 * The text with hooke in it for every event that has a point; the same where that is so already.
 * Entries that are there stay in their places, and those that ask hooke in words of somebody's own
 * as they are; entries of events that are none any more go.
 * `command` is what handlers run, or the program that a plugin starts.
 */
MUST_CHECK int registration_add(const struct registration *r, struct arena *a, struct str text,
                                const char *command, struct str *out, struct err *e);

/*
 * The text without any entry of ours; unset: nothing is left of it. A plugin that somebody has
 * changed is refused.
 */
MUST_CHECK int registration_remove(const struct registration *r, struct arena *a, struct str text,
                                   struct str *out, struct err *e);

/* An entry of ours. */
struct registration_entry {
    const char *event;
    const char *command;
    size_t group, handler;             /* its place in the lists, from 0 */
    const struct json *json, *matcher; /* as it is written, and what its group is for */
};

/* The first of each event, ended by one without an event. Not for plugins. */
MUST_CHECK int registration_entries(const struct registration *r, struct arena *a, struct str text,
                                    const struct registration_entry **entries, struct err *e);

/* What a command line of an entry starts. */
const char *registration_program(struct arena *a, const char *command);

/* The one of them that becomes no event of ours: it leaves no receipt. NULL: there is none. */
const char *registration_brake(const struct registration *r);

/* The events that are registered for an agent: names, ended by NULL. */
const char *const *registration_events(const struct registration *r, struct arena *a);
