/*
 * cache-monitor - say which hook broke the provider's prompt cache, and what that cost.
 *
 * Points:  message.updated; session.compacted begins anew
 * Options: small, never, plateau
 * Tests:   tests/unit/builtin/test_cache_monitor.c
 *
 * It only looks at the tokens the provider has counted. A request that begins as the last one did
 * is read from the cache for a tenth of the price; a hook that changes anything near the beginning
 * makes the provider read everything behind it again.
 */
#include "hook/state.h"
#include "hook/usage.h"

#include <inttypes.h>

#define IDS           64 /* of messages that are remembered: hosts tell of one more than once */
#define NEVER_TIMES   3
#define PLATEAU_TIMES 4

struct options {
    int64_t small, never, plateau;
};

static const struct option options[] = {
    OPTION_INT("small", struct options, small, "2048", 0, INT64_MAX,
               "fewer tokens than these are not worth a word"),
    OPTION_INT("never", struct options, never, "100000", 0, INT64_MAX,
               "tokens sent without any caching before it is said that nothing is cached"),
    OPTION_INT("plateau", struct options, plateau, "50000", 0, INT64_MAX,
               "tokens sent beside a cache that has stopped growing before it is said"),
    OPTION_END,
};

/* One request, and what the requests before it were like. */
struct request {
    const struct hook_call *call;
    struct str id;
    struct usage usage;
    const char *broken_by; /* NULL: no hook is known to have changed what was cached */
    const char *say;       /* out: NULL: nothing */
};

static int64_t number(const struct json *memory, struct str name)
{
    int64_t n;

    return json_to_int64(json_get(memory, name), &n) == 0 ? n : 0;
}

static const struct json *with_number(struct arena *a, const struct json *memory, struct str name,
                                      int64_t n)
{
    return json_with(a, memory, name, json_int(a, n));
}

static int64_t uncached(const struct usage *u)
{
    return u->input + u->cache_write;
}

static int64_t sent(const struct usage *u)
{
    return uncached(u) + u->cache_read;
}

static bool was_seen(struct arena *a, const struct json *memory, struct str id)
{
    const struct json *ids = json_get(memory, STR("ids"));

    for (const struct json *j = json_first(ids); id.len && j; j = json_next(j))
        if (str_eq(json_str(a, j), id))
            return true;
    return false;
}

static const struct json *note_id(struct arena *a, const struct json *memory, struct str id)
{
    const struct json *ids = json_append(a, json_get(memory, STR("ids")), json_string(a, id));
    size_t count = json_count(ids);

    return json_with(a, memory, STR("ids"),
                     count > IDS ? json_splice(a, ids, 0, count - IDS, NULL) : ids);
}

/* What is worth a word ------------------------------------------------------------------------- */

/* A hook changed what had been sent: what could have been read from the cache and was not. */
static const struct json *look_for_break(struct request *q, struct arena *a,
                                         const struct json *memory)
{
    const struct options *o = q->call->options;
    int64_t before = number(memory, STR("sent")), now = sent(&q->usage);
    int64_t lost = (before < now ? before : now) - q->usage.cache_read;

    if (!q->broken_by || lost < o->small || !lost || !number(memory, STR("cached")))
        return memory;
    if (str_is(json_str(a, json_get(memory, STR("told"))), q->broken_by))
        return memory;
    q->say = arena_printf(q->call->arena,
                          "hook '%s' changed what the provider had cached: %" PRId64
                          " tokens were read again, for about ten times the price of a cache hit; "
                          "'hooke doctor --verify' shows where",
                          q->broken_by, lost);
    return json_with(a, memory, STR("told"), json_string_copy(a, str_of(q->broken_by)));
}

/* Once, and again only after a hit. */
static const struct json *look_for_miss(struct request *q, struct arena *a,
                                        const struct json *memory)
{
    const struct options *o = q->call->options;

    if (q->usage.cache_read > 0)
        return with_number(a, memory, STR("missed"), 0);
    if (!number(memory, STR("cached")) || uncached(&q->usage) < o->small ||
        number(memory, STR("missed")))
        return memory;
    if (!q->say)
        q->say = arena_printf(
            q->call->arena,
            "the prompt cache was missed: %" PRId64
            " tokens were read at full price; no hook of hooke changed them, so the cache was "
            "too old, or the model, its tools or the conversation have changed",
            uncached(&q->usage));
    return with_number(a, memory, STR("missed"), 1);
}

static const struct json *look_for_never(struct request *q, struct arena *a,
                                         const struct json *memory)
{
    const struct options *o = q->call->options;
    int64_t times, sum;

    if (number(memory, STR("cached")) || q->usage.input < o->small)
        return memory;
    times = number(memory, STR("never_times")) + 1;
    sum = number(memory, STR("never_sum")) + q->usage.input;
    memory = with_number(a, memory, STR("never_times"), times);
    memory = with_number(a, memory, STR("never_sum"), sum);
    if (times < NEVER_TIMES || sum < o->never || number(memory, STR("never_told")))
        return memory;
    q->say = arena_printf(q->call->arena,
                          "nothing of this session was cached: %" PRId64 " requests sent %" PRId64
                          " tokens at full price; look whether the provider caches this model",
                          times, sum);
    return with_number(a, memory, STR("never_told"), 1);
}

static const struct json *look_for_plateau(struct request *q, struct arena *a,
                                           const struct json *memory)
{
    const struct options *o = q->call->options;
    int64_t read = q->usage.cache_read, times = 1, sum = uncached(&q->usage);

    if (read > 0 && read == number(memory, STR("read"))) {
        times += number(memory, STR("read_times"));
        sum += number(memory, STR("read_sum"));
    } else {
        memory = with_number(a, memory, STR("read_told"), 0);
    }
    memory = with_number(a, memory, STR("read"), read);
    memory = with_number(a, memory, STR("read_times"), times);
    memory = with_number(a, memory, STR("read_sum"), sum);
    if (read <= 0 || times < PLATEAU_TIMES || sum < o->plateau || number(memory, STR("read_told")))
        return memory;
    if (!q->say)
        q->say = arena_printf(q->call->arena,
                              "the prompt cache has stopped growing at %" PRId64 " tokens: %" PRId64
                              " tokens behind them were sent at full price; something changes "
                              "right after them in every request: 'hooke doctor --verify'",
                              read, sum);
    return with_number(a, memory, STR("read_told"), 1);
}

static int decide(void *context, struct arena *a, struct str before, struct str *after,
                  struct err *e UNUSED)
{
    struct request *q = context;
    const struct json *memory = NULL;

    q->say = NULL;
    if (str_is_set(before) && json_parse(a, before, NULL, &memory, NULL) < 0)
        memory = NULL;
    if (was_seen(a, memory, q->id))
        return 0;
    if (q->id.len)
        memory = note_id(a, memory, q->id);
    memory = look_for_break(q, a, memory);
    memory = look_for_miss(q, a, memory);
    if (q->usage.cache_read > 0 || q->usage.cache_write > 0)
        memory = with_number(a, memory, STR("cached"), 1);
    memory = look_for_never(q, a, memory);
    memory = look_for_plateau(q, a, memory);
    memory = with_number(a, memory, STR("sent"), sent(&q->usage));
    *after = str_of(json_text(a, memory));
    return 0;
}

/* Points --------------------------------------------------------------------------------------- */

static bool is_count(const struct json *usage, struct str name)
{
    int64_t n;

    return json_to_int64(json_get(usage, name), &n) == 0 && n >= 0;
}

/* Complete, and counted by the provider. */
static bool is_counted(const struct hook_call *c, const struct json *usage)
{
    return json_type(event_data(c->event, STR("error"))) != JSON_OBJECT &&
           is_count(usage, STR("input_tokens")) && is_count(usage, STR("cache_read_tokens")) &&
           is_count(usage, STR("cache_write_tokens"));
}

static int message_updated(const struct hook_call *c, struct verdict *v, struct err *e)
{
    const struct json *usage = event_data(c->event, STR("usage"));
    struct request q = { .call = c };
    int r;

    if (!is_counted(c, usage))
        return 0;
    q.id = json_str(c->arena, json_get(event_data(c->event, STR("message")), STR("id")));
    q.usage = usage_from_json(usage);
    q.broken_by = json_cstr(c->arena, event_data(c->event, STR("prefix_broken_by")));
    if (sent(&q.usage) + q.usage.output == 0)
        return 0;
    r = state_update(c, "requests", decide, &q, e);
    v->say = q.say;
    return r;
}

/* A conversation that was compacted is another one to the provider. */
static int session_compacted(const struct hook_call *c, struct verdict *v UNUSED, struct err *e)
{
    return state_set(c, "requests", (struct str){ 0 }, e);
}

const struct hook_def cache_monitor_hook = {
    .name = "cache-monitor",
    .summary = "says which hook broke the prompt cache, and what that cost",
    .layer = LAYER_TRANSFORM,
    .options = options,
    .options_size = sizeof(struct options),
    .on = { [POINT_MESSAGE_UPDATED] = message_updated,
            [POINT_SESSION_COMPACTED] = session_compacted },
};
