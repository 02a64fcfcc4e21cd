/*
 * context-injector - put the context that hooks left for this session into the request.
 *
 * Point:   experimental.chat.messages.transform
 * Tests:   tests/unit/builtin/test_context_injector.c
 */
#include "hook/collector.h"
#include "hook/engine.h"

static bool is_main(const struct hook_call *c)
{
    struct str purpose = json_str(c->arena, event_data(c->event, STR("purpose")));

    return !str_is_set(purpose) || str_is(purpose, "main");
}

static int messages_transform(const struct hook_call *c, struct verdict *v, struct err *e)
{
    struct collector collector = { engine_store(c->engine), c->event->session.id };
    const struct json *messages = event_data(c->event, STR("messages")), *placed;
    int r;

    /* Titles and summaries are requests of the machinery: what waits is not for them. */
    if (json_type(messages) != JSON_ARRAY || !is_main(c))
        return 0;
    r = collector_place(&collector, c->arena, messages, &placed, e);
    if (r < 0)
        return r;
    if (placed != messages)
        verdict_replace(c->arena, v, STR("messages"), placed);
    return 0;
}

const struct hook_def context_injector_hook = {
    .name = "context-injector",
    .summary = "puts the context that hooks left into the request, the same bytes every time",
    .layer = LAYER_CONSUME,
    .always = true, /* what it has put into a message once is there in every request */
    .on = { [POINT_MESSAGES_TRANSFORM] = messages_transform },
};
