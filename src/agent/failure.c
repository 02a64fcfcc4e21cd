#include "agent/failure.h"

#include <strings.h>

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
static const struct {
    int status;
    const char *type, *text;
    enum failure_class class;
} rows[] = {
    /* by type: Anthropic, OpenAI, Google */
    { 0, "insufficient_quota", NULL, MODEL_QUOTA },
    { 0, "billing_error", NULL, MODEL_QUOTA },
    { 0, "billing_not_active", NULL, MODEL_QUOTA },
    { 0, "context_length_exceeded", NULL, MODEL_CONTEXT_OVERFLOW },
    { 0, "model_context_window_exceeded", NULL, MODEL_CONTEXT_OVERFLOW },
    { 0, "request_too_large", NULL, MODEL_CONTEXT_OVERFLOW },
    { 0, "overloaded_error", NULL, MODEL_OVERLOADED },
    { 0, "UNAVAILABLE", NULL, MODEL_OVERLOADED },
    { 0, "authentication_error", NULL, MODEL_AUTH },
    { 0, "permission_error", NULL, MODEL_AUTH },
    { 0, "invalid_api_key", NULL, MODEL_AUTH },
    { 0, "UNAUTHENTICATED", NULL, MODEL_AUTH },
    { 0, "PERMISSION_DENIED", NULL, MODEL_AUTH },
    /* a 429 that no waiting mends */
    { 429, NULL, "exceeded your current quota, please check your plan", MODEL_QUOTA },
    { 429, NULL, "insufficient balance", MODEL_QUOTA },
    { 429, NULL, "usage limit", MODEL_QUOTA },
    { 0, "rate_limit_error", NULL, MODEL_RATE_LIMIT },
    { 0, "rate_limit_exceeded", NULL, MODEL_RATE_LIMIT },
    { 0, "RESOURCE_EXHAUSTED", NULL, MODEL_RATE_LIMIT },
    /* by status, where the words may narrow it */
    { 429, NULL, NULL, MODEL_RATE_LIMIT },
    { 401, NULL, NULL, MODEL_AUTH },
    { 402, NULL, NULL, MODEL_QUOTA },
    { 403, NULL, NULL, MODEL_AUTH },
    { 413, NULL, NULL, MODEL_CONTEXT_OVERFLOW },
    { 529, NULL, NULL, MODEL_OVERLOADED },
    { 503, NULL, NULL, MODEL_OVERLOADED },
    { 500, NULL, NULL, MODEL_OVERLOADED },
    { 502, NULL, NULL, MODEL_OVERLOADED },
    { 504, NULL, NULL, MODEL_OVERLOADED },
    { 408, NULL, NULL, MODEL_NETWORK },
    { 400, NULL, "prompt is too long", MODEL_CONTEXT_OVERFLOW },
    { 400, NULL, "maximum context length", MODEL_CONTEXT_OVERFLOW },
    { 400, NULL, "exceeds the maximum number of tokens", MODEL_CONTEXT_OVERFLOW },
    { 400, NULL, "exceed context limit", MODEL_CONTEXT_OVERFLOW },
    { 400, NULL, "context size", MODEL_CONTEXT_OVERFLOW },
    { 400, NULL, "api key not valid", MODEL_AUTH },
    { 400, NULL, "credit balance is too low", MODEL_QUOTA },
    { 400, NULL, NULL, MODEL_BAD_REQUEST },
    { 404, NULL, NULL, MODEL_BAD_REQUEST },
    { 422, NULL, NULL, MODEL_BAD_REQUEST },
    { 0, "invalid_request_error", NULL, MODEL_BAD_REQUEST },
    { 0, "not_found_error", NULL, MODEL_BAD_REQUEST },
    { 0, "api_error", NULL, MODEL_OVERLOADED },
    { 0, "server_error", NULL, MODEL_OVERLOADED },
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
