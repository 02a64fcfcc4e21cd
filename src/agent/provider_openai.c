/*
 * openai - Chat Completions, as OpenAI and everything compatible with it speaks them (Ollama,
 * llama.cpp, vLLM, proxies): with an address of its own only what everybody understands is sent.
 *
 * Tests: tests/unit/agent/test_provider_openai.c
 */
#include "agent/message.h"
#include "agent/wire.h"

/* Numbers of parts: the text, the reasoning, then the calls. */
enum { NUMBER_REASONING, NUMBER_TEXT, NUMBER_CALLS };

#define CALLS_MAX 0x10000 /* numbers of calls as servers give them */

static const char *const variants[] = { "minimal", "low", "medium", "high", NULL };

/* Request ------------------------------------------------------------------------------------- */

static const struct json *said(struct arena *a, const char *role, const struct json *content)
{
    const struct json *m = json_with(a, NULL, STR("role"), json_cstring(a, role));

    return json_with(a, m, STR("content"), content);
}

static const struct json *call(struct arena *a, const struct json *part)
{
    const struct json *args = json_get(part, STR("args"));
    const struct json *function = json_with(a, NULL, STR("name"), json_get(part, STR("tool")));
    const struct json *c = json_with(a, NULL, STR("id"), json_get(part, STR("call_id")));

    function =
        json_with(a, function, STR("arguments"), json_cstring(a, args ? json_text(a, args) : "{}"));
    c = json_with(a, c, STR("type"), json_cstring(a, "function"));
    return json_with(a, c, STR("function"), function);
}

static const struct json *assistant(struct arena *a, const struct json *message)
{
    struct json *calls = json_array(a);
    const struct json *text = json_cstring(a, message_text(a, message));
    const struct json *part = json_first(message_parts(a, message));

    for (; part; part = json_next(part))
        if (message_part_is(part, "tool_call"))
            json_push(a, calls, call(a, part));
    if (json_count(calls) == 0) /* nothing at all is refused, an empty text is not */
        return said(a, "assistant", text);
    return json_with(a, said(a, "assistant", json_str(a, text).len ? text : json_null(a)),
                     STR("tool_calls"), calls);
}

static const struct json *file(struct arena *a, const struct json *part)
{
    struct str type = json_str(a, json_get(part, STR("media_type")));
    struct str data = json_str(a, json_get(part, STR("data")));
    char *url = arena_printf(a, "data:%.*s;base64,%.*s", STR_ARG(type), STR_ARG(data));
    bool picture = str_starts(type, STR("image/"));
    const struct json *p =
        json_with(a, NULL, STR("type"), json_cstring(a, picture ? "image_url" : "file"));
    const struct json *f = json_with(a, NULL, STR("filename"), json_get(part, STR("name")));

    if (!picture)
        return json_with(a, p, STR("file"),
                         json_with(a, f, STR("file_data"), json_cstring(a, url)));
    return json_with(a, p, STR("image_url"), json_with(a, NULL, STR("url"), json_cstring(a, url)));
}

/* One text stays a plain text: not every server knows lists of parts. */
static const struct json *user(struct arena *a, const struct json *message)
{
    const struct json *parts = message_parts(a, message);
    struct json *list = json_array(a);

    for (const struct json *part = json_first(parts); part; part = json_next(part)) {
        const struct json *text = json_get(part, STR("text"));

        if (message_part_is(part, "file"))
            json_push(a, list, file(a, part));
        else if (message_part_is(part, "text"))
            json_push(a, list, message_text_part(a, json_str(a, text)));
    }
    if (json_count(list) == 1 && message_part_is(json_first(list), "text"))
        return said(a, "user", json_get(json_first(list), STR("text")));
    return said(a, "user", list);
}

static void push_results(struct arena *a, struct json *list, const struct json *message)
{
    const struct json *part = json_first(message_parts(a, message));

    for (; part; part = json_next(part)) {
        const struct json *m = said(a, "tool", json_get(part, STR("output")));

        if (message_part_is(part, "tool_result"))
            json_push(a, list,
                      json_with(a, m, STR("tool_call_id"), json_get(part, STR("call_id"))));
    }
}

/* What stands beside the results of tools can only be said by the user: files that were read, and
 * what hooks put there. */
static bool has_more(struct arena *a, const struct json *message)
{
    const struct json *part = json_first(message_parts(a, message));

    while (part && !message_part_is(part, "text") && !message_part_is(part, "file"))
        part = json_next(part);
    return part != NULL;
}

static const struct json *messages(struct arena *a, const struct model_request *q)
{
    struct json *list = json_array(a);

    for (const struct json *s = json_first(q->system); s; s = json_next(s))
        if (json_str(a, s).len)
            json_push(a, list, said(a, "system", s));
    for (const struct json *m = json_first(q->messages); m; m = json_next(m)) {
        if (message_is(m, "assistant")) {
            json_push(a, list, assistant(a, m));
            continue;
        }
        push_results(a, list, m);
        if (!message_is(m, "tool") || has_more(a, m))
            json_push(a, list, user(a, m));
    }
    return list;
}

static const struct json *tools(struct arena *a, const struct json *from)
{
    struct json *list = json_array(a);

    for (const struct json *t = json_first(from); t; t = json_next(t)) {
        const struct json *f = json_with(a, NULL, STR("name"), json_get(t, STR("name")));
        const struct json *tool = json_with(a, NULL, STR("type"), json_cstring(a, "function"));

        f = json_with(a, f, STR("description"), json_get(t, STR("description")));
        f = json_with(a, f, STR("parameters"), json_get(t, STR("parameters")));
        json_push(a, list, json_with(a, tool, STR("function"), f));
    }
    return list;
}

static const struct json *body(struct arena *a, const struct provider *p,
                               const struct model_request *q)
{
    const struct json *b = json_with(a, NULL, STR("model"), json_cstring(a, q->model));
    struct str most = p->own_address ? STR("max_tokens") : STR("max_completion_tokens");

    b = json_with(a, b, STR("stream"), json_bool(a, true));
    b = json_with(a, b, STR("stream_options"),
                  json_with(a, NULL, STR("include_usage"), json_bool(a, true)));
    b = json_with(a, b, STR("temperature"), json_get(q->params, STR("temperature")));
    b = json_with(a, b, STR("top_p"), json_get(q->params, STR("top_p")));
    b = json_with(a, b, most, json_get(q->params, STR("max_output_tokens")));
    if (q->variant)
        b = json_with(a, b, STR("reasoning_effort"), json_cstring(a, q->variant));
    if (q->session && !p->own_address)
        b = json_with(a, b, STR("prompt_cache_key"), json_cstring(a, q->session));
    if (json_count(q->tools))
        b = json_with(a, b, STR("tools"), tools(a, q->tools));
    if (json_count(q->tools) && q->no_calls)
        b = json_with(a, b, STR("tool_choice"), json_cstring(a, "none"));
    return json_with(a, b, STR("messages"), messages(a, q));
}

static char *url(struct arena *a, const struct provider *p, const struct model_request *q UNUSED)
{
    return arena_printf(a, "%s/chat/completions", p->base_url);
}

static const char *const *headers(struct arena *a, const struct provider *p,
                                  const struct model_request *q UNUSED)
{
    const char **list = arena_array(a, const char *, 2);

    if (p->key)
        list[0] = arena_printf(a, "Authorization: Bearer %s", p->key);
    return list;
}

/* Answer -------------------------------------------------------------------------------------- */

/* Its totals contain what was cached and what was thought. */
static void take_usage(struct reply *r, const struct json *usage)
{
    int64_t cached = wire_count(json_get(usage, STR("prompt_tokens_details")), "cached_tokens");
    int64_t thought =
        wire_count(json_get(usage, STR("completion_tokens_details")), "reasoning_tokens");
    int64_t input = wire_count(usage, "prompt_tokens");
    int64_t output = wire_count(usage, "completion_tokens");

    r->usage.cache_read = cached;
    r->usage.reasoning = thought;
    r->usage.input = input > cached ? input - cached : 0;
    r->usage.output = output > thought ? output - thought : 0;
}

/* Some servers give every call the same number, or none: a name with another id begins a new one.
 */
static unsigned number_of(const struct reply *r, const struct json *c, struct str id,
                          struct str name)
{
    unsigned number = NUMBER_CALLS + (unsigned)wire_count(c, "index") % CALLS_MAX;
    const char *known;

    while (reply_has(r, number + CALLS_MAX))
        number += CALLS_MAX;
    known = reply_call_id(r, number);
    return known && id.len && name.len && !str_is(id, known) ? number + CALLS_MAX : number;
}

static void take_call(struct reply *r, const struct json *c)
{
    struct arena *a = r->arena;
    const struct json *function = json_get(c, STR("function"));
    struct str id = json_str(a, json_get(c, STR("id")));
    struct str name = json_str(a, json_get(function, STR("name")));
    unsigned number = number_of(r, c, id, name);

    reply_tool(r, number, id, name);
    reply_args(r, number, json_str(a, json_get(function, STR("arguments"))));
}

static void take_delta(struct reply *r, const struct json *delta)
{
    struct arena *a = r->arena;
    const struct json *thought = json_get(delta, STR("reasoning_content"));

    if (json_type(thought) != JSON_STRING) /* the other word for it */
        thought = json_get(delta, STR("reasoning"));
    if (json_str(a, thought).len)
        reply_reasoning(r, NUMBER_REASONING, json_str(a, thought));
    if (json_str(a, json_get(delta, STR("content"))).len)
        reply_text(r, NUMBER_TEXT, json_str(a, json_get(delta, STR("content"))));
    for (const struct json *c = json_first(json_get(delta, STR("tool_calls"))); c; c = json_next(c))
        take_call(r, c);
}

static void take_end(struct reply *r, struct str reason)
{
    if (!reason.len)
        return;
    r->complete = true;
    r->stop = MODEL_DONE;
    if (str_is(reason, "tool_calls") || str_is(reason, "function_call"))
        r->stop = MODEL_TOOLS;
    else if (str_is(reason, "length"))
        r->stop = MODEL_LENGTH;
    else if (str_is(reason, "content_filter"))
        r->stop = MODEL_REFUSED;
}

static void event(struct reply *r, const char *name UNUSED, const struct json *data)
{
    const struct json *choice = json_first(json_get(data, STR("choices")));
    const struct json *error = json_get(data, STR("error"));

    if (json_type(error) == JSON_OBJECT) {
        r->failed = true;
        r->failure.retry_after_ms = -1;
        failure_of_error(r->arena, 0, error, &r->failure);
        return;
    }
    if (json_type(json_get(data, STR("usage"))) == JSON_OBJECT)
        take_usage(r, json_get(data, STR("usage")));
    take_delta(r, json_get(choice, STR("delta")));
    take_end(r, json_str(r->arena, json_get(choice, STR("finish_reason"))));
}

static const struct wire wire = { .url = url, .headers = headers, .body = body, .event = event };

static int send(const struct model_exchange *x)
{
    return wire_send(&wire, x);
}

static const char *const base_variables[] = { "OPENAI_BASE_URL", NULL };
static const char *const key_variables[] = { "OPENAI_API_KEY", NULL };

const struct provider_kind openai_provider = {
    .name = "openai",
    .base_url = "https://api.openai.com/v1",
    .base_variables = base_variables,
    .key_variables = key_variables,
    .variants = variants,
    .send = send,
};
