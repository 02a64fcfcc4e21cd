/*
 * context-monitor - one remark when the context window is getting full.
 *
 * Point:   tool.execute.after
 * Options: share
 * Tests:   tests/unit/builtin/test_context_monitor.c
 *
 * Once per session, and once more after each compaction, which makes room. An agent that does not
 * say how large its window is hears nothing.
 */
#include "hook/hook.h"
#include "hook/usage.h"

struct options {
    double share;
};

static const struct option options[] = {
    OPTION_NUMBER("share", struct options, share, "0.7", 0, 1,
                  "how full the window is when it speaks, from 0 to 1"),
    OPTION_END,
};

static int tool_execute_after(const struct hook_call *c, struct verdict *v, struct err *e UNUSED)
{
    const struct options *o = c->options;
    struct usage u = usage_from_json(c->event->session.usage);
    double share = usage_share(&u);
    struct injection *i;

    if (share < 0 || share < o->share)
        return 0;
    i = verdict_inject(
        c->arena, v, "window",
        arena_printf(c->arena,
                     "<context-window>\n%.0f %% of the context window is in use, about %lld tokens "
                     "are left. There is room to finish properly: no need to hurry or to leave "
                     "steps out. Prefer narrow reads and searches, and keep what you will need "
                     "later in the todo list or in files.\n</context-window>",
                     share * 100, (long long)usage_left(&u)));
    i->once = true;
    return 0;
}

const struct hook_def context_monitor_hook = {
    .name = "context-monitor",
    .summary = "remarks once that the context window is getting full",
    .layer = LAYER_PRODUCE,
    .priority = -10, /* behind what is about the tool's output */
    .options = options,
    .options_size = sizeof(struct options),
    .on = { [POINT_TOOL_EXECUTE_AFTER] = tool_execute_after },
};
