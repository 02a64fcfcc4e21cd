/*
 * merge.c - how the verdict of one hook enters the verdict of the chain (rules in hook/verdict.h),
 * and what becomes of parts a hook had no right to: they are left out and said in the receipt.
 */
#include "hook/collector.h"
#include "hook/dispatch.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *point_name(const struct dispatch *d)
{
    return point_info(d->event.point)->name;
}

/* Whether the hook may use a power here; a warning when it may not. */
static bool is_granted(struct dispatch *d, const struct hook *h, enum power power)
{
    if (point_info(d->event.point)->powers & power)
        return true;
    dispatch_warn(d, "hook '%s': '%s' is not possible at %s and was ignored", h->name,
                  power_name(power), point_name(d));
    return false;
}

static bool may(struct dispatch *d, const struct hook *h, enum power power, struct hook_run *run)
{
    if (!is_granted(d, h, power))
        return false;
    run->effects |= power;
    return true;
}

/* Decisions ------------------------------------------------------------------------------------ */

static void merge_decision(struct dispatch *d, const struct hook *h, const struct verdict *v,
                           struct hook_run *run)
{
    static const enum power needs[] = {
        [DECISION_NONE] = 0,
        [DECISION_ALLOW] = POWER_ALLOW,
        [DECISION_ASK] = POWER_ASK,
        [DECISION_BLOCK] = POWER_BLOCK,
    };
    struct verdict *merged = &d->receipt->verdict;
    enum decision decision = v->decision;

    /* Where a person cannot be asked, a refusal is the nearest thing that is as safe. */
    if (decision == DECISION_ASK && !(point_info(d->event.point)->powers & POWER_ASK))
        decision = DECISION_BLOCK;
    if (decision == DECISION_NONE || !may(d, h, needs[decision], run))
        return;
    if (!run->detail)
        run->detail = v->reason;
    if (decision > merged->decision) {
        merged->decision = decision;
        merged->reason = v->reason;
    }
    if (decision == DECISION_BLOCK)
        d->over = true;
}

static void merge_stop(struct dispatch *d, const struct hook *h, const struct verdict *v,
                       struct hook_run *run)
{
    if (!v->stop || !may(d, h, POWER_STOP, run))
        return;
    d->receipt->verdict.stop = v->stop;
    run->detail = v->stop;
    d->over = true;
}

static void merge_say(struct dispatch *d, const struct verdict *v)
{
    struct verdict *merged = &d->receipt->verdict;

    if (!v->say)
        return;
    merged->say = merged->say ? arena_printf(d->arena, "%s\n%s", merged->say, v->say) : v->say;
}

/* Changes -------------------------------------------------------------------------------------- */

static bool may_change(struct dispatch *d, const struct hook *h, struct str field,
                       struct hook_run *run)
{
    const struct point_field *f = point_field(d->event.point, field);

    if (!may(d, h, POWER_CHANGE, run))
        return false;
    if (h->traits.layer == LAYER_GUARD && str_is(field, "args")) {
        dispatch_warn(d, "hook '%s': a guard can't change 'args', ignored", h->name);
        return false;
    }
    if (!f || !f->changes) {
        dispatch_warn(d, "hook '%s': '%.*s' can't be changed at %s, ignored", h->name,
                      STR_ARG(field), point_name(d));
        return false;
    }
    return true;
}

static void change_field(struct dispatch *d, const struct hook *h, struct str field,
                         const struct json *value)
{
    struct arena *a = d->arena;

    if (json_equal(value, json_get(d->event.data, field)))
        return;
    d->event.data = json_with(a, d->event.data ? d->event.data : json_object(a), field, value);
    d->changed = json_with(a, d->changed ? d->changed : json_object(a), field, json_null(a));
    if (str_is(field, "args") && !(h->def && h->def->no_rerun))
        d->args_changed = true;
}

static void merge_changes(struct dispatch *d, const struct hook *h, const struct verdict *v,
                          struct hook_run *run)
{
    struct arena *a = d->arena;

    for (const struct json *f = json_first(v->replace); f; f = json_next(f)) {
        struct str field = json_key(a, f);

        if (may_change(d, h, field, run))
            change_field(d, h, field, f);
    }
    for (const struct json *f = json_first(v->modify); f; f = json_next(f)) {
        struct str field = json_key(a, f);

        if (may_change(d, h, field, run))
            change_field(d, h, field, json_merge(a, json_get(d->event.data, field), f));
    }
}

/* Injections ----------------------------------------------------------------------------------- */

struct spending {
    int64_t tokens, limit;
    bool fits;
};

/* What does not fit is not charged. */
static int decide_spending(void *context, struct arena *a, struct str before, struct str *after,
                           struct err *e UNUSED)
{
    struct spending *s = context;
    int64_t spent = str_is_set(before) ? strtoll(arena_cstr(a, before), NULL, 10) : 0;

    s->fits = spent + s->tokens <= s->limit;
    if (s->fits)
        *after = str_of(arena_printf(a, "%" PRId64, spent + s->tokens));
    return 0;
}

static bool within_session_budget(struct dispatch *d, const struct hook *h, size_t tokens)
{
    struct store_key key = { d->event.session.id, h->name, "@budget/tokens" };
    struct spending s = { (int64_t)tokens, h->traits.budget_session_tokens, true };
    struct err e = { 0 };

    if (h->traits.budget_session_tokens &&
        store_update(engine_store(d->engine), &key, decide_spending, &s, &e) < 0)
        dispatch_warn(d, "hook '%s': its token budget can't be counted: %s", h->name, e.msg);
    return s.fits;
}

/* Once per session. What the collector keeps is marked when it has been placed. */
static bool was_said(struct dispatch *d, const struct injection *i)
{
    char *name = collector_once_key(d->arena, i->id);
    struct store_key key = { d->event.session.id, i->source, name };
    struct err e = { 0 };
    struct str mark = { 0 };

    if (store_get(engine_store(d->engine), &key, d->arena, &mark, &e) < 0)
        dispatch_warn(d, "hook '%s': can't tell whether this was said before: %s", i->source,
                      e.msg);
    return str_is_set(mark);
}

/* True for the one that marks it; of two events at once only one says it. */
static bool mark_said(struct dispatch *d, const struct injection *i)
{
    char *name = collector_once_key(d->arena, i->id);
    struct store_key key = { d->event.session.id, i->source, name };
    struct err e = { 0 };
    int64_t times = 1;

    if (store_incr(engine_store(d->engine), &key, 1, &times, &e) < 0)
        dispatch_warn(d, "hook '%s': may say this again: %s", i->source, e.msg);
    return times == 1;
}

/* The chain is over: what the caller will place is said now, unless the thing was refused. */
static void mark_once(struct dispatch *d)
{
    struct injection **at = &d->receipt->verdict.injections;

    while (*at) {
        struct injection *i = *at;

        if (!i->once || i->class != INJECT_PERSISTENT || mark_said(d, i))
            at = &i->next;
        else
            *at = i->next;
    }
}

static void settle_injection(const struct dispatch *d, const struct hook *h, struct injection *i)
{
    i->source = h->name;
    i->once |= h->traits.once;
    if (!i->id)
        i->id = "1";
    if (i->place == PLACE_BY_POINT)
        i->place = h->traits.place;
    /* Text that comes and goes in the system prompt would break the provider's cache. */
    if (i->place == PLACE_BY_POINT && d->event.point == POINT_SYSTEM_TRANSFORM &&
        gate_applies(d->registry, h, d->event.point))
        i->place = PLACE_TAIL;
    inject_settle(i, d->event.point);
}

/* Add to the list, or take the place of the one with the same source and id. */
static void put_injection(struct verdict *merged, struct injection *i)
{
    struct injection **at = &merged->injections;

    while (*at && (strcmp((*at)->source, i->source) != 0 || strcmp((*at)->id, i->id) != 0))
        at = &(*at)->next;
    i->next = *at ? (*at)->next : NULL;
    *at = i;
}

/* A request says it already, or will: nothing is added, nothing is charged. */
static bool is_repeated(struct dispatch *d, const struct injection *i)
{
    struct collector c = { engine_store(d->engine), d->event.session.id };
    struct err e = { 0 };
    bool says = false;
    int r = 0;

    if (i->class != INJECT_DETERMINISTIC)
        return false;
    if (d->event.point == POINT_MESSAGES_TRANSFORM)
        r = collector_says(&c, event_data(&d->event, STR("messages")), i, &says, &e);
    else if (i->apart && d->event.point == POINT_TOOL_EXECUTE_AFTER)
        r = collector_said(&c, i, &says, &e);
    if (r < 0)
        dispatch_warn(d, "hook '%s': can't tell whether this was said before: %s", i->source,
                      e.msg);
    return says;
}

/* What the caller does not place at once waits for the next request of the session. */
static void collect(struct dispatch *d, const struct hook *h, const struct injection *i)
{
    struct collector c = { engine_store(d->engine), d->event.session.id };
    struct err e = { 0 };

    if (i->class != INJECT_PERSISTENT && collector_add(&c, i, &e) < 0)
        dispatch_warn(d, "hook '%s': '%s' can't be kept: %s", h->name, i->id, e.msg);
}

/* Whether something keeps the text from being said; `held` then says what. */
static bool is_held(struct dispatch *d, const struct injection *i, const struct hook_run *run,
                    struct hook_held *held)
{
    const struct hook_traits *t = &held->hook->traits;
    size_t most = t->budget_tokens ? t->budget_tokens : INJECT_BUDGET_TOKENS;

    held->detail = i->id;
    if (is_repeated(d, i)) {
        held->why = HELD_SAID;
    } else if (run->tokens + held->tokens > most) {
        held->why = HELD_BUDGET;
        held->detail = arena_printf(d->arena, "'%s' passes the budget of %zu tokens", i->id, most);
    } else if (i->once && was_said(d, i)) {
        held->why = HELD_ONCE;
    } else if (!within_session_budget(d, held->hook, held->tokens)) {
        held->why = HELD_BUDGET;
        held->detail = arena_printf(d->arena, "'%s' passes the session's budget of %u tokens",
                                    i->id, t->budget_session_tokens);
    } else {
        return false;
    }
    return true;
}

static void merge_injection(struct dispatch *d, const struct hook *h, struct injection *i,
                            struct hook_run *run)
{
    struct hook_held held = { .hook = h, .tokens = (uint32_t)inject_tokens(str_of(i->text)) };

    settle_injection(d, h, i);
    if (is_held(d, i, run, &held)) {
        dispatch_hold(d, &held);
        return;
    }
    run->effects |= POWER_INJECT;
    run->tokens += held.tokens;
    put_injection(&d->receipt->verdict, i);
    collect(d, h, i);
}

static void merge_injections(struct dispatch *d, const struct hook *h, const struct verdict *v,
                             struct hook_run *run)
{
    struct injection *next;

    if (!v->injections || !is_granted(d, h, POWER_INJECT))
        return;
    for (struct injection *i = v->injections; i; i = next) {
        next = i->next;
        if (i->text && i->text[0])
            merge_injection(d, h, i, run);
    }
}

/* Nobody waits: what is said goes with the next request, and no later firing displaces it. */
static void settle_late(struct dispatch *d, struct injection *i)
{
    if (!i->once)
        i->id = arena_printf(d->arena, "%s/%s", i->id ? i->id : "1", d->receipt->after);
    if (i->class == INJECT_VOLATILE)
        return;
    i->class = INJECT_DETERMINISTIC;
    i->place = PLACE_MESSAGE;
}

static bool is_decisive(const struct verdict *v)
{
    struct verdict rest = *v;

    rest.injections = NULL;
    rest.say = NULL;
    return !verdict_is_empty(&rest);
}

void merge_late(struct dispatch *d, const struct hook *h, struct verdict *v, struct hook_run *run)
{
    struct injection *next;

    if (is_decisive(v))
        dispatch_warn(d, "hook '%s': nobody waits for an async handler, so it decides nothing",
                      h->name);
    if (v->say)
        verdict_inject(d->arena, v, "say", v->say);
    for (struct injection *i = v->injections; i; i = next) {
        next = i->next;
        if (!i->text || !i->text[0])
            continue;
        settle_late(d, i);
        merge_injection(d, h, i, run);
    }
}

/* Results -------------------------------------------------------------------------------------- */

static void conflict(struct dispatch *d, const struct hook *h, const char *what)
{
    dispatch_warn(d, "hook '%s': its %s was ignored, an earlier hook had decided", h->name, what);
}

static void merge_history(struct dispatch *d, const struct hook *h, const struct verdict *v,
                          struct hook_run *run)
{
    struct verdict *merged = &d->receipt->verdict;
    bool taken = merged->messages || merged->callback;
    bool mutates = v->result == VERDICT_MUTATE && json_count(v->messages) > 0;
    bool calls = v->result == VERDICT_CALLBACK && v->callback && v->callback[0];

    if (mutates && may(d, h, POWER_MUTATE, run)) {
        if (taken) {
            conflict(d, h, "mutation");
            return;
        }
        merged->result = VERDICT_MUTATE;
        merged->messages = v->messages;
    } else if (calls && may(d, h, POWER_CALLBACK, run)) {
        if (taken) {
            conflict(d, h, "callback");
            return;
        }
        merged->result = VERDICT_CALLBACK;
        merged->callback = v->callback;
        merged->callback_args = v->callback_args;
    } else if (v->result == VERDICT_MUTATE && !mutates) {
        dispatch_warn(d, "hook '%s': a mutation without messages changes nothing", h->name);
    } else if (v->result == VERDICT_CALLBACK && !calls) {
        dispatch_warn(d, "hook '%s': a callback without a name changes nothing", h->name);
    }
}

static void merge_follow_ups(struct dispatch *d, const struct hook *h, const struct verdict *v,
                             struct hook_run *run)
{
    struct verdict *merged = &d->receipt->verdict;

    if (!json_count(v->follow_ups) && v->result != VERDICT_CONTINUE)
        return;
    if (!may(d, h, POWER_CONTINUE, run))
        return;
    if (merged->result == VERDICT_NO_RESULT)
        merged->result = VERDICT_CONTINUE;
    merged->follow_ups = merged->follow_ups
                             ? json_splice(d->arena, merged->follow_ups,
                                           json_count(merged->follow_ups), 0, v->follow_ups)
                             : v->follow_ups;
}

static void merge_model(struct dispatch *d, const struct hook *h, const struct verdict *v,
                        struct hook_run *run)
{
    struct verdict *merged = &d->receipt->verdict;

    if (!v->model || !may(d, h, POWER_FALLBACK, run))
        return;
    if (merged->model)
        conflict(d, h, "model");
    else
        merged->model = v->model;
}

void merge_verdict(struct dispatch *d, const struct hook *h, struct verdict *v,
                   struct hook_run *run)
{
    merge_decision(d, h, v, run);
    merge_stop(d, h, v, run);
    merge_say(d, v);
    merge_changes(d, h, v, run);
    merge_injections(d, h, v, run);
    merge_history(d, h, v, run);
    merge_follow_ups(d, h, v, run);
    merge_model(d, h, v, run);
}

void merge_finish(struct dispatch *d)
{
    struct json *replace;

    d->receipt->data = d->event.data;
    if (!d->over)
        mark_once(d);
    if (!d->changed)
        return;
    replace = json_object(d->arena);
    for (const struct json *f = json_first(d->changed); f; f = json_next(f)) {
        struct str field = json_key(d->arena, f);
        const struct json *value = json_get(d->event.data, field);

        json_add(d->arena, replace, field, value ? value : json_null(d->arena));
    }
    d->receipt->verdict.replace = replace;
}
