#include "hook/dispatch.h"

#include "base/clock.h"
#include "hook/gate.h"
#include "hook/trust.h"

#include <errno.h>
#include <stdio.h>

#define HOOK_TIMEOUT_MS 30000u

void dispatch_warn(struct dispatch *d, const char *fmt, ...)
{
    struct receipt *r = d->receipt;
    char line[ERR_MSG_MAX];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    r->warnings =
        arena_grow(d->arena, r->warnings, r->warning_count, &d->warning_room, sizeof(*r->warnings));
    r->warnings[r->warning_count++] = arena_strdup(d->arena, line);
    if (!d->report) /* who tries a hook reads the receipt */
        log_warn_once(engine_log(d->engine), "%s", line);
}

/* One hold-back a hook, and one more for each of its injections: a list that grows. */
void dispatch_hold(struct dispatch *d, const struct hook_held *held)
{
    struct receipt *r = d->receipt;

    if ((r->held_count & (r->held_count - 1)) == 0) { /* full at every power of two */
        size_t room = r->held_count ? r->held_count * 2 : 4;
        struct hook_held *more = arena_array(d->arena, struct hook_held, room);

        if (r->held_count)
            memcpy(more, r->held, r->held_count * sizeof(*more));
        r->held = more;
    }
    r->held[r->held_count++] = *held;
}

/* Most hooks are functions of this program: their runs stay small, since all are written down. */
static const struct hook_io *keep_io(struct arena *a, const struct hook_io *io)
{
    struct hook_io *kept;

    if (!io->bytes_in && !io->bytes_out && !io->stderr_head && !io->warnings && !io->failure &&
        !io->llm.calls)
        return NULL;
    kept = arena_alloc(a, sizeof(*kept));
    *kept = *io;
    return kept;
}

void dispatch_call(const struct dispatch *d, struct hook_call *c, uint64_t began_ns,
                   struct verdict *v, struct hook_run *run)
{
    struct hook_io io = { 0 };
    struct err e;
    int r;

    *run = (struct hook_run){ .hook = c->hook };
    c->io = &io;
    e.code = 0; /* not the whole message: it is longer than all else that is touched here */
    e.msg[0] = '\0';
    if (event_is_aborted(d->abort_fd))
        r = err_set(&e, -ECANCELED, "was not started: the event was aborted");
    else
        r = c->hook->run(c, v, &e);
    run->ns = clock_mono_ns() - began_ns;
    run->io = keep_io(c->arena, &io);
    if (r < 0) {
        run->end = r == -ETIMEDOUT ? RUN_TIMED_OUT : RUN_FAILED;
        run->untrusted = r == TRUST_REFUSED;
        run->detail = arena_strdup(c->arena, e.msg[0] ? e.msg : "failed without saying why");
        *v = (struct verdict){ .say = v->say }; /* it may still tell the person why */
    } else if (io.failure) {
        run->end = io.timed_out ? RUN_TIMED_OUT : RUN_FAILED;
        run->detail = io.failure;
    }
    if (run->end != RUN_DONE && !d->report && r != -ECANCELED)
        log_warn(engine_log(d->engine), "hook '%s' %s", c->hook->name, run->detail);
}

void dispatch_warn_of(struct dispatch *d, const struct hook_run *run)
{
    struct str rest = str_of(run->io ? run->io->warnings : NULL), line;

    while (str_cut(&rest, '\n', &line))
        if (line.len)
            dispatch_warn(d, "hook '%s': %.*s", run->hook->name, STR_ARG(line));
}

bool dispatch_hold_untrusted(struct dispatch *d, const struct hook_run *run)
{
    if (!run->untrusted || run->hook->traits.on_failure != FAILURE_ALLOW)
        return false;
    dispatch_hold(
        d, &(struct hook_held){ .hook = run->hook, .why = HELD_UNTRUSTED, .detail = run->detail });
    return true;
}

/* A failed run is no answer; what it means here is the hook's `on_failure`. */
static void fail(struct dispatch *d, const struct hook *h, struct hook_run *run)
{
    struct verdict v = { 0 };

    if (h->traits.on_failure == FAILURE_ALLOW)
        return;
    v.decision = h->traits.on_failure == FAILURE_BLOCK ? DECISION_BLOCK : DECISION_ASK;
    v.reason = arena_printf(d->arena, "hook '%s' %s", h->name, run->detail);
    merge_verdict(d, h, &v, run);
}

/* Guards may run again, so there is no telling beforehand how many runs there will be. */
struct hook_run *dispatch_next_run(struct dispatch *d)
{
    struct receipt *r = d->receipt;

    if (r->run_count == d->run_room) {
        size_t room = d->run_room ? d->run_room * 2 : d->chain->count;
        struct hook_run *more = arena_alloc(d->arena, room * sizeof(*more));

        if (r->run_count)
            memcpy(more, r->runs, r->run_count * sizeof(*more));
        r->runs = more;
        d->run_room = room;
    }
    return &r->runs[r->run_count++];
}

/* However slow a workspace is, half of an event's time is for hooks of others. */
static uint64_t guest_deadline(const struct dispatch *d)
{
    return d->began_ns + (d->deadline_ns - d->began_ns) / 2;
}

static uint64_t event_deadline(const struct dispatch *d, const struct hook *h)
{
    return h->origin.source == SOURCE_WORKSPACE ? guest_deadline(d) : d->deadline_ns;
}

/* What takes no time to speak of is no reason to let anything pass. */
static bool is_swift_guard(const struct hook *h)
{
    return h->in_process && h->traits.layer == LAYER_GUARD;
}

void dispatch_set_deadlines(const struct dispatch *d, struct hook_call *c, uint64_t now_ns)
{
    const struct hook *h = c->hook;
    uint32_t ms = h->traits.timeout_ms ? h->traits.timeout_ms : HOOK_TIMEOUT_MS;
    uint64_t own = now_ns + (uint64_t)ms * 1000000u;

    c->event_deadline_ns = event_deadline(d, h);
    c->guest_deadline_ns = guest_deadline(d);
    c->deadline_ns = own < c->event_deadline_ns || is_swift_guard(h) ? own : c->event_deadline_ns;
}

static void run_hook(struct dispatch *d, const struct hook *h, const struct gate *g, bool again)
{
    struct hook_run *run = dispatch_next_run(d);
    struct verdict v = { 0 };
    const char *detail;

    d->call.hook = h;
    d->call.options = h->options;
    d->call.context = h->context;
    d->call.again = again;
    dispatch_set_deadlines(d, &d->call, d->last_ns);
    dispatch_call(d, &d->call, d->last_ns, &v, run);
    d->last_ns += run->ns;
    if (dispatch_hold_untrusted(d, run)) {
        d->receipt->run_count--;
        return;
    }
    run->again = again;
    run->every = g->every;
    run->time = g->time;
    if (run->io)
        dispatch_warn_of(d, run);
    if (event_is_aborted(d->abort_fd)) {
        d->aborted = d->over = true;
        return;
    }
    detail = run->detail;
    if (!verdict_is_empty(&v)) /* of a run that failed in part: what the other parts said */
        merge_verdict(d, h, &v, run);
    if (run->end != RUN_DONE) {
        run->detail = detail;
        fail(d, h, run);
    }
}

/* Time is up for the whole event. What must not be skipped counts as failed. */
static void out_of_time(struct dispatch *d, const struct hook *h)
{
    struct hook_run *run;

    if (h->traits.on_failure == FAILURE_ALLOW) {
        dispatch_hold(d, &(struct hook_held){ .hook = h,
                                              .why = HELD_BUDGET,
                                              .detail = "the event's time is used up" });
        return;
    }
    run = dispatch_next_run(d);
    *run = (struct hook_run){ .hook = h,
                              .end = RUN_TIMED_OUT,
                              .detail = "did not run: the event's time is used up" };
    fail(d, h, run);
}

/* Inside a hook's own process tree no hook starts another process. */
static bool is_too_deep(const struct dispatch *d, const struct hook *h)
{
    return !h->in_process && d->depth > 0;
}

bool dispatch_admit(struct dispatch *d, const struct hook *h, struct gate *g)
{
    struct hook_held held = { .hook = h };

    if (hook_is_unasked(h))
        return false;
    if (h->off_because) {
        held.why = HELD_OFF;
        held.detail = h->off_because;
    } else if (is_too_deep(d, h)) {
        held.why = HELD_DEPTH;
        held.detail = "inside another hook";
    } else if (d->ungated) {
        *g = (struct gate){ .open = true };
        return true;
    } else {
        *g = gate_ask(d->engine, d->registry, h, &d->event);
        if (g->open)
            return true;
        held.why = HELD_CADENCE;
        held.every = g->every;
        held.time = g->time;
    }
    dispatch_hold(d, &held);
    return false;
}

static bool is_out_of_time(const struct dispatch *d, const struct hook *h)
{
    return d->last_ns > event_deadline(d, h) && !is_swift_guard(h) && !h->off_because &&
           !is_too_deep(d, h);
}

/* A later hook changed the arguments: the guards judge what will really run. */
static void rerun_guards(struct dispatch *d)
{
    static const struct gate ungated = { .open = true };

    d->args_changed = false;
    for (size_t i = 0; i < d->chain->observers && !d->over; i++) {
        const struct hook *h = d->chain->hooks[i];

        if (h->traits.layer != LAYER_GUARD)
            break;
        if (!h->off_because && !is_too_deep(d, h))
            run_hook(d, h, &ungated, true);
    }
}

static bool needs_rerun(const struct dispatch *d, const struct hook *next)
{
    return d->args_changed && (!next || (next->def && next->def->no_rerun));
}

/* Nothing that was said counts, and the thing the event is about must not happen. */
static void give_up(struct dispatch *d)
{
    d->receipt->verdict = (struct verdict){ .stop = "the event was aborted" };
    d->receipt->data = d->receipt->event->data;
}

void dispatch_chain(struct dispatch *d)
{
    struct gate g;

    d->call = (struct hook_call){
        .engine = d->engine,
        .registry = d->registry,
        .event = &d->event,
        .config = registry_config(d->registry),
        .arena = d->arena,
        .abort_fd = d->abort_fd,
        .receipt_id = d->receipt->id,
        .report = d->report,
    };
    for (size_t i = 0; i < d->chain->observers && !d->over; i++) {
        const struct hook *h = d->chain->hooks[i];

        if (needs_rerun(d, h))
            rerun_guards(d);
        if (d->over)
            break;
        if (is_out_of_time(d, h))
            out_of_time(d, h);
        else if (dispatch_admit(d, h, &g))
            run_hook(d, h, &g, false);
    }
    if (!d->over && needs_rerun(d, NULL))
        rerun_guards(d);
    merge_finish(d);
    if (d->aborted)
        give_up(d);
}
