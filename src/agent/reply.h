/*
 * reply.h - a model's message put together from the pieces in which it streams in.
 *
 *     reply_text(r, 0, piece);
 *     reply_tool(r, 1, "call_1", "bash");
 *     reply_args(r, 1, "{\"comm");
 *     message = reply_message(r, a);
 *
 * Parts are told apart by a number of the provider's; they keep the order in which they began.
 * Nothing of it may be used before the provider has said that the message is complete.
 */
#pragma once

#include "agent/provider.h"

#define REPLY_MAX ((size_t)32 << 20) /* bytes of all parts together */

struct reply_part;

struct reply {
    struct arena *arena;
    const struct model_stream *stream; /* NULL: nobody watches */
    struct reply_part *first, **end;
    struct usage usage;
    enum model_stop stop;
    bool complete; /* the provider said that this was all */
    bool failed;   /* the provider said that it went wrong; `failure` says how */
    struct model_failure failure;
    size_t bytes;
    unsigned cursor; /* for providers whose parts have no numbers */
};

void reply_init(struct reply *r, struct arena *a, const struct model_stream *stream);

void reply_text(struct reply *r, unsigned number, struct str piece);
void reply_reasoning(struct reply *r, unsigned number, struct str piece);
void reply_tool(struct reply *r, unsigned number, struct str call_id, struct str tool);
void reply_args(struct reply *r, unsigned number, struct str piece);

/* What the provider must be sent back with the part, under the provider's name. */
void reply_native(struct reply *r, unsigned number, const char *provider, struct str key,
                  const struct json *value);

/* Append to a text of `native`: signatures arrive in pieces too. */
void reply_native_text(struct reply *r, unsigned number, const char *provider, struct str key,
                       struct str piece);

/* Whether there is a part of that number. */
bool reply_has(const struct reply *r, unsigned number);

/* The id of the call of that number; NULL: there is none, or it has none yet. */
const char *reply_call_id(const struct reply *r, unsigned number);

/* Arguments that are no JSON object become {}, with what the model wrote in `args_text`. */
const struct json *reply_message(struct reply *r);
void reply_release(struct reply *r);

static inline void reply_cleanup(struct reply *r)
{
    reply_release(r);
}
