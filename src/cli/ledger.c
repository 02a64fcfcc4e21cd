#include "cli/ledger.h"

/* What a hook does at one point: what a hold-back there has saved is told by its runs there. */
struct at_point {
    struct ledger_line *line;
    uint64_t runs, tokens, gated;
};

/* Adding up --------------------------------------------------------------------------------------
 */

static struct ledger_line *line_of(struct ledger *l, struct str hook)
{
    struct ledger_line *line = map_get(&l->by_name, hook);

    if (line)
        return line;
    line = arena_new(&l->arena, struct ledger_line);
    line->hook = arena_cstr(&l->arena, hook);
    l->hooks = arena_grow(&l->arena, l->hooks, l->count, &l->room, sizeof(struct ledger_line *));
    l->hooks[l->count++] = line;
    map_put(&l->by_name, str_of(line->hook), line);
    return line;
}

static struct at_point *at_point_of(struct ledger *l, struct ledger_line *line, struct str point)
{
    CLEANUP(arena) struct arena a = { 0 };
    const char *key = arena_printf(&a, "%.*s %s", STR_ARG(point), line->hook);
    struct at_point *at = map_get(&l->by_point, str_of(key));

    if (at)
        return at;
    at = arena_new(&l->arena, struct at_point);
    at->line = line;
    map_put(&l->by_point, str_of(arena_strdup(&l->arena, key)), at);
    return at;
}

static uint64_t number(const struct json *object, struct str name)
{
    int64_t n;

    return json_to_int64(json_get(object, name), &n) < 0 || n < 0 ? 0 : (uint64_t)n;
}

static bool refused(struct arena *a, const struct json *run)
{
    const struct json *did = json_first(json_get(run, STR("did")));

    for (; did; did = json_next(did)) {
        struct str power = json_str(a, did);

        if (str_is(power, "block") || str_is(power, "stop"))
            return true;
    }
    return false;
}

static void add_run(struct ledger *l, struct arena *a, struct str point, const struct json *run)
{
    struct str hook = json_str(a, json_get(run, STR("hook")));
    struct ledger_line *line;
    struct at_point *at;

    if (!hook.len)
        return;
    line = line_of(l, hook);
    at = at_point_of(l, line, point);
    line->runs++;
    line->failed += json_get(run, STR("end")) != NULL;
    line->us += number(run, STR("us"));
    line->tokens += number(run, STR("tokens"));
    line->blocks += refused(a, run);
    at->runs++;
    at->tokens += number(run, STR("tokens"));
}

static void add_held(struct ledger *l, struct arena *a, struct str point, const struct json *held)
{
    struct str hook = json_str(a, json_get(held, STR("hook")));
    struct ledger_line *line;

    if (!hook.len)
        return;
    line = line_of(l, hook);
    line->held++;
    if (str_is(json_str(a, json_get(held, STR("why"))), "cadence"))
        at_point_of(l, line, point)->gated++;
}

void ledger_add(struct ledger *l, const char *receipt)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *j;
    struct str point, breaker;

    if (json_parse(&a, str_of(receipt), NULL, &j, NULL) < 0)
        return;
    point = json_str(&a, json_get(j, STR("point")));
    for (const struct json *r = json_first(json_get(j, STR("runs"))); r; r = json_next(r))
        add_run(l, &a, point, r);
    for (const struct json *h = json_first(json_get(j, STR("held"))); h; h = json_next(h))
        add_held(l, &a, point, h);
    breaker = json_str(&a, json_get(j, STR("prefix_broken_by")));
    if (breaker.len)
        line_of(l, breaker)->breaks++;
}

static void estimate_savings(struct ledger *l)
{
    for (size_t i = 0; i < l->by_point.size; i++) {
        const struct at_point *at = l->by_point.slots[i].value;

        if (l->by_point.slots[i].key.ptr && at->runs)
            at->line->saved += at->gated * at->tokens / at->runs;
    }
}

/* Order ------------------------------------------------------------------------------------------
 */

static int by_name(const void *x, const void *y)
{
    return strcmp((*(struct ledger_line *const *)x)->hook, (*(struct ledger_line *const *)y)->hook);
}

#define BY(field)                                              \
    static int by_##field(const void *x, const void *y)        \
    {                                                          \
        uint64_t a = (*(struct ledger_line *const *)x)->field; \
        uint64_t b = (*(struct ledger_line *const *)y)->field; \
                                                               \
        return a == b ? by_name(x, y) : (a < b) - (a > b);     \
    }

BY(us)
BY(runs)
BY(tokens)
BY(saved)
BY(blocks)
BY(breaks)

bool ledger_sort(struct ledger *l, const char *by)
{
    static const struct {
        const char *name;
        int (*compare)(const void *x, const void *y);
    } orders[] = {
        { "time", by_us },     { "runs", by_runs },     { "tokens", by_tokens },
        { "saved", by_saved }, { "blocks", by_blocks }, { "breaks", by_breaks },
        { "name", by_name },
    };

    for (size_t i = 0; i < ARRAY_LEN(orders); i++)
        if (strcmp(orders[i].name, by) == 0) {
            estimate_savings(l);
            if (l->count)
                qsort(l->hooks, l->count, sizeof(struct ledger_line *), orders[i].compare);
            return true;
        }
    return false;
}

void ledger_release(struct ledger *l)
{
    map_release(&l->by_name);
    map_release(&l->by_point);
    arena_release(&l->arena);
}
