/*
 * service.h - what a resident hook may ask of hooke: its state, and a line in the log.
 *
 *   state.get    {key}                  -> {value}            a text, or null
 *   state.set    {key, value}           -> {}                 null removes
 *   state.update {key, by}              -> {value}            add to a number, atomically
 *   state.update {key, from, to}        -> {changed, value}   set to `to` only where it is `from`
 *   log          {level, message}       -> {}
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
    const char *session; /* whose state it is; NULL: `why` not */
    const char *why;
    unsigned *logged; /* counts the lines of the log */
};

/* `out` gets the answer to a request; a notification gets none. */
void service_answer(const struct service *s, struct arena *a, const struct rpc_message *m,
                    struct strbuf *out);
