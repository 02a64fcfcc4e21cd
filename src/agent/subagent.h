/*
 * subagent.h - sessions that a session starts. They run the same loop with the same hooks; what
 * they use is added to what their parent has used, but not to the size of its context.
 */
#pragma once

#include "agent/session.h"

struct subagent_task {
    const char *prompt;
    const char *type;          /* an agent; NULL: by category */
    const char *category;      /* of `categories`; NULL: none */
    const char *const *skills; /* ended by NULL; NULL: none */
};

/* -ENOENT, -EINVAL: what there is instead is named. */
MUST_CHECK int subagent_run(struct agent_session *parent, const struct subagent_task *task,
                            struct arena *a, struct agent_outcome *out, struct err *e);

/* Start it and return its number at once. */
MUST_CHECK int subagent_start(struct agent_session *parent, const struct subagent_task *task,
                              unsigned *number, struct err *e);

/*
 * Wait for those that were started, and say what came of each that nobody was told of: a text for
 * the parent's model, in the arena; NULL: there is nothing to say.
 */
char *subagent_wait(struct agent_session *parent, struct arena *a);
