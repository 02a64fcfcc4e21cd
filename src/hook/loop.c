#include "hook/loop.h"

#include "base/map.h"

void loop_user_spoke(struct loop *l)
{
    l->continuations = 0;
    l->last_reason = 0;
    l->tool_ran = false;
}

void loop_tool_ran(struct loop *l)
{
    l->tool_ran = true;
}

bool loop_continue(struct loop *l, unsigned limit, const char *reason, struct arena *a,
                   const char **why)
{
    uint64_t hash = map_hash(0, str_of(reason ? reason : ""));

    if (l->continuations >= limit) {
        *why = arena_printf(a, "hooks have continued the agent %u times in a row, the limit is %u",
                            l->continuations, limit);
        return false;
    }
    if (l->continuations > 0 && hash == l->last_reason && !l->tool_ran) {
        *why = "a hook gave the same reason twice and no tool ran in between";
        return false;
    }
    l->continuations++;
    l->last_reason = hash;
    l->tool_ran = false;
    return true;
}

bool loop_may_call(const struct loop *l, const char **why)
{
    if (l->in_callback)
        *why = "a callback can't start a callback";
    return !l->in_callback;
}

bool loop_callback(struct loop *l, const char **why)
{
    if (!loop_may_call(l, why))
        return false;
    l->in_callback = true;
    return true;
}

void loop_callback_ended(struct loop *l)
{
    l->in_callback = false;
}
