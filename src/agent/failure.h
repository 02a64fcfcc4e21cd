/*
 * failure.h - why a request to a model failed, in classes that say what can be done about it.
 *
 * Structure decides before text does: the status, then the type the provider gives the error, and
 * only then the words of its message, which anybody may reword.
 */
#pragma once

#include "json/json.h"

enum failure_class {
    MODEL_OTHER,
    MODEL_RATE_LIMIT,       /* wait, or take another model */
    MODEL_QUOTA,            /* take another model; waiting does not help */
    MODEL_OVERLOADED,       /* wait */
    MODEL_CONTEXT_OVERFLOW, /* compact */
    MODEL_AUTH,             /* a person must act */
    MODEL_BAD_REQUEST,      /* the same request fails again */
    MODEL_NETWORK,          /* try again */
    MODEL_CUT_STREAM,       /* try again */
    MODEL_ABORTED,
};

struct model_failure {
    enum failure_class class;
    int status;             /* of HTTP; 0: none */
    int64_t retry_after_ms; /* what the server asks for; negative: unsaid */
    const char *message;    /* in the arena of the request */
};

const char *failure_class_name(enum failure_class c);

/* Whether the same request may succeed a little later. */
bool failure_is_temporary(enum failure_class c);

/* The class of an answer that is no success, by its status and its body. */
void failure_of_answer(struct arena *a, int status, struct str body, struct model_failure *f);

/* The class of an error that arrives within a stream: {"type":…,"message":…,"code":…}. */
void failure_of_error(struct arena *a, int status, const struct json *error,
                      struct model_failure *f);

/* {class, message, status?, provider?, model?, retry_after_ms?}, the `error` of events. */
const struct json *failure_to_json(struct arena *a, const struct model_failure *f,
                                   const char *provider, const char *model);
