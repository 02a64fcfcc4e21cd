/*
 * google - Gemini's generateContent, streaming.
 *
 * Tests: tests/unit/agent/test_provider_google.c
 */
#include "agent/message.h"
#include "agent/wire.h"

static const struct {
    const char *variant;
    int budget;
} budgets[] = {
    { "low", 2048 },
    { "medium", 8192 },
    { "high", 24576 },
};

static const char *const variants[] = { "low", "medium", "high", NULL };

/* Request ------------------------------------------------------------------------------------- */

/* What must go back with a part: the signature of the thought that led to it. */
static const struct json *with_signature(struct arena *a, const struct json *p,
                                         const struct json *part)
{
    const struct json *native = json_get(json_get(part, STR("native")), STR("google"));

    return json_with(a, p, STR("thoughtSignature"), json_get(native, STR("signature")));
}

static const struct json *call(struct arena *a, const struct json *part)
{
    const struct json *args = json_get(part, STR("args"));
    const struct json *c = json_with(a, NULL, STR("name"), json_get(part, STR("tool")));

    c = json_with(a, c, STR("args"), args ? args : json_object(a));
    return with_signature(a, json_with(a, NULL, STR("functionCall"), c), part);
}

static const struct json *result(struct arena *a, const struct json *part)
{
    const struct json *success = json_get(part, STR("success"));
    bool failed = json_type(success) == JSON_BOOL && !json_is_true(success);
    const struct json *response =
        json_with(a, NULL, failed ? STR("error") : STR("output"), json_get(part, STR("output")));
    const struct json *f = json_with(a, NULL, STR("name"), json_get(part, STR("tool")));

    f = json_with(a, f, STR("response"), response);
    return json_with(a, NULL, STR("functionResponse"), f);
}

static const struct json *file(struct arena *a, const struct json *part)
{
    const struct json *data =
        json_with(a, NULL, STR("mimeType"), json_get(part, STR("media_type")));

    data = json_with(a, data, STR("data"), json_get(part, STR("data")));
    return json_with(a, NULL, STR("inlineData"), data);
}

static const struct json *to_part(struct arena *a, const struct json *part)
{
    const struct json *text = json_get(part, STR("text"));

    if (message_part_is(part, "tool_call"))
        return call(a, part);
    if (message_part_is(part, "tool_result"))
        return result(a, part);
    if (message_part_is(part, "file"))
        return file(a, part);
    if (message_part_is(part, "text") && json_str(a, text).len)
        return with_signature(a, json_with(a, NULL, STR("text"), text), part);
    return NULL; /* thoughts stay here: their signature travels with what followed */
}

static const char *role_of(const struct json *message)
{
    return message_is(message, "assistant") ? "model" : "user";
}

static void push_content(struct arena *a, struct json *list, const char *role,
                         const struct json *parts)
{
    const struct json *c = json_with(a, NULL, STR("role"), json_cstring(a, role));

    if (json_count(parts))
        json_push(a, list, json_with(a, c, STR("parts"), parts));
}

static const struct json *contents(struct arena *a, const struct json *from)
{
    struct json *list = json_array(a);
    const struct json *parts = json_array(a);
    const char *role = NULL;

    for (const struct json *m = json_first(from); m; m = json_next(m)) {
        const struct json *part = json_first(message_parts(a, m));

        if (role && strcmp(role, role_of(m)) != 0) {
            push_content(a, list, role, parts);
            parts = json_array(a);
        }
        role = role_of(m);
        for (; part; part = json_next(part)) {
            const struct json *p = to_part(a, part);

            if (p)
                parts = json_append(a, parts, p);
        }
    }
    if (role)
        push_content(a, list, role, parts);
    return list;
}

static const struct json *system_instruction(struct arena *a, const struct json *system)
{
    struct json *parts = json_array(a);

    for (const struct json *s = json_first(system); s; s = json_next(s))
        json_push(a, parts, json_with(a, NULL, STR("text"), s));
    return json_with(a, NULL, STR("parts"), parts);
}

static const struct json *no_calls(struct arena *a)
{
    const struct json *mode = json_with(a, NULL, STR("mode"), json_cstring(a, "NONE"));

    return json_with(a, NULL, STR("functionCallingConfig"), mode);
}

static const struct json *tools(struct arena *a, const struct json *from)
{
    struct json *list = json_array(a), *declarations = json_array(a);

    for (const struct json *t = json_first(from); t; t = json_next(t)) {
        const struct json *f = json_with(a, NULL, STR("name"), json_get(t, STR("name")));

        f = json_with(a, f, STR("description"), json_get(t, STR("description")));
        json_push(a, declarations,
                  json_with(a, f, STR("parametersJsonSchema"), json_get(t, STR("parameters"))));
    }
    json_push(a, list, json_with(a, NULL, STR("functionDeclarations"), declarations));
    return list;
}

static const struct json *thinking(struct arena *a, const char *variant)
{
    for (size_t i = 0; variant && i < ARRAY_LEN(budgets); i++)
        if (strcmp(budgets[i].variant, variant) == 0)
            return json_with(
                a, json_with(a, NULL, STR("thinkingBudget"), json_int(a, budgets[i].budget)),
                STR("includeThoughts"), json_bool(a, true));
    return NULL;
}

static const struct json *generation(struct arena *a, const struct model_request *q)
{
    const struct json *g =
        json_with(a, NULL, STR("temperature"), json_get(q->params, STR("temperature")));

    g = json_with(a, g, STR("topP"), json_get(q->params, STR("top_p")));
    g = json_with(a, g, STR("topK"), json_get(q->params, STR("top_k")));
    g = json_with(a, g, STR("maxOutputTokens"), json_get(q->params, STR("max_output_tokens")));
    return json_with(a, g, STR("thinkingConfig"), thinking(a, q->variant));
}

static const struct json *body(struct arena *a, const struct provider *p UNUSED,
                               const struct model_request *q)
{
    const struct json *b = json_object(a), *config = generation(a, q);

    if (json_count(q->system))
        b = json_with(a, b, STR("systemInstruction"), system_instruction(a, q->system));
    if (json_count(q->tools))
        b = json_with(a, b, STR("tools"), tools(a, q->tools));
    if (json_count(q->tools) && q->no_calls)
        b = json_with(a, b, STR("toolConfig"), no_calls(a));
    if (json_count(config))
        b = json_with(a, b, STR("generationConfig"), config);
    return json_with(a, b, STR("contents"), contents(a, q->messages));
}

static char *url(struct arena *a, const struct provider *p, const struct model_request *q)
{
    return arena_printf(a, "%s/v1beta/models/%s:streamGenerateContent?alt=sse", p->base_url,
                        q->model);
}

static const char *const *headers(struct arena *a, const struct provider *p,
                                  const struct model_request *q UNUSED)
{
    const char **list = arena_array(a, const char *, 2);

    if (p->key)
        list[0] = arena_printf(a, "x-goog-api-key: %s", p->key);
    return list;
}

/* Answer -------------------------------------------------------------------------------------- */

static void take_usage(struct reply *r, const struct json *usage)
{
    int64_t cached = wire_count(usage, "cachedContentTokenCount");
    int64_t input = wire_count(usage, "promptTokenCount");

    r->usage.cache_read = cached;
    r->usage.input = input > cached ? input - cached : 0;
    r->usage.output = wire_count(usage, "candidatesTokenCount");
    r->usage.reasoning = wire_count(usage, "thoughtsTokenCount");
}

/* Pieces of text have no number: they belong together until something else comes. */
static unsigned number_of(struct reply *r, const struct json *part)
{
    enum { THOUGHT, TEXT, CALL } kind = TEXT;

    if (json_get(part, STR("functionCall")))
        kind = CALL;
    else if (json_is_true(json_get(part, STR("thought"))))
        kind = THOUGHT;
    /* The low two bits tell what the last part was, the rest counts the changes. */
    if (kind == CALL || (r->cursor & 3) != kind || !reply_has(r, r->cursor))
        r->cursor = ((r->cursor >> 2) + 1) << 2 | kind;
    return r->cursor;
}

static void take_part(struct reply *r, const struct json *part)
{
    struct arena *a = r->arena;
    unsigned number = number_of(r, part);
    const struct json *function = json_get(part, STR("functionCall"));
    const struct json *signature = json_get(part, STR("thoughtSignature"));
    struct str text = json_str(a, json_get(part, STR("text")));

    if (function) {
        const struct json *args = json_get(function, STR("args"));

        reply_tool(r, number, json_str(a, json_get(function, STR("id"))),
                   json_str(a, json_get(function, STR("name"))));
        reply_args(r, number, str_of(args ? json_text(a, args) : "{}"));
    } else if (json_is_true(json_get(part, STR("thought")))) {
        reply_reasoning(r, number, text);
    } else {
        reply_text(r, number, text);
    }
    if (signature)
        reply_native(r, number, "google", STR("signature"), signature);
    if (function)
        r->stop = MODEL_TOOLS;
}

/* Why it stopped; that a tool is called is not among its reasons. */
static void take_end(struct reply *r, struct str reason)
{
    if (!reason.len)
        return;
    r->complete = true;
    if (str_is(reason, "MAX_TOKENS"))
        r->stop = MODEL_LENGTH;
    else if (!str_is(reason, "STOP") && !str_is(reason, "FUNCTION_CALL") && r->stop != MODEL_TOOLS)
        r->stop = MODEL_REFUSED;
}

static void event(struct reply *r, const char *name UNUSED, const struct json *data)
{
    const struct json *candidate = json_first(json_get(data, STR("candidates")));
    const struct json *error = json_get(data, STR("error"));
    const struct json *part = json_first(json_pointer(candidate, "/content/parts"));

    if (error) {
        r->failed = true;
        r->failure.retry_after_ms = -1;
        failure_of_error(r->arena, 0, error, &r->failure);
        return;
    }
    if (json_get(data, STR("usageMetadata")))
        take_usage(r, json_get(data, STR("usageMetadata")));
    for (; part; part = json_next(part))
        take_part(r, part);
    take_end(r, json_str(r->arena, json_get(candidate, STR("finishReason"))));
    if (json_pointer(data, "/promptFeedback/blockReason")) {
        r->complete = true;
        r->stop = MODEL_REFUSED;
    }
}

static const struct wire wire = { .url = url, .headers = headers, .body = body, .event = event };

static int send(const struct model_exchange *x)
{
    return wire_send(&wire, x);
}

static const char *const base_variables[] = { "GOOGLE_GEMINI_BASE_URL", NULL };
static const char *const key_variables[] = { "GEMINI_API_KEY", "GOOGLE_API_KEY", NULL };

const struct provider_kind google_provider = {
    .name = "google",
    .base_url = "https://generativelanguage.googleapis.com",
    .base_variables = base_variables,
    .key_variables = key_variables,
    .variants = variants,
    .needs_key = true,
    .send = send,
};
