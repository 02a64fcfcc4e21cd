#include "runner/group.h"

#include "base/clock.h"
#include "hook/slots.h"
#include "runner/prewarm.h"

#include <errno.h>

#define STDERR_HEAD 300

/* A handler on its way. */
struct part {
    const struct handler *handler;
    struct verdict answer;
    const char *failure; /* in words that follow its name; NULL: it answered */
    int code;            /* of the failure */
};

struct running {
    const struct group *group;
    struct part *parts;
    struct proc *procs;
    struct proc_result *results;
    size_t live; /* how many could be started */
    struct strbuf warnings;
    bool failed; /* one of those that ran */
};

static uint64_t part_deadline(const struct running *r, size_t i, uint64_t now)
{
    const struct handler *h = r->parts[i].handler;
    const struct hook_call *c = r->group->call;
    uint64_t own = now + (uint64_t)h->timeout_ms * 1000000u;
    uint64_t event =
        h->said->origin.source == SOURCE_WORKSPACE ? c->guest_deadline_ns : c->event_deadline_ns;

    return own < event ? own : event;
}

static void fail(struct running *r, size_t i, int code, const char *words)
{
    r->parts[i].code = code;
    r->parts[i].failure = arena_strdup(r->group->call->arena, words);
}

/* Answers -------------------------------------------------------------------------------------- */

/* For who tries the hook: all of it, the newest handler's exit code. */
static void report(const struct running *r, const struct proc_result *run)
{
    struct hook_report *told = r->group->call->report;
    struct arena *a = r->group->call->arena;

    if (!told)
        return;
    if (run->out.text.len)
        told->output =
            arena_printf(a, "%s%s", told->output ? told->output : "", strbuf_cstr(&run->out.text));
    if (run->err.text.len)
        told->errors =
            arena_printf(a, "%s%s", told->errors ? told->errors : "", strbuf_cstr(&run->err.text));
    told->exited = run->end == PROC_EXITED;
    told->exit_code = run->exit_code;
}

/* What the hook tells of its run: bytes of all, stderr of the first that failed, or wrote any. */
static void tell(struct running *r, size_t i)
{
    struct hook_io *io = r->group->call->io;
    const struct proc_result *run = &r->results[i];
    struct str err = str_trim(strbuf_str(&run->err.text));
    bool first_failure = r->parts[i].failure && !r->failed;

    report(r, run);
    io->bytes_in += run->end == PROC_NOT_STARTED ? 0 : r->procs[i].input.len;
    io->bytes_out += run->out.bytes;
    r->failed = r->failed || first_failure;
    if (err.len > STDERR_HEAD)
        err.len = STDERR_HEAD;
    if (err.len && (first_failure || !io->stderr_head))
        io->stderr_head = arena_cstr(r->group->call->arena, err);
}

static void add_warnings(struct running *r, const struct handler *h, const struct strbuf *warnings)
{
    struct str rest = strbuf_str(warnings), line;

    while (str_cut(&rest, '\n', &line))
        if (line.len && r->group->alone)
            strbuf_printf(&r->warnings, "%.*s\n", STR_ARG(line));
        else if (line.len)
            strbuf_printf(&r->warnings, "%s: %.*s\n", h->label, STR_ARG(line));
}

/* One hook, but several that speak: what one injects must not take the place of another's. */
static void tell_apart(struct arena *a, const struct handler *h, struct injection *list)
{
    for (; h->number > 1 && list; list = list->next)
        list->id = arena_printf(a, "%s/%u", list->id ? list->id : "1", h->number);
}

static void decode(struct running *r, size_t i)
{
    const struct group *g = r->group;
    struct part *p = &r->parts[i];
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct dialect_answer answer = { &p->answer, &warnings };
    struct arena *a = g->call->arena;
    const struct proc_result *run = &r->results[i];
    struct err e = { 0 };
    int code = run->end == PROC_TIMED_OUT ? -ETIMEDOUT : -EIO;

    if (run->end != PROC_EXITED && !(run->end == PROC_SIGNALED && g->dialect->reads_killed))
        fail(r, i, code, proc_explain(a, &r->procs[i], run));
    else if ((code = g->dialect->decode(a, &g->event, run, &answer, &e)) < 0)
        fail(r, i, code, e.msg[0] ? e.msg : "failed without saying why");
    else
        tell_apart(a, p->handler, p->answer.injections);
    tell(r, i);
    add_warnings(r, p->handler, &warnings);
    proc_result_release(&r->results[i]);
}

/* Waves ---------------------------------------------------------------------------------------- */

/* The longest that one of those from `first` on may take is how long they wait to begin. */
static int take_slots(const struct running *r, size_t first, uint64_t now, size_t *got,
                      struct err *e)
{
    uint64_t until = 0;

    for (size_t i = first; i < r->live; i++) {
        uint64_t deadline = part_deadline(r, i, now);

        until = deadline > until ? deadline : until;
    }
    return slots_take(r->group->call, r->live - first, until, got, e);
}

/* Starts as many as there are slots for, from `first` on; returns how many these were. */
static size_t run_wave(struct running *r, size_t first)
{
    uint64_t now = clock_mono_ns();
    struct err e = { 0 };
    size_t got = 0;
    int code = take_slots(r, first, now, &got, &e);

    if (code < 0) {
        for (size_t i = first; i < r->live; i++)
            fail(r, i, code, e.msg);
        return r->live - first;
    }
    for (size_t i = first; i < first + got; i++)
        r->procs[i].deadline_ns = part_deadline(r, i, now);
    if (r->group->prewarm && r->live == 1)
        prewarm_run(r->group->prewarm, &r->procs[first], &r->results[first]);
    else
        proc_run_many(&r->procs[first], &r->results[first], got);
    slots_give(r->group->call, got);
    for (size_t i = first; i < first + got; i++)
        decode(r, i);
    return got;
}

/* Conclusion ----------------------------------------------------------------------------------- */

static void merge(struct running *r, struct verdict *v)
{
    const struct group *g = r->group;
    struct verdict *answers = arena_array(g->call->arena, struct verdict, g->count);
    struct dialect_answer out = { v, &r->warnings };
    size_t count = 0;

    for (size_t i = 0; i < g->count; i++)
        if (!r->parts[i].failure)
            answers[count++] = r->parts[i].answer;
    if (count > 0)
        (g->dialect->merge ? g->dialect->merge : dialect_merge)(g->call->arena, &g->event, answers,
                                                                count, &out);
}

static const char *explain(const struct running *r, const struct part *first, size_t failed)
{
    struct arena *a = r->group->call->arena;

    if (r->group->alone)
        return first->failure;
    if (failed == 1)
        return arena_printf(a, "has a handler that failed: %s %s", first->handler->label,
                            first->failure);
    return arena_printf(a, "has %zu handlers that failed, the first: %s %s", failed,
                        first->handler->label, first->failure);
}

/* The first of those whose failure means most by itself; NULL: none means anything. */
static const struct part *find_worst(const struct running *r)
{
    const struct part *worst = NULL;
    enum failure meaning = FAILURE_ALLOW;

    for (size_t i = 0; i < r->group->count; i++) {
        const struct part *p = &r->parts[i];

        if (p->failure && p->handler->said->on_failure > meaning) {
            meaning = p->handler->said->on_failure;
            worst = p;
        }
    }
    return worst;
}

/* What the hook's own `on_failure` says comes on top. */
static void decide_failure(const struct running *r, const struct part *worst, struct verdict *v)
{
    const struct hook_call *c = r->group->call;
    bool blocks = worst->handler->said->on_failure == FAILURE_BLOCK;
    enum decision means = blocks ? DECISION_BLOCK : DECISION_ASK;

    if (v->decision >= means)
        return;
    v->decision = means;
    v->reason = arena_printf(c->arena, "hook '%s' %s", c->hook->name, explain(r, worst, 1));
}

static int conclude(struct running *r, struct verdict *v, struct err *e)
{
    const struct group *g = r->group;
    struct hook_io *io = g->call->io;
    const struct part *first = NULL, *worst = find_worst(r);
    size_t failed = 0;

    for (size_t i = g->count; i > 0; i--)
        if (r->parts[i - 1].failure) {
            first = &r->parts[i - 1];
            failed++;
        }
    merge(r, v);
    if (first && !v->say) /* one that failed may still tell the person why */
        v->say = first->answer.say;
    if (r->warnings.len)
        io->warnings = arena_cstr(g->call->arena, strbuf_str(&r->warnings));
    if (!first)
        return 0;
    if (worst)
        decide_failure(r, worst, v);
    else if (failed == g->count)
        return err_set(e, first->code, "%s", explain(r, first, failed));
    io->failure = explain(r, first, failed);
    io->timed_out = first->code == -ETIMEDOUT;
    return 0;
}

/* Those that can start in front, the others, with their failure, behind; both as configured. */
static void prepare(struct running *r)
{
    const struct group *g = r->group;
    struct arena *a = g->call->arena;
    struct part *failed = arena_array(a, struct part, g->count);
    size_t failed_count = 0;

    for (size_t i = 0; i < g->count; i++) {
        const struct handler *h = g->handlers[i];
        struct err e = { 0 };
        int code = h->broken
                       ? err_set(&e, -EINVAL, "%s: %s",
                                 h->said->changed ? "did not run" : "is wrong", h->broken)
                       : handler_proc(h, g->call, g->dialect, &g->event, &r->procs[r->live], &e);

        if (code < 0) {
            failed[failed_count++] =
                (struct part){ .handler = h, .code = code, .failure = arena_strdup(a, e.msg) };
            continue;
        }
        r->procs[r->live].input = g->input;
        r->parts[r->live++].handler = h;
    }
    memcpy(&r->parts[r->live], failed, failed_count * sizeof(*failed));
}

int group_run(const struct group *g, struct verdict *v, struct err *e)
{
    struct arena *a = g->call->arena;
    struct running r = { .group = g,
                         .parts = arena_array(a, struct part, g->count),
                         .procs = arena_array(a, struct proc, g->count),
                         .results = arena_array(a, struct proc_result, g->count) };
    int ret;

    prepare(&r);
    for (size_t i = 0; i < r.live;)
        i += run_wave(&r, i);
    ret = conclude(&r, v, e);
    strbuf_release(&r.warnings);
    return ret;
}
