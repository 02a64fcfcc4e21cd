/*
 * chat-headers - tell GitHub Copilot which requests no person has asked for.
 *
 * Points:  chat.headers; chat.message remembers which messages are internal
 * Options: providers, remember
 * Tests:   tests/unit/builtin/test_chat_headers.c
 *
 * Whether a message is internal is read from what the host says of it, never from its text. Some
 * hosts say it with the message and only give the message's id with the request: for them the
 * newest ids are kept. The Copilot SDK sends the header itself, and Copilot refuses a second one.
 */
#include "hook/state.h"

#include <strings.h>

#define HEADER     "x-initiator"
#define NATIVE_SDK "@ai-sdk/github-copilot"

struct options {
    const char *const *providers;
    int64_t remember;
};

static const struct option options[] = {
    OPTION_LIST("providers", struct options, providers,
                "[github-copilot, github-copilot-enterprise]",
                "the providers whose requests get the header"),
    OPTION_INT("remember", struct options, remember, "1000", 0, 100000,
               "ids of internal messages that are kept per session, the oldest go first"),
    OPTION_END,
};

/* Ids of internal messages --------------------------------------------------------------------- */

struct noting {
    struct str id;
    int64_t most;
};

static bool is_listed(struct arena *a, const struct json *list, struct str id)
{
    for (const struct json *j = json_first(list); j; j = json_next(j))
        if (str_eq(json_str(a, j), id))
            return true;
    return false;
}

static int decide_note(void *context, struct arena *a, struct str before, struct str *after,
                       struct err *e UNUSED)
{
    const struct noting *n = context;
    const struct json *ids = NULL;
    size_t count;

    if (str_is_set(before) && json_parse(a, before, NULL, &ids, NULL) < 0)
        ids = NULL;
    if (is_listed(a, ids, n->id))
        return 0;
    ids = json_append(a, ids, json_string(a, n->id));
    count = json_count(ids);
    if (count > (size_t)n->most)
        ids = json_splice(a, ids, 0, count - (size_t)n->most, NULL);
    *after = str_of(json_text(a, ids));
    return 0;
}

static int chat_message(const struct hook_call *c, struct verdict *v UNUSED, struct err *e)
{
    const struct options *o = c->options;
    const struct json *message = event_data(c->event, STR("message"));
    struct noting n = { json_str(c->arena, json_get(message, STR("id"))), o->remember };

    if (!n.id.len || !json_is_true(json_get(message, STR("internal"))))
        return 0;
    return state_update(c, "internal", decide_note, &n, e);
}

static int ask_internal(const struct hook_call *c, bool *internal, struct err *e)
{
    const struct json *message = event_data(c->event, STR("message"));
    const struct json *said = json_get(message, STR("internal")), *ids = NULL;
    struct str id = json_str(c->arena, json_get(message, STR("id"))), kept;
    int r;

    *internal = json_is_true(said);
    if (json_type(said) == JSON_BOOL || !id.len)
        return 0;
    r = state_get(c, "internal", &kept, e);
    if (r < 0 || !str_is_set(kept))
        return r;
    r = json_parse(c->arena, kept, NULL, &ids, e);
    *internal = is_listed(c->arena, ids, id);
    return r;
}

/* The header ----------------------------------------------------------------------------------- */

static bool is_asked(const struct hook_call *c)
{
    const struct options *o = c->options;
    struct str provider = json_str(c->arena, event_data(c->event, STR("provider")));
    struct str sdk = json_str(c->arena, event_data(c->event, STR("sdk")));
    bool listed = false;

    for (const char *const *p = o->providers; provider.len && *p; p++)
        listed |= str_is(provider, *p);
    return listed && !str_is(sdk, NATIVE_SDK);
}

/* Names of headers know no case: whoever wrote it otherwise before does not send it twice. */
static const struct json *with_header(const struct hook_call *c)
{
    const struct json *headers = event_data(c->event, STR("headers")), *out = headers;

    for (const struct json *h = json_first(headers); h; h = json_next(h)) {
        struct str name = json_key(c->arena, h);

        if (strcasecmp(arena_cstr(c->arena, name), HEADER) == 0)
            out = json_with(c->arena, out, name, NULL);
    }
    return json_with(c->arena, out, STR(HEADER), json_cstring(c->arena, "agent"));
}

static int chat_headers(const struct hook_call *c, struct verdict *v, struct err *e)
{
    bool internal = false;
    int r = is_asked(c) ? ask_internal(c, &internal, e) : 0;

    if (r == 0 && internal)
        verdict_replace(c->arena, v, STR("headers"), with_header(c));
    return r;
}

const struct hook_def chat_headers_hook = {
    .name = "chat-headers",
    .summary = "tells GitHub Copilot which requests no person has asked for",
    .layer = LAYER_TRANSFORM,
    .options = options,
    .options_size = sizeof(struct options),
    .on = { [POINT_CHAT_MESSAGE] = chat_message, [POINT_CHAT_HEADERS] = chat_headers },
};
