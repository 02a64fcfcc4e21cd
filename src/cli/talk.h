/*
 * talk.h - what `run` and `chat` share: the flags that say who works on what, and the agent that
 * comes of them.
 */
#pragma once

#include "cli/screen.h"

struct talk {
    struct scope scope;
    struct agent_task task;
    struct arg_list allow;
    uint64_t max_turns;
    const char *compact_ratio; /* as written; NULL: as configured */
    bool follow;
    struct screen_options show;
};

#define TALK_ARGS(o)                                                                               \
    ARG_SWITCH("follow", 'f', &(o)->follow, "go on with the newest conversation"),                 \
        ARG_TEXT("resume", 0, &(o)->task.resume, "ID", "go on with this conversation"),            \
        ARG_TEXT("agent", 0, &(o)->task.agent, "AGENT", "who works"),                              \
        ARG_TEXT("model", 'm', &(o)->task.model, "PROVIDER/MODEL", "which model answers"),         \
        ARG_TEXT("variant", 0, &(o)->task.variant, "VARIANT", "how hard it thinks"),               \
        ARG_NUMBER("max-turns", 0, &(o)->max_turns, "N", "give up after so many requests"),        \
        ARG_LIST("allow", 0, &(o)->allow, "TOOL",                                                  \
                 "consent to a tool beforehand, or to 'all'; may be repeated"),                    \
        ARG_TEXT("compact-ratio", 0, &(o)->compact_ratio, "RATIO",                                 \
                 "compact when so much of the context is used, up to 1"),                          \
        ARG_SWITCH("no-auto-compact", 0, &(o)->task.no_auto_compact, "compact only when told to"), \
        ARG_SWITCH("no-hooks", 0, &(o)->scope.no_hooks,                                            \
                   "run no hooks but safety-critical ones and compaction"),                        \
        ARG_SWITCH("thinking", 0, &(o)->show.thinking, "show what the model thinks, too"),         \
        ARG_TEXT("cwd", 0, &(o)->scope.cwd, "DIR", "work there (default: here)")

/* After the flags were read; false: they contradict each other, `*rc` is the exit code. */
MUST_CHECK bool talk_check(struct cli *cli, struct talk *o, int *rc);

/* Find what `--follow` means. EXIT_DONE, or what to exit with. */
int talk_find(struct cli *cli, struct talk *o, const struct runtime *rt);

/* An agent that shows itself on `screen`, which is opened. Frees with agent_free(). */
struct agent *talk_agent(struct cli *cli, struct talk *o, const struct runtime *rt,
                         struct screen *screen);

/* It could not begin: say why. */
int talk_failed(struct cli *cli, int r, const struct err *e);
