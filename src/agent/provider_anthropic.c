/*
 * anthropic - the Messages API.
 *
 * Tests: tests/unit/agent/test_provider_anthropic.c
 */
#include "agent/message.h"
#include "agent/wire.h"
#include "hook/collector.h"

#define MAX_TOKENS 32000

/* How many tokens a variant lets the model think. */
static const struct {
    const char *variant;
    int budget;
} budgets[] = {
    { "low", 4096 },
    { "medium", 12288 },
    { "high", 24576 },
};

static const char *const variants[] = { "low", "medium", "high", NULL };

static int budget_of(const char *variant)
{
    for (size_t i = 0; variant && i < ARRAY_LEN(budgets); i++)
        if (strcmp(budgets[i].variant, variant) == 0)
            return budgets[i].budget;
    return 0;
}

/* Request ------------------------------------------------------------------------------------- */

static const struct json *block(struct arena *a, const char *type)
{
    return json_with(a, NULL, STR("type"), json_cstring(a, type));
}

static const struct json *text_block(struct arena *a, const struct json *text)
{
    return json_with(a, block(a, "text"), STR("text"), text);
}

static const struct json *call_block(struct arena *a, const struct json *part)
{
    const struct json *b = block(a, "tool_use"), *args = json_get(part, STR("args"));

    b = json_with(a, b, STR("id"), json_get(part, STR("call_id")));
    b = json_with(a, b, STR("name"), json_get(part, STR("tool")));
    return json_with(a, b, STR("input"), args ? args : json_object(a));
}

static const struct json *result_block(struct arena *a, const struct json *part)
{
    const struct json *b = block(a, "tool_result"), *success = json_get(part, STR("success"));

    b = json_with(a, b, STR("tool_use_id"), json_get(part, STR("call_id")));
    b = json_with(a, b, STR("content"), json_get(part, STR("output")));
    if (json_type(success) == JSON_BOOL && !json_is_true(success))
        b = json_with(a, b, STR("is_error"), json_bool(a, true));
    return b;
}

/* Thinking goes back only with its signature; without one the API refuses the message. */
static const struct json *reasoning_block(struct arena *a, const struct json *part)
{
    const struct json *native = json_get(json_get(part, STR("native")), STR("anthropic"));
    const struct json *redacted = json_get(native, STR("data"));
    const struct json *signature = json_get(native, STR("signature"));
    const struct json *b;

    if (redacted)
        return json_with(a, block(a, "redacted_thinking"), STR("data"), redacted);
    if (!signature)
        return NULL;
    b = json_with(a, block(a, "thinking"), STR("thinking"), json_get(part, STR("text")));
    return json_with(a, b, STR("signature"), signature);
}

static const struct json *file_block(struct arena *a, const struct json *part)
{
    const struct json *type = json_get(part, STR("media_type"));
    const struct json *source = json_with(a, NULL, STR("type"), json_cstring(a, "base64"));
    bool image = str_starts(json_str(a, type), STR("image/"));

    source = json_with(a, source, STR("media_type"), type);
    source = json_with(a, source, STR("data"), json_get(part, STR("data")));
    return json_with(a, block(a, image ? "image" : "document"), STR("source"), source);
}

static const struct json *to_block(struct arena *a, const struct json *part)
{
    if (message_part_is(part, "tool_call"))
        return call_block(a, part);
    if (message_part_is(part, "tool_result"))
        return result_block(a, part);
    if (message_part_is(part, "reasoning"))
        return reasoning_block(a, part);
    if (message_part_is(part, "file"))
        return file_block(a, part);
    if (message_part_is(part, "text") && json_str(a, json_get(part, STR("text"))).len)
        return text_block(a, json_get(part, STR("text")));
    return NULL;
}

static const char *role_of(const struct json *message)
{
    return message_is(message, "assistant") ? "assistant" : "user";
}

static void push_message(struct arena *a, struct json *list, const char *role,
                         const struct json *blocks)
{
    const struct json *m = json_with(a, NULL, STR("role"), json_cstring(a, role));

    if (json_count(blocks))
        json_push(a, list, json_with(a, m, STR("content"), blocks));
}

static bool is_volatile(const struct json *part)
{
    return inject_is_tagged(part, COLLECTOR_TAIL_TAG);
}

/* Results of tools are the user's there, and two messages of one role are one. */
static const struct json *messages(struct arena *a, const struct json *from)
{
    struct json *list = json_array(a);
    const struct json *blocks = json_array(a);
    const char *role = NULL;

    for (const struct json *m = json_first(from); m; m = json_next(m)) {
        const struct json *part = json_first(message_parts(a, m));

        if (role && strcmp(role, role_of(m)) != 0) {
            push_message(a, list, role, blocks);
            blocks = json_array(a);
        }
        role = role_of(m);
        for (; part; part = json_next(part)) {
            const struct json *b = to_block(a, part);

            if (b && !is_volatile(part))
                blocks = json_append(a, blocks, b);
        }
    }
    if (role)
        push_message(a, list, role, blocks);
    return list;
}

/* Caching ------------------------------------------------------------------------------------- */

static const struct json *with_mark(struct arena *a, const struct json *b)
{
    const struct json *mark = json_with(a, NULL, STR("type"), json_cstring(a, "ephemeral"));

    return json_with(a, b, STR("cache_control"), mark);
}

static const struct json *mark_last(struct arena *a, const struct json *blocks)
{
    size_t count = json_count(blocks);
    struct json *one = json_array(a);

    if (count == 0)
        return blocks;
    json_push(a, one, with_mark(a, json_at(blocks, count - 1)));
    return json_splice(a, blocks, count - 1, 1, one);
}

static bool is_user(const struct json *message)
{
    return message_is(message, "user");
}

/*
 * The last two messages of the user: the newest is what the next request will find, the one before
 * is what this request finds when the newest differs. A mark is refused on thinking, which only the
 * assistant has.
 */
static const struct json *mark_messages(struct arena *a, const struct json *list)
{
    size_t count = json_count(list), marked = 0;

    while (count > 0 && marked < 2) {
        const struct json *m = json_at(list, --count);
        struct json *one = json_array(a);

        if (!is_user(m))
            continue;
        json_push(a, one,
                  json_with(a, m, STR("content"), mark_last(a, json_get(m, STR("content")))));
        list = json_splice(a, list, count, 1, one);
        marked++;
    }
    return list;
}

/* What will not be there next time comes behind the marks: nothing after it could be found. */
static const struct json *add_volatile(struct arena *a, const struct json *list,
                                       const struct json *from)
{
    size_t count = json_count(from), at = json_count(list) - 1;
    const struct json *part, *last = json_at(list, at), *content;
    struct json *one = json_array(a);

    if (count == 0 || !last || !is_user(last))
        return list;
    content = json_get(last, STR("content"));
    for (part = json_first(message_parts(a, json_at(from, count - 1))); part;
         part = json_next(part))
        if (is_volatile(part))
            content = json_append(a, content, text_block(a, json_get(part, STR("text"))));
    json_push(a, one, json_with(a, last, STR("content"), content));
    return json_splice(a, list, at, 1, one);
}

static const struct json *system_blocks(struct arena *a, const struct json *system)
{
    struct json *list = json_array(a);

    for (const struct json *s = json_first(system); s; s = json_next(s))
        if (json_str(a, s).len)
            json_push(a, list, text_block(a, s));
    return mark_last(a, list);
}

static const struct json *tools(struct arena *a, const struct json *from)
{
    struct json *list = json_array(a);

    for (const struct json *t = json_first(from); t; t = json_next(t)) {
        const struct json *tool = json_with(a, NULL, STR("name"), json_get(t, STR("name")));

        tool = json_with(a, tool, STR("description"), json_get(t, STR("description")));
        json_push(a, list, json_with(a, tool, STR("input_schema"), json_get(t, STR("parameters"))));
    }
    return list;
}

/* Thinking counts against max_tokens and allows no temperature. */
static const struct json *add_params(struct arena *a, const struct json *body,
                                     const struct model_request *q)
{
    int budget = budget_of(q->variant);
    int64_t most = wire_count(q->params, "max_output_tokens");
    const struct json *thinking;

    most = most ? most : MAX_TOKENS;
    if (budget) {
        thinking = json_with(a, NULL, STR("type"), json_cstring(a, "enabled"));
        thinking = json_with(a, thinking, STR("budget_tokens"), json_int(a, budget));
        body = json_with(a, body, STR("thinking"), thinking);
        if (most <= budget)
            most = budget + 4096;
    } else {
        body = json_with(a, body, STR("temperature"), json_get(q->params, STR("temperature")));
        body = json_with(a, body, STR("top_p"), json_get(q->params, STR("top_p")));
        body = json_with(a, body, STR("top_k"), json_get(q->params, STR("top_k")));
    }
    return json_with(a, body, STR("max_tokens"), json_int(a, most));
}

static const struct json *body(struct arena *a, const struct provider *p UNUSED,
                               const struct model_request *q)
{
    const struct json *b = json_with(a, NULL, STR("model"), json_cstring(a, q->model));

    b = json_with(a, b, STR("stream"), json_bool(a, true));
    b = add_params(a, b, q);
    if (json_count(q->tools))
        b = json_with(a, b, STR("tools"), tools(a, q->tools));
    if (json_count(q->tools) && q->no_calls)
        b = json_with(a, b, STR("tool_choice"), block(a, "none"));
    if (json_count(q->system))
        b = json_with(a, b, STR("system"), system_blocks(a, q->system));
    return json_with(a, b, STR("messages"),
                     add_volatile(a, mark_messages(a, messages(a, q->messages)), q->messages));
}

static char *url(struct arena *a, const struct provider *p, const struct model_request *q UNUSED)
{
    return arena_printf(a, "%s/v1/messages", p->base_url);
}

static const char *const *headers(struct arena *a, const struct provider *p,
                                  const struct model_request *q UNUSED)
{
    const char **list = arena_array(a, const char *, 3);

    list[0] = "anthropic-version: 2023-06-01";
    if (p->key)
        list[1] = arena_printf(a, "x-api-key: %s", p->key);
    return list;
}

/* Answer -------------------------------------------------------------------------------------- */

static void take_usage(struct reply *r, const struct json *usage)
{
    static const struct {
        const char *key;
        size_t offset;
    } counts[] = {
        { "input_tokens", offsetof(struct usage, input) },
        { "output_tokens", offsetof(struct usage, output) },
        { "cache_read_input_tokens", offsetof(struct usage, cache_read) },
        { "cache_creation_input_tokens", offsetof(struct usage, cache_write) },
    };

    /* Later numbers are totals, not additions; what is left out stays. */
    for (size_t i = 0; i < ARRAY_LEN(counts); i++)
        if (json_get(usage, str_of(counts[i].key)))
            *(int64_t *)((char *)&r->usage + counts[i].offset) = wire_count(usage, counts[i].key);
}

static void begin_block(struct reply *r, unsigned number, const struct json *b)
{
    if (message_part_is(b, "text"))
        reply_text(r, number, json_str(r->arena, json_get(b, STR("text"))));
    else if (message_part_is(b, "thinking"))
        reply_reasoning(r, number, json_str(r->arena, json_get(b, STR("thinking"))));
    else if (message_part_is(b, "redacted_thinking"))
        reply_native(r, number, "anthropic", STR("data"), json_get(b, STR("data")));
    else if (message_part_is(b, "tool_use"))
        reply_tool(r, number, json_str(r->arena, json_get(b, STR("id"))),
                   json_str(r->arena, json_get(b, STR("name"))));
}

static void add_to_block(struct reply *r, unsigned number, const struct json *delta)
{
    struct arena *a = r->arena;

    if (message_part_is(delta, "text_delta"))
        reply_text(r, number, json_str(a, json_get(delta, STR("text"))));
    else if (message_part_is(delta, "thinking_delta"))
        reply_reasoning(r, number, json_str(a, json_get(delta, STR("thinking"))));
    else if (message_part_is(delta, "signature_delta"))
        reply_native_text(r, number, "anthropic", STR("signature"),
                          json_str(a, json_get(delta, STR("signature"))));
    else if (message_part_is(delta, "input_json_delta"))
        reply_args(r, number, json_str(a, json_get(delta, STR("partial_json"))));
}

static enum model_stop stop_of(struct str reason)
{
    if (str_is(reason, "tool_use"))
        return MODEL_TOOLS;
    if (str_is(reason, "max_tokens") || str_is(reason, "model_context_window_exceeded"))
        return MODEL_LENGTH;
    return str_is(reason, "refusal") ? MODEL_REFUSED : MODEL_DONE;
}

static void event(struct reply *r, const char *name UNUSED, const struct json *data)
{
    unsigned number = (unsigned)wire_count(data, "index");

    if (message_part_is(data, "message_start")) {
        take_usage(r, json_pointer(data, "/message/usage"));
    } else if (message_part_is(data, "content_block_start")) {
        begin_block(r, number, json_get(data, STR("content_block")));
    } else if (message_part_is(data, "content_block_delta")) {
        add_to_block(r, number, json_get(data, STR("delta")));
    } else if (message_part_is(data, "message_delta")) {
        take_usage(r, json_get(data, STR("usage")));
        r->stop = stop_of(json_str(r->arena, json_pointer(data, "/delta/stop_reason")));
    } else if (message_part_is(data, "message_stop")) {
        r->complete = true;
    } else if (message_part_is(data, "error")) {
        r->failed = true;
        r->failure.retry_after_ms = -1;
        failure_of_error(r->arena, 0, json_get(data, STR("error")), &r->failure);
    }
}

static const struct wire wire = { .url = url, .headers = headers, .body = body, .event = event };

static int send(const struct model_exchange *x)
{
    return wire_send(&wire, x);
}

static const char *const base_variables[] = { "ANTHROPIC_BASE_URL", NULL };
static const char *const key_variables[] = { "ANTHROPIC_API_KEY", NULL };

const struct provider_kind anthropic_provider = {
    .name = "anthropic",
    .base_url = "https://api.anthropic.com",
    .base_variables = base_variables,
    .key_variables = key_variables,
    .variants = variants,
    .needs_key = true,
    .send = send,
};
