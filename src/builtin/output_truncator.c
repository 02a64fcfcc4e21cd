/*
 * output-truncator - keep long tool output from filling the context window.
 *
 * Point:   tool.execute.after
 * Options: max_tokens, share
 * Tests:   tests/unit/builtin/test_output_truncator.c
 *
 * All of the output goes to a file first, and the model is told where: nothing is lost. What hooks
 * inject is appended later and so never cut.
 */
#include "hook/hook.h"
#include "hook/shorten.h"
#include "hook/spill.h"
#include "hook/usage.h"

#define LEAST 500 /* tokens that are passed on however full the window is */

struct options {
    int64_t max_tokens;
    double share;
};

static const struct option options[] = {
    OPTION_INT("max_tokens", struct options, max_tokens, "15000", LEAST, 10000000,
               "tokens of one output that are passed on at most"),
    OPTION_NUMBER("share", struct options, share, "0.5", 0, 1,
                  "how much of the room left in the context window one output may take"),
    OPTION_END,
};

/* In bytes. Without a known window only the cap counts. */
static size_t limit_of(const struct hook_call *c)
{
    const struct options *o = c->options;
    struct usage u = usage_from_json(c->event->session.usage);
    int64_t left = usage_left(&u), tokens = o->max_tokens;

    if (left >= 0 && (double)left * o->share < (double)tokens)
        tokens = (int64_t)((double)left * o->share);
    return (size_t)(tokens < LEAST ? LEAST : tokens) * 4;
}

static struct str note(const struct hook_call *c, const struct shortened *s, const char *file)
{
    const char *where =
        file ? arena_printf(c->arena, "all of it is in '%s': search that file or read parts of it",
                            file)
             : "call the tool again for less at a time";

    return str_of(arena_printf(c->arena,
                               "%s\n[%zu lines, %zu bytes left out to save context; %s]\n\n",
                               s->head.len && s->head.ptr[s->head.len - 1] == '\n' ? "" : "\n",
                               s->lines, s->bytes, where));
}

static int tool_execute_after(const struct hook_call *c, struct verdict *v, struct err *e UNUSED)
{
    struct str output = json_str(c->arena, event_data(c->event, STR("output"))), middle;
    struct shortened s = shorten(output, limit_of(c));
    CLEANUP(strbuf) struct strbuf text = { 0 };

    if (!s.cut)
        return 0;
    middle = note(c, &s, spill_write(c->arena, c->event->session.id, output));
    strbuf_add(&text, s.head.ptr, s.head.len);
    strbuf_add(&text, middle.ptr, middle.len);
    strbuf_add(&text, s.tail.ptr, s.tail.len);
    verdict_replace(
        c->arena, v, STR("output"),
        json_string(c->arena, (struct str){ arena_cstr(c->arena, strbuf_str(&text)), text.len }));
    return 0;
}

const struct hook_def output_truncator_hook = {
    .name = "output-truncator",
    .summary = "shortens long tool output to its head and tail, with all of it in a file",
    .layer = LAYER_CONSUME,
    .options = options,
    .options_size = sizeof(struct options),
    .on = { [POINT_TOOL_EXECUTE_AFTER] = tool_execute_after },
};
