/*
 * services.h - what the agent does for hooks (hook/services.h): methods by name.
 *
 *     llm.complete     {prompt | messages, system, model, max_output_tokens, variant}
 *     recipe.run       {name, args, history, model, max_output_tokens, variant}
 *     session.status   {session}           session.messages {session, limit}
 *     session.abort    {reason, session}   session.prompt   {text, session}
 *
 * Any thread may call, also while the session's own thread waits for the very hook that asks.
 * Nothing here emits an event, so a hook that asks a model is never called because of it.
 */
#pragma once

#include "agent/status.h"

/* For engine_offer(): the context is the agent. */
int agent_serve(void *context, const struct service_call *c, const struct json **result,
                struct err *e);

/* A parameter of a method. */
struct service_field {
    const char *name; /* NULL ends a list */
    enum json_type type;
    bool required;
};

/* -EINVAL names the field that is unknown, missing or of the wrong type. null counts as absent. */
MUST_CHECK int service_check(const struct service_call *c, const struct service_field *fields,
                             struct err *e);

/* A parameter; NULL: it is absent. */
const struct json *service_param(const struct service_call *c, struct str name);
const char *service_text(const struct service_call *c, struct str name);

/* complete.c: one request to a model, within the budget of the hook. */
MUST_CHECK int service_complete(struct agent *ag, const struct service_call *c,
                                const struct json **result, struct err *e);
MUST_CHECK int service_recipe(struct agent *ag, const struct service_call *c,
                              const struct json **result, struct err *e);
