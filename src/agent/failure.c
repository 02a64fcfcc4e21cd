#include "agent/failure.h"

#include <stdlib.h>
#include <strings.h>

#define WAIT_MAX_S 1e6 /* what is longer is a mistake */

const char *failure_class_name(enum failure_class c)
{
    static const char *const names[] = {
        [MODEL_OTHER] = "other",
        [MODEL_RATE_LIMIT] = "rate_limit",
        [MODEL_QUOTA] = "quota",
        [MODEL_OVERLOADED] = "overloaded",
        [MODEL_CONTEXT_OVERFLOW] = "context_overflow",
        [MODEL_AUTH] = "auth",
        [MODEL_BAD_REQUEST] = "bad_request",
        [MODEL_NETWORK] = "network",
        [MODEL_CUT_STREAM] = "cut_stream",
        [MODEL_ABORTED] = "aborted",
    };

    return names[c];
}

bool failure_is_temporary(enum failure_class c)
{
    return c == MODEL_RATE_LIMIT || c == MODEL_OVERLOADED || c == MODEL_NETWORK ||
           c == MODEL_CUT_STREAM;
}

/*
 * Rows are tried in order; every part of a row that is set must hold. `type` is the provider's own
 * word for the error (its type, code or status), `text` a piece of its message, in lower case.
 */
struct failure_row {
    int status;
    enum failure_class class;
    const char *type, *text;
};

static const struct failure_row rows[] = {
    /* by type: Anthropic, OpenAI, Google */
    { 0, MODEL_QUOTA, "insufficient_quota", NULL },
    { 0, MODEL_QUOTA, "billing_error", NULL },
    { 0, MODEL_QUOTA, "billing_not_active", NULL },
    { 0, MODEL_CONTEXT_OVERFLOW, "context_length_exceeded", NULL },
    { 0, MODEL_CONTEXT_OVERFLOW, "model_context_window_exceeded", NULL },
    { 0, MODEL_CONTEXT_OVERFLOW, "request_too_large", NULL },
    { 0, MODEL_OVERLOADED, "overloaded_error", NULL },
    { 0, MODEL_OVERLOADED, "UNAVAILABLE", NULL },
    { 0, MODEL_AUTH, "authentication_error", NULL },
    { 0, MODEL_AUTH, "permission_error", NULL },
    { 0, MODEL_AUTH, "invalid_api_key", NULL },
    { 0, MODEL_AUTH, "UNAUTHENTICATED", NULL },
    { 0, MODEL_AUTH, "PERMISSION_DENIED", NULL },
    /* a 429 that no waiting mends */
    { 429, MODEL_QUOTA, NULL, "exceeded your current quota, please check your plan" },
    { 429, MODEL_QUOTA, NULL, "insufficient balance" },
    { 429, MODEL_QUOTA, NULL, "usage limit" },
    { 0, MODEL_RATE_LIMIT, "rate_limit_error", NULL },
    { 0, MODEL_RATE_LIMIT, "rate_limit_exceeded", NULL },
    { 0, MODEL_RATE_LIMIT, "RESOURCE_EXHAUSTED", NULL },
    /* by status, where the words may narrow it */
    { 429, MODEL_RATE_LIMIT, NULL, NULL },
    { 401, MODEL_AUTH, NULL, NULL },
    { 402, MODEL_QUOTA, NULL, NULL },
    { 403, MODEL_AUTH, NULL, NULL },
    { 413, MODEL_CONTEXT_OVERFLOW, NULL, NULL },
    { 529, MODEL_OVERLOADED, NULL, NULL },
    { 503, MODEL_OVERLOADED, NULL, NULL },
    { 500, MODEL_OVERLOADED, NULL, NULL },
    { 502, MODEL_OVERLOADED, NULL, NULL },
    { 504, MODEL_OVERLOADED, NULL, NULL },
    { 408, MODEL_NETWORK, NULL, NULL },
    { 400, MODEL_CONTEXT_OVERFLOW, NULL, "prompt is too long" },
    { 400, MODEL_CONTEXT_OVERFLOW, NULL, "maximum context length" },
    { 400, MODEL_CONTEXT_OVERFLOW, NULL, "exceeds the maximum number of tokens" },
    { 400, MODEL_CONTEXT_OVERFLOW, NULL, "exceed context limit" },
    { 400, MODEL_CONTEXT_OVERFLOW, NULL, "context size" },
    { 400, MODEL_AUTH, NULL, "api key not valid" },
    { 400, MODEL_QUOTA, NULL, "credit balance is too low" },
    { 400, MODEL_BAD_REQUEST, NULL, NULL },
    { 404, MODEL_BAD_REQUEST, NULL, NULL },
    { 422, MODEL_BAD_REQUEST, NULL, NULL },
    { 0, MODEL_BAD_REQUEST, "invalid_request_error", NULL },
    { 0, MODEL_BAD_REQUEST, "not_found_error", NULL },
    { 0, MODEL_OVERLOADED, "api_error", NULL },
    { 0, MODEL_OVERLOADED, "server_error", NULL },
};

/* What an error says of itself, wherever the provider puts it. */
struct words {
    struct str types[3];
    const char *message;
};

static bool has_type(const struct words *w, const char *type)
{
    for (size_t i = 0; i < ARRAY_LEN(w->types); i++)
        if (str_is(w->types[i], type))
            return true;
    return false;
}

static enum failure_class classify(int status, const struct words *w)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if ((!rows[i].status || rows[i].status == status) &&
            (!rows[i].type || has_type(w, rows[i].type)) &&
            (!rows[i].text || (w->message && strcasestr(w->message, rows[i].text))))
            return rows[i].class;
    return MODEL_OTHER;
}

/* Google puts the wait into the body: "details":[{"@type":"…RetryInfo","retryDelay":"36.2s"}]. */
static int64_t wait_asked_for(struct arena *a, const struct json *error)
{
    const struct json *d = json_first(json_get(error, STR("details")));

    for (; d; d = json_next(d)) {
        const char *text = json_cstr(a, json_get(d, STR("retryDelay")));
        char *end = NULL;
        double seconds = text ? strtod(text, &end) : -1;

        if (seconds >= 0 && seconds < WAIT_MAX_S && end != text && strcmp(end, "s") == 0)
            return (int64_t)(seconds * 1000);
    }
    return -1;
}

void failure_of_error(struct arena *a, int status, const struct json *error,
                      struct model_failure *f)
{
    struct words w = {
        .types = { json_str(a, json_get(error, STR("type"))),
                   json_str(a, json_get(error, STR("code"))),
                   json_str(a, json_get(error, STR("status"))) },
        .message = json_cstr(a, json_get(error, STR("message"))),
    };
    int64_t code;

    /* Google and some proxies put the status into the body of a stream. */
    if (!status && json_to_int64(json_get(error, STR("code")), &code) == 0 && code >= 400 &&
        code < 600)
        status = (int)code;
    f->class = classify(status, &w);
    f->status = status;
    if (f->retry_after_ms < 0)
        f->retry_after_ms = wait_asked_for(a, error);
    f->message =
        w.message && w.message[0] ? w.message : arena_printf(a, "the provider answered %d", status);
}

/* The error object of a body: {"error":{…}}, {"error":"text"}, a list of those, or no JSON. */
static const struct json *find_error(struct arena *a, const struct json *body)
{
    const struct json *error;
    struct json *made;

    if (json_type(body) == JSON_ARRAY)
        body = json_first(body);
    error = json_get(body, STR("error"));
    if (json_type(error) == JSON_OBJECT)
        return error;
    if (json_type(error) != JSON_STRING)
        return body;
    made = json_object(a);
    json_add(a, made, STR("message"), error);
    return made;
}

void failure_of_answer(struct arena *a, int status, struct str body, struct model_failure *f)
{
    const struct json *parsed = NULL;
    struct str text = str_trim(body);

    body = (struct str){ arena_cstr(a, body), body.len };
    if (json_parse(a, body, NULL, &parsed, NULL) == 0) {
        failure_of_error(a, status, find_error(a, parsed), f);
        return;
    }
    f->class = classify(status, &(struct words){ .message = arena_cstr(a, text) });
    f->status = status;
    f->message = text.len ? arena_printf(a, "the provider answered %d: %.*s", status,
                                         (int)(text.len > 300 ? 300 : text.len), text.ptr)
                          : arena_printf(a, "the provider answered %d", status);
}

const struct json *failure_to_json(struct arena *a, const struct model_failure *f,
                                   const char *provider, const char *model)
{
    struct json *j = json_object(a);

    json_add(a, j, STR("class"), json_cstring(a, failure_class_name(f->class)));
    json_add(a, j, STR("message"), json_cstring(a, f->message ? f->message : ""));
    if (f->status)
        json_add(a, j, STR("status"), json_int(a, f->status));
    if (provider)
        json_add(a, j, STR("provider"), json_cstring(a, provider));
    if (model)
        json_add(a, j, STR("model"), json_cstring(a, model));
    if (f->retry_after_ms > 0)
        json_add(a, j, STR("retry_after_ms"), json_int(a, f->retry_after_ms));
    return j;
}
