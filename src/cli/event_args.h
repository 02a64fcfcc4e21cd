/*
 * event_args.h - the flags that make an event: its data and its session.
 *
 *     struct event_args o = { 0 };
 *     const struct arg flags[] = { EVENT_ARGS(&o), ARG_END };
 *     …
 *     if (!event_args_check(cli, &o, &rc) || !event_args_apply(cli, &o, &ev, &rc))
 *         return rc;
 */
#pragma once

#include "cli/cli.h"

struct event_args {
    const char *data, *session, *agent, *parent, *cwd, *recipe, *usage;
    uint64_t turn;
};

#define EVENT_ARGS(o)                                                                    \
    ARG_TEXT("session", 's', &(o)->session, "ID", "its session (default: a fresh one)"), \
        ARG_TEXT("agent", 0, &(o)->agent, "AGENT", "the agent of the session"),          \
        ARG_TEXT("parent", 0, &(o)->parent, "ID", "the session that started this one"),  \
        ARG_NUMBER("turn", 0, &(o)->turn, "N", "the turn, from 1"),                      \
        ARG_TEXT("cwd", 0, &(o)->cwd, "DIR", "where the session works (default: here)"), \
        ARG_TEXT("recipe", 0, &(o)->recipe, "RECIPE", "the recipe of the session"),      \
        ARG_TEXT("usage", 0, &(o)->usage, "JSON|@FILE",                                  \
                 "what the session has used: tokens, context window")

/* Says what is wrong with them; false: `*rc` is the exit code. `cwd` is then a real folder. */
MUST_CHECK bool event_args_check(struct cli *cli, struct event_args *o, int *rc);

/* Put into the event what was given; an event without a session gets a fresh one. */
MUST_CHECK bool event_args_apply(struct cli *cli, const struct event_args *o, struct event *ev,
                                 int *rc);
