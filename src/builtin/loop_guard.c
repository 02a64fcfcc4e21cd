/*
 * loop-guard - refuse the same tool call with the same arguments again and again.
 *
 * Point:   tool.execute.before
 * Options: limit
 * Tests:   tests/unit/builtin/test_loop_guard.c
 */
#include "base/map.h"
#include "hook/state.h"

#include <inttypes.h>
#include <stdlib.h>

struct options {
    int64_t limit;
};

static const struct option options[] = {
    OPTION_INT("limit", struct options, limit, "3", 1, 1000,
               "identical calls in a row that are let through"),
    OPTION_END,
};

struct streak {
    uint64_t call; /* hash of tool and arguments */
    uint64_t length;
};

/* The state is "HASH LENGTH". */
static int decide_streak(void *context, struct arena *a, struct str before, struct str *after,
                         struct err *e UNUSED)
{
    struct streak *s = context;
    struct str rest = before, hash;
    uint64_t length = 0;

    if (str_cut(&rest, ' ', &hash) && str_is_set(rest) &&
        strtoull(arena_cstr(a, hash), NULL, 16) == s->call)
        length = strtoull(arena_cstr(a, rest), NULL, 10);
    s->length = length + 1;
    *after = str_of(arena_printf(a, "%016" PRIx64 " %" PRIu64, s->call, s->length));
    return 0;
}

static int tool_execute_before(const struct hook_call *c, struct verdict *v, struct err *e)
{
    const struct options *o = c->options;
    struct str tool = event_tool(c->arena, c->event);
    char *args = json_text(c->arena, event_data(c->event, STR("args")));
    struct streak s = { .call = map_hash(map_hash(0, tool), str_of(args)) };
    int r;

    if (c->again)
        return 0;
    r = state_update(c, "streak", decide_streak, &s, e);
    if (r < 0)
        return r;
    if (s.length > (uint64_t)o->limit)
        verdict_block(v, arena_printf(c->arena,
                                      "this call of '%.*s' has the same arguments as the %" PRId64
                                      " before it; look at their results or try another way",
                                      STR_ARG(tool), o->limit));
    return 0;
}

const struct hook_def loop_guard_hook = {
    .name = "loop-guard",
    .summary = "refuses the same tool call with the same arguments again and again",
    .layer = LAYER_GUARD,
    .options = options,
    .options_size = sizeof(struct options),
    .on = { [POINT_TOOL_EXECUTE_BEFORE] = tool_execute_before },
};
