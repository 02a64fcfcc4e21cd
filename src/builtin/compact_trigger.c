/*
 * compact-trigger - have a conversation compacted before it fills the model's context window.
 *
 * Point:   turn.after
 * Config:  compact.auto, compact.ratio, agents.<agent>.compact
 * Tests:   tests/unit/builtin/test_compact_trigger.c
 *
 * It stays when hooks are switched off: without it a long session fails. What fills the window is
 * everything the last request sent and received, of every kind. A hook of the user's decides first.
 */
#include "hook/hook.h"
#include "hook/usage.h"

static int turn_after(const struct hook_call *c, struct verdict *v, struct err *e UNUSED)
{
    const struct json *compact = event_data(c->event, STR("auto_compact"));
    const struct usage usage = usage_from_json(event_data(c->event, STR("usage")));
    double threshold;

    if (!json_is_true(json_get(compact, STR("enabled"))) ||
        json_to_double(json_get(compact, STR("threshold")), &threshold) < 0)
        return 0;
    if (threshold <= 0 || threshold > 1 || usage_share(&usage) < threshold)
        return 0;
    v->result = VERDICT_CALLBACK;
    v->callback = "compact";
    return 0;
}

const struct hook_def compact_trigger_hook = {
    .name = "compact-trigger",
    .summary = "has a conversation compacted before it fills the model's context window",
    .layer = LAYER_VALIDATE,
    .stays = true,
    .on = { [POINT_TURN_AFTER] = turn_after },
};
