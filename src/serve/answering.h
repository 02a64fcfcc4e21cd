/*
 * answering.h - one event of another agent: read what it wrote, run the chain, answer in its words.
 *
 *     struct answer_request q = { .agent = "claude", .in = 0, .out = 1, .err = 2 };
 *     return answer_serve(&rt, &q);
 *
 * The runtime must have been opened with `answering` set to the agent, so that hooks which the
 * agent runs itself are not run twice. It is used, not kept: any number of threads may serve
 * requests on one runtime. Descriptors stay the caller's, and nothing else is read or written.
 *
 * What is remembered between events (turns, how often the agent was kept going) is in the store
 * under the agent's session, so that a process per event behaves like one long session.
 */
#pragma once

#include "embed/runtime.h"

struct answer_request {
    const char *agent;  /* claude, codex, gemini */
    const char *event;  /* NULL: the document says it */
    int in, out, err;   /* the agent's: the document, the answer, one line when it is no event */
    int abort_fd;       /* as of an event; 0: none */
    uint32_t read_ms;   /* how long the document may take; 0: 10 s */
    pid_t from;         /* the process that asks; 0: not known */
    const char *broken; /* why the configuration is not in force as written; NULL: it is */
};

/*
 * Reads one document, runs the chain, writes the answer. The exit code: 0 whatever hooks decide,
 * since the answer says it; 64 for an agent that can't be answered. Where an answer that says
 * anything can't be written it is 2 for a refusal, else 1, and standard error says why.
 *
 * It acts as soon as one document is complete and never waits for the end of the stream. What is no
 * event gets an answer that changes nothing, unless a safety-critical hook would have seen it: then
 * it is blocked, and the answer says why.
 */
int answer_serve(struct runtime *rt, const struct answer_request *q);

/* Whether a safety-critical hook is in force: what nobody has answered must not happen then. */
bool answer_is_guarded(struct runtime *rt);

/* The agents that can be answered, ended by NULL. */
const char *const *answer_agents(void);
