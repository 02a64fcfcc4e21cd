/*
 * post-read-nudge - after a file was read, remind an orchestrator that it can delegate.
 *
 * Point:   tool.execute.after
 * Options: text
 * Tests:   tests/unit/builtin/test_post_read_nudge.c
 *
 * The tool's output stays as it is: the reminder is a tagged part of its own in the next request,
 * said once until the user speaks again, so history keeps its bytes (`place: output` appends it to
 * the output instead).
 */
#include "hook/hook.h"

struct options {
    const char *text;
};

static const struct option options[] = {
    OPTION_TEXT("text", struct options, text,
                "If what follows is work of its own, hand it to a subagent with the paths and "
                "facts you found, and keep your own context for decisions.",
                "the reminder"),
    OPTION_END,
};

static const char *const tools[] = { "read", NULL };
static const char *const agents[] = { "orchestrator", NULL };

static int tool_execute_after(const struct hook_call *c, struct verdict *v, struct err *e UNUSED)
{
    const struct options *o = c->options;
    const struct json *success = event_data(c->event, STR("success"));
    bool in_output = c->hook->traits.place == PLACE_OUTPUT;
    struct injection *i;

    if (json_type(success) == JSON_BOOL && !json_is_true(success))
        return 0; /* nothing was read */
    i = verdict_inject(c->arena, v, "nudge", o->text);
    i->apart = true;
    i->priority = PRIORITY_LOW;
    i->place = in_output ? PLACE_OUTPUT : PLACE_MESSAGE;
    i->class = in_output ? INJECT_PERSISTENT : INJECT_DETERMINISTIC;
    return 0;
}

const struct hook_def post_read_nudge_hook = {
    .name = "post-read-nudge",
    .summary = "reminds an orchestrator to delegate after it has read a file",
    .layer = LAYER_PRODUCE,
    .tools = tools,
    .agents = agents,
    .options = options,
    .options_size = sizeof(struct options),
    .on = { [POINT_TOOL_EXECUTE_AFTER] = tool_execute_after },
};
