#include "hook/gate.h"

#include "base/map.h"
#include "hook/registry.h"

#include <inttypes.h>
#include <stdlib.h>

#define KEY_PREFIX "@cadence/"

static bool gates(const struct cadence *c)
{
    return c && cadence_gates(c);
}

bool gate_applies(const struct registry *reg, const struct hook *h, enum point point)
{
    const struct cadence *by_point = registry_cadence(reg, h, point);
    const struct point_info *info;

    if (!by_point && !h->cadence) /* nearly always, and asked for every hook of every event */
        return false;
    info = point_info(point);
    if (info->ungated || info->kind == POINT_NOTICE || h->traits.safety_critical ||
        (h->def && h->def->always))
        return false;
    return gates(by_point) || gates(h->cadence);
}

static uint64_t usage_number(const struct event *ev, struct str name)
{
    const struct json *usage = event_data(ev, STR("usage"));
    int64_t n;

    if (json_to_int64(json_get(usage ? usage : ev->session.usage, name), &n) < 0 || n < 0)
        return 0;
    return (uint64_t)n;
}

static bool is_over(const struct cadence *c, const struct event *ev)
{
    uint64_t now = usage_number(ev, STR("current_context_window"));
    uint64_t most = usage_number(ev, STR("max_context_window"));

    if (c->when_tokens_over && now > c->when_tokens_over)
        return true;
    return c->when_context_over > 0 && most > 0 &&
           (double)now > c->when_context_over * (double)most;
}

uint32_t gate_every(const struct cadence *c, const struct event *ev)
{
    uint32_t every = c && c->every ? c->every : 1;

    for (const struct cadence_agent *a = c ? c->agents : NULL; a && a->agent; a++)
        if (ev->session.agent && strcmp(a->agent, ev->session.agent) == 0)
            every = a->every;
    if (c && c->then && is_over(c, ev))
        every = c->then;
    return every ? every : 1;
}

/* Both keys open every so many times. */
static uint32_t common_multiple(uint32_t x, uint32_t y)
{
    uint64_t a = x, b = y, product = (uint64_t)x * y;

    while (b) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a && product / a <= UINT32_MAX ? (uint32_t)(product / a) : UINT32_MAX;
}

uint32_t gate_configured(const struct registry *reg, const struct hook *h, enum point point)
{
    const struct event nothing = { .point = point };
    uint32_t by_point, by_hook;

    if (!gate_applies(reg, h, point))
        return 1;
    by_point = gate_every(registry_cadence(reg, h, point), &nothing);
    by_hook = gate_every(h->cadence, &nothing);
    return common_multiple(by_point, by_hook);
}

/* Counting ------------------------------------------------------------------------------------- */

/* Titles and summaries are requests of the machinery, not turns of the session. */
static bool is_counted(const struct event *ev)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct str purpose = json_str(&a, event_data(ev, STR("purpose")));

    return !str_is(purpose, "title") && !str_is(purpose, "compaction");
}

/* What tells one user message from the next: its id, or how many there are. */
static uint64_t newest_user_message(struct arena *a, const struct event *ev)
{
    const struct json *messages = event_data(ev, STR("messages")), *newest = NULL;
    unsigned count = 0;
    struct str id;

    for (const struct json *m = json_first(messages); m; m = json_next(m))
        if (inject_is_typed(a, m)) {
            newest = m;
            count++;
        }
    id = json_str(a, json_get(newest, STR("id")));
    return map_hash(0, str_is_set(id) ? id : str_of(arena_printf(a, "#%u", count)));
}

/* On time 1, 1 + every, 1 + 2 every, … */
static bool fires(uint64_t time, uint32_t every)
{
    return every <= 1 || (time - 1) % every == 0;
}

/* One time of a hook at a point. */
struct counting {
    uint32_t point_every, hook_every;
    uint64_t message; /* what it is about; 0: every event is a new time */
    uint64_t time;
    bool open;
};

/*
 * The value is "TIME", or "TIME OPEN MESSAGE" where the decision for a message is repeated whenever
 * the message is rendered again, even if the cadence is another one by then.
 */
static int decide_time(void *context, struct arena *a, struct str before, struct str *after,
                       struct err *e UNUSED)
{
    struct counting *c = context;
    struct str rest = before, time = { 0 }, open = { 0 };

    if (str_cut(&rest, ' ', &time))
        c->time = strtoull(arena_cstr(a, time), NULL, 10);
    if (c->message && str_cut(&rest, ' ', &open) && str_is_set(rest) &&
        strtoull(arena_cstr(a, rest), NULL, 16) == c->message) {
        c->open = str_is(open, "1");
        return 0;
    }
    c->time++;
    c->open = fires(c->time, c->point_every) && fires(c->time, c->hook_every);
    if (c->message)
        *after = str_of(arena_printf(a, "%" PRIu64 " %d %" PRIx64, c->time, c->open, c->message));
    else
        *after = str_of(arena_printf(a, "%" PRIu64, c->time));
    return 0;
}

static struct gate ask_counter(struct engine *en, const struct registry *reg, const struct hook *h,
                               const struct event *ev)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct counting c = {
        .point_every = gate_every(registry_cadence(reg, h, ev->point), ev),
        .hook_every = gate_every(h->cadence, ev),
    };
    struct store_key key = { ev->session.id, h->name,
                             arena_printf(&a, KEY_PREFIX "%s", point_info(ev->point)->name) };
    struct gate g = { .open = true, .every = common_multiple(c.point_every, c.hook_every) };
    struct err e = { 0 };

    if (!is_counted(ev)) {
        g.open = g.every == 1;
        return g;
    }
    if (ev->point == POINT_MESSAGES_TRANSFORM)
        c.message = newest_user_message(&a, ev);
    if (store_update(engine_store(en), &key, decide_time, &c, &e) < 0) {
        log_warn_once(engine_log(en), "hook '%s' fires without its cadence: %s", h->name, e.msg);
        return g;
    }
    g.time = c.time;
    g.open = c.open;
    return g;
}

struct gate gate_ask(struct engine *en, const struct registry *reg, const struct hook *h,
                     const struct event *ev)
{
    struct gate g = { .open = true };

    return gate_applies(reg, h, ev->point) ? ask_counter(en, reg, h, ev) : g;
}

int gate_reset(struct engine *en, const char *session, struct err *e)
{
    return store_erase(engine_store(en), &(struct store_key){ session, NULL, KEY_PREFIX }, e);
}
