/*
 * callback.h - callbacks by name: functions that hooks offer (hook/callback.h), else recipes.
 *
 *     r = callback_run(s, &(struct callback_request){ .name = "handoff", .args = args }, a, &out,
 * e); … out.text …
 *
 * A recipe runs in a thread of conversation of its own: the messages of the session as they are,
 * then what the recipe says, with the tools it allows. Nothing of it is stored, nothing of the
 * session changes, and no callback starts another. What it uses is added to what the session has
 * used, but not to the size of its context.
 */
#pragma once

#include "agent/recipe.h"
#include "agent/session.h"
#include "hook/callback.h"

/* A callback that was found. */
struct callback {
    const char *name;
    const struct hook_callback *function; /* NULL: it is a recipe */
    const struct hook *hook;              /* that offers the function */
    struct recipe recipe;
    struct registry *registry; /* keeps the hook alive; callback_release() */
};

struct callback_request {
    const char *name;
    const struct json *args;     /* an object of texts; NULL: none */
    const struct json *messages; /* what it is about; NULL: the whole history */
    const char *prompt;          /* what it is told; NULL: what the recipe says */
    const char *purpose;         /* of its requests; NULL: main */
    const struct receipt *asked; /* of the event whose verdict wants it; NULL: a person does */
};

struct callback_answer {
    char *text; /* in the arena, never empty */
    struct usage usage;
    double cost;
    enum failure_class failure; /* on failure: of the last request */
};

/* -ENOENT: neither a hook nor a recipe has the name. Release it when it was found. */
MUST_CHECK int callback_find(struct agent_session *s, const char *name, struct arena *a,
                             struct callback *out, struct err *e);
void callback_release(struct callback *cb);

/* What a recipe says with these arguments. */
MUST_CHECK int callback_prompt(struct agent_session *s, const struct callback *cb,
                               const struct json *args, struct arena *a, char **prompt,
                               struct err *e);

/* Run one that was found. -ELOOP: from inside a callback. -ENODATA: it had nothing to say. */
MUST_CHECK int callback_call(struct agent_session *s, const struct callback *cb,
                             const struct callback_request *q, struct arena *a,
                             struct callback_answer *out, struct err *e);

/* Both. */
MUST_CHECK int callback_run(struct agent_session *s, const struct callback_request *q,
                            struct arena *a, struct callback_answer *out, struct err *e);

static inline void callback_cleanup(struct callback *cb)
{
    callback_release(cb);
}
