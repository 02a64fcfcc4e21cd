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

static double number(const struct json *object, struct str name)
{
    double n;

    return json_to_double(json_get(object, name), &n) == 0 ? n : 0;
}

static int turn_after(const struct hook_call *c, struct verdict *v, struct err *e UNUSED)
{
    const struct json *compact = event_data(c->event, STR("auto_compact"));
    const struct json *usage = event_data(c->event, STR("usage"));
    double threshold = number(compact, STR("threshold"));
    double now = number(usage, STR("current_context_window"));
    double most = number(usage, STR("max_context_window"));

    if (!json_is_true(json_get(compact, STR("enabled"))) || most <= 0 || now <= 0)
        return 0;
    if (threshold <= 0 || threshold > 1 || now / most < threshold)
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
