/*
 * loop-guard - refuse the same tool call with the same arguments again and again.
 *
 * It is no matter of safety: where the store can't be asked the call passes, and the failed run is
 * in the receipt and the log. A message of a person starts the count again: they may want it so.
 *
 * Points:  tool.execute.before, chat.message
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

static uint64_t hash_value(struct arena *a, uint64_t seed, const struct json *j);

/* The order of members means nothing, so their hashes are added up. */
static uint64_t hash_members(struct arena *a, const struct json *object, const char *left_out)
{
    uint64_t sum = 0;

    for (const struct json *m = json_first(object); m; m = json_next(m)) {
        struct str key = json_key(a, m);

        if (!left_out || !str_is(key, left_out))
            sum += hash_value(a, map_hash(0, key), m);
    }
    return sum;
}

static uint64_t hash_value(struct arena *a, uint64_t seed, const struct json *j)
{
    uint64_t sum;

    switch (json_type(j)) {
    case JSON_OBJECT:
        sum = hash_members(a, j, NULL);
        return map_hash(map_hash(seed, STR("{")), (struct str){ (const char *)&sum, sizeof(sum) });
    case JSON_ARRAY:
        seed = map_hash(seed, STR("["));
        for (const struct json *item = json_first(j); item; item = json_next(item))
            seed = hash_value(a, seed, item);
        return map_hash(seed, STR("]"));
    case JSON_STRING:
        return map_hash(map_hash(seed, STR("\"")), json_str(a, j));
    case JSON_ABSENT:
    case JSON_NULL:
    case JSON_BOOL:
    case JSON_NUMBER:
        break;
    }
    return map_hash(seed, str_of(json_text(a, j)));
}

/* What a model says that a command is for is not what it does. */
static uint64_t hash_call(struct arena *a, struct str tool, const struct json *args)
{
    uint64_t sum = hash_members(a, args, str_is(tool, "bash") ? "description" : NULL);

    if (json_type(args) != JSON_OBJECT)
        sum = hash_value(a, 0, args);
    return map_hash(map_hash(0, tool), (struct str){ (const char *)&sum, sizeof(sum) });
}

static int tool_execute_before(const struct hook_call *c, struct verdict *v, struct err *e)
{
    const struct options *o = c->options;
    struct str tool = event_tool(c->arena, c->event);
    struct streak s = { .call = hash_call(c->arena, tool, event_data(c->event, STR("args"))) };
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

static int chat_message(const struct hook_call *c, struct verdict *v UNUSED, struct err *e)
{
    const struct json *message = event_data(c->event, STR("message"));
    struct str before;
    int r;

    if (json_is_true(json_get(message, STR("internal"))))
        return 0;
    r = state_get(c, "streak", &before, e);
    if (r < 0 || !before.len)
        return r;
    return state_set(c, "streak", STR(""), e);
}

const struct hook_def loop_guard_hook = {
    .name = "loop-guard",
    .summary = "refuses the same tool call with the same arguments again and again",
    .layer = LAYER_GUARD,
    .options = options,
    .options_size = sizeof(struct options),
    .on = { [POINT_TOOL_EXECUTE_BEFORE] = tool_execute_before,
            [POINT_CHAT_MESSAGE] = chat_message },
};
