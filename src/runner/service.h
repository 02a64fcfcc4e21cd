/*
 * service.h - what a resident hook may ask of hooke: its state, a line in the log, and what the
 * agent around the engine offers (hook/services.h).
 *
 *   state.get    {key}                  -> {value}            a text, or null
 *   state.set    {key, value}           -> {}                 null removes
 *   state.update {key, by}              -> {value}            add to a number, atomically
 *   state.update {key, from, to}        -> {changed, value}   set to `to` only where it is `from`
 *   log          {level, message}       -> {}
 *   llm.…, recipe.…, session.…          as the agent answers
 *
 * State belongs to the session of an event that is being handled, and to the hook; `session` says
 * which when there are several. Safe from several threads.
 */
#pragma once

#include "hook/engine.h"
#include "runner/rpc.h"

/* A program that writes more lines than this to the log while events wait is not heard any more. */
#define SERVICE_LOG_MAX 100

struct service {
    struct engine *engine; /* NULL: there is no engine yet */
    const char *hook;
    const struct session *session; /* of the event it belongs to; NULL: `why` not */
    const char *why;
    const char *receipt_id, *callback; /* as in struct service_call */
    uint64_t deadline_ns;
    int abort_fd;
    struct llm_use *used;
    unsigned *logged; /* counts the lines of the log */
};

/* Whether the agent answers it, and so whether its `session` may be another than the event's. */
bool service_is_of_agent(const char *method);

/* Whether the answer may take as long as a model does. */
bool service_is_slow(const char *method);

/* `out` gets the answer to a request; a notification gets none. */
void service_answer(const struct service *s, struct arena *a, const struct rpc_message *m,
                    struct strbuf *out);
