#include "serve/answering.h"

#include "base/clock.h"
#include "base/file.h"
#include "dialect/agent.h"
#include "dialect/dialect.h"
#include "hook/collector.h"
#include "hook/registry.h"
#include "serve/alarm.h"
#include "serve/document.h"
#include "serve/record.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#define READ_MS      10000
#define MARGIN_MS    2000 /* of the time an agent gives its hook: for all but the hooks */
#define LAST_MS      1000 /* to read an answer, for one whose event was aborted */
#define EXIT_FAILED  1
#define EXIT_BLOCKED 2
#define EXIT_USAGE   64
#define STAT_MAX     4096
#define UNKEPT       "the stop can't be kept until the agent takes notice of it"

struct answering {
    struct runtime *rt;
    const struct answer_request *q;
    const struct dialect *dialect;
    const struct dialect_agent *agent;
    const struct agent_event *kind;
    struct str name; /* of the event; unset: not known */
    struct str text; /* as read */
    const struct json *in;
    struct event event;
    struct record record;
    const struct json *answer;
    const char *refused; /* why, where the answer blocks or stops */
    uint64_t began_ns;   /* when the agent began to wait, as far as it is known */
};

const char *const *answer_agents(void)
{
    static const char *const names[] = { "claude", "codex", "gemini", NULL };

    return names;
}

/* Writing -------------------------------------------------------------------------------------- */

/* Until it can be written to; false: whoever asked has gone and nobody reads. */
static bool wait_for_reader(int fd, int abort_fd)
{
    struct pollfd fds[] = { { .fd = fd, .events = POLLOUT },
                            { .fd = abort_fd > 0 ? abort_fd : -1, .events = POLLIN } };
    int n;

    do
        n = poll(fds, ARRAY_LEN(fds), -1);
    while (n < 0 && errno == EINTR);
    return fds[0].revents || poll(fds, 1, LAST_MS) > 0;
}

/* In pieces that a pipe which has room takes without waiting. */
static bool write_text(const struct answer_request *q, int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t n;

        if (!wait_for_reader(fd, q->abort_fd)) {
            errno = EPIPE;
            return false;
        }
        n = write(fd, text, len < PIPE_BUF ? len : PIPE_BUF);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n <= 0)
            return false;
        text += n;
        len -= (size_t)n;
    }
    return true;
}

/* On standard error; who does not read that can't be told. */
static void complain(const struct answering *s, const char *words)
{
    CLEANUP(strbuf) struct strbuf line = { 0 };

    strbuf_printf(&line, "hooke: answer %s: %s\n", s->q->agent, words);
    (void)write_text(s->q, s->q->err, strbuf_cstr(&line), line.len);
}

/* To each of these agents code 2 with a line on standard error is a refusal, and 1 a failure. */
static int say_otherwise(const struct answering *s, struct arena *a, const char *failed)
{
    if (!json_first(s->answer)) /* it says nothing */
        return 0;
    complain(s, s->refused ? arena_printf(a, "%s (%s)", s->refused, failed) : failed);
    return s->refused ? EXIT_BLOCKED : EXIT_FAILED;
}

static void print_answer(const struct answering *s, struct arena *a, struct strbuf *out)
{
    const char *bare = s->kind && !s->refused ? s->kind->bare : NULL;
    struct str text;

    if (!bare) {
        json_write(out, s->answer, JSON_COMPACT);
    } else {
        text = json_str(a, json_get(s->answer, str_of(bare)));
        strbuf_add(out, text.ptr, text.len);
    }
    if (out->len)
        strbuf_addch(out, '\n');
}

static int write_answer(const struct answering *s, struct arena *a)
{
    CLEANUP(strbuf) struct strbuf out = { 0 };
    struct err e = { 0 };

    print_answer(s, a, &out);
    if (write_text(s->q, s->q->out, strbuf_cstr(&out), out.len))
        return 0;
    (void)err_errno(&e, "writing the answer");
    return say_otherwise(s, a, e.msg);
}

/* When there is no event ----------------------------------------------------------------------- */

/* The hook in force that must not be passed over: at the event's point, or anywhere. NULL: none. */
static const struct hook *critical_hook(const struct registry *reg, const struct agent_event *kind)
{
    const struct hook *const *hooks;
    size_t count;

    hooks = kind ? registry_at(reg, kind->point, &count) : registry_hooks(reg, &count);
    return registry_critical(hooks, count);
}

bool answer_is_guarded(struct runtime *rt)
{
    struct registry *reg = engine_look(rt->engine);
    bool guarded = critical_hook(reg, NULL) != NULL;

    registry_unref(reg);
    return guarded;
}

/* Refused, if somebody depends on a hook that could not look and it can be; else the person is
 * told. */
static void answer_without_event(struct answering *s, struct arena *a, const char *why)
{
    struct verdict v = { 0 };
    struct agent_saying saying = { .agent = s->agent,
                                   .event = s->kind,
                                   .in = s->in,
                                   .verdict = &v,
                                   .critical = true,
                                   .refused = &s->refused };
    struct registry *reg = engine_look(s->rt->engine);
    const struct hook *hook = critical_hook(reg, s->kind);

    complain(s, why);
    if (hook) {
        v.decision = DECISION_BLOCK;
        v.reason = arena_printf(
            a,
            "hooke could not read the event, so the safety-critical hook '%s' did not see it: %s",
            hook->name, why);
    }
    registry_unref(reg);
    s->answer = agent_write(a, &saying);
    if (s->refused)
        return;
    v = (struct verdict){ .say = arena_printf(a, "hooke did not look at this: %s", why) };
    s->answer = agent_write(a, &saying);
}

/* What a text that is no JSON says of its event all the same. */
static struct str guess_event(struct str text)
{
    const char *key = "\"hook_event_name\"";
    const char *at = text.len ? memmem(text.ptr, text.len, key, strlen(key)) : NULL;
    struct str rest, word;

    if (!at)
        return (struct str){ 0 };
    rest = (struct str){ at + strlen(key), text.len - (size_t)(at - text.ptr) - strlen(key) };
    if (!str_cut(&rest, '"', &word) || !str_is_set(rest) || !str_cut(&rest, '"', &word))
        return (struct str){ 0 };
    return word;
}

/* Reading -------------------------------------------------------------------------------------- */

static int find_name(struct answering *s, struct arena *a, struct err *e)
{
    struct str said = json_str(a, json_get(s->in, STR("hook_event_name")));

    s->name = s->q->event ? str_of(s->q->event) : said;
    if (!str_is_set(s->name))
        return err_set(e, -EBADMSG, "the event has no 'hook_event_name' and none was given");
    if (str_is_set(said) && !str_eq(said, s->name))
        return err_set(e, -EBADMSG, "the event is '%.*s', but '%s' was to be answered",
                       STR_ARG(said), s->q->event);
    return 0;
}

static int read_event(struct answering *s, struct arena *a, struct err *e)
{
    struct json_reader reader = { .max_bytes = DOCUMENT_MAX };
    int r = document_read(a, s->q->in, s->q->read_ms ? s->q->read_ms : READ_MS, &s->text, e);

    s->name = s->q->event ? str_of(s->q->event) : guess_event(s->text);
    if (r == 0)
        r = json_parse(a, s->text, &reader, &s->in, e);
    if (r == 0)
        r = find_name(s, a, e);
    s->kind = str_is_set(s->name) ? agent_event_find(s->agent, s->name) : NULL;
    if (r < 0 || !s->kind)
        return r;
    return agent_read(a, s->agent, s->kind, s->in, &s->event, e);
}

/* Settling: our verdict in the agent's words --------------------------------------------------- */

static bool has_run(const struct receipt *r, const struct hook *h)
{
    for (size_t i = 0; i < r->run_count; i++)
        if (r->runs[i].hook == h)
            return true;
    return false;
}

/* A block ends the chain: a safety-critical hook behind it has not looked. */
static bool is_cut_short(struct arena *a, const struct receipt *r)
{
    struct chain_key key = chain_key_of(a, r->event);
    const struct chain *chain = registry_chain(r->registry, &key, a);

    for (size_t i = 0; i < chain->observers; i++) {
        const struct hook *h = chain->hooks[i];

        if (h->traits.safety_critical && !h->off_because && !has_run(r, h))
            return true;
    }
    return false;
}

static bool is_critical(struct arena *a, const struct receipt *r)
{
    bool blocked = r->verdict.decision == DECISION_BLOCK;
    unsigned did = POWER_CHANGE | (blocked ? POWER_BLOCK : 0);

    for (size_t i = 0; i < r->run_count; i++) {
        const struct hook_run *run = &r->runs[i];

        if (run->hook->traits.safety_critical &&
            ((run->effects & did) || (blocked && run->end != RUN_DONE)))
            return true;
    }
    return blocked && is_cut_short(a, r);
}

/* Loops end, also where the agent itself knows no limit. */
static void cap(struct answering *s, struct arena *a, struct receipt *r, struct verdict *v)
{
    const char *why = NULL, *text = agent_follow_up(a, v);

    if (!text || v->stop || record_continue(&s->record, v->reason, text, a, &why))
        return;
    v->follow_ups = r->verdict.follow_ups = NULL;
    if (r->verdict.result == VERDICT_CONTINUE)
        r->verdict.result = VERDICT_NO_RESULT;
    v->say = alarm_line(a, v->say, arena_printf(a, "hooke lets the agent stop: %s", why));
    receipt_warn(a, r, why);
}

/* What the answer says is said: it must not come again with a later request. */
static void consume(struct answering *s, struct arena *a, const struct verdict *v)
{
    struct collector c = { s->rt->store, s->event.session.id };
    struct injection *pending = NULL, *placed = NULL, *next;
    struct err e = { 0 };
    bool any = false;

    for (const struct injection *i = v->injections; i; i = i->next)
        any |= (i->class != INJECT_PERSISTENT || i->once) && agent_says(s->kind, v, i);
    if (!any || collector_peek(&c, a, &pending, &e) < 0)
        return;
    for (struct injection *p = pending; p; p = next) {
        next = p->next;
        for (const struct injection *i = v->injections; i; i = i->next)
            if (strcmp(i->source, p->source) == 0 && strcmp(i->id, p->id) == 0 &&
                agent_says(s->kind, v, i)) {
                p->next = placed;
                placed = p;
                break;
            }
    }
    if (placed && collector_consume(&c, placed, &e) < 0)
        log_warn(engine_log(s->rt->engine), "context may be said again: %s", e.msg);
}

/* The agent shows nobody what goes to standard error. */
static const char *alarm_of(const struct answering *s, struct arena *a, const struct receipt *r)
{
    const char *wrong = alarm_configuration(a, r);

    if (s->event.point != POINT_SESSION_CREATED && s->event.point != POINT_CHAT_MESSAGE)
        return NULL;
    if (s->q->broken)
        return arena_printf(a, "hooke: %s", s->q->broken);
    if (wrong || !s->record.unknown)
        return wrong;
    return arena_printf(a, "hooke: hooks can't remember anything: %s", s->record.unknown);
}

/* Without a terminal nobody can be asked. What can't be found out is taken for one. */
static bool is_unattended(struct arena *a, pid_t pid)
{
    enum { TERMINAL = 4 }; /* behind the name: state, parent, group, session, terminal */
    struct str text, word;
    const char *name_end;

    if (pid == 0 || file_read(a, arena_printf(a, "/proc/%d/stat", (int)pid), STAT_MAX, &text, NULL))
        return false;
    name_end = strrchr(text.ptr, ')'); /* it may hold anything, this, too */
    if (!name_end || !name_end[1])
        return false;
    text = str_of(name_end + 2);
    for (int i = 0; str_cut(&text, ' ', &word); i++)
        if (i == TERMINAL)
            return str_is(word, "0");
    return false;
}

/* What could not be said at the start of the session is said at its first message. */
static void take_stop(struct answering *s, struct arena *a, struct receipt *r)
{
    struct record_stopped stopped;

    if (!s->agent->brake || s->event.point != POINT_CHAT_MESSAGE || r->verdict.stop)
        return;
    stopped = record_stopped(s->rt->engine, s->event.session.id, false, a);
    r->verdict.stop = stopped.why;
    if (!s->record.unknown)
        s->record.unknown = stopped.unknown;
}

/* A stop that has to wait; where it can't be kept until then the person is told. */
static void keep_stop(struct answering *s, struct arena *a, struct receipt *r,
                      const struct agent_saying *said)
{
    const char *why = *said->held;
    struct agent_saying again = *said;
    struct verdict told = *said->verdict;

    if (!why || record_stop(s->rt->engine, s->event.session.id, why))
        return;
    receipt_warn(a, r, UNKEPT);
    told.say = alarm_line(a, told.say, arena_printf(a, "hooke: " UNKEPT ": %s", why));
    again.verdict = &told;
    again.lost = NULL; /* that is known already */
    s->answer = agent_write(a, &again);
}

static void settle(void *context, struct arena *a, struct receipt *r)
{
    struct answering *s = context;
    const char *held = NULL;
    struct verdict v;
    CLEANUP(strbuf) struct strbuf lost = { 0 };
    struct agent_saying saying = { .agent = s->agent,
                                   .event = s->kind,
                                   .in = s->in,
                                   .verdict = &v,
                                   .critical = is_critical(a, r),
                                   .unattended = r->verdict.decision == DECISION_ASK &&
                                                 is_unattended(a, s->q->from),
                                   .lost = &lost,
                                   .refused = &s->refused,
                                   .held = &held };
    struct str rest, line;

    take_stop(s, a, r);
    v = r->verdict;
    v.say = alarm_line(a, alarm_failures(s->rt->engine, r, v.say, a), alarm_of(s, a, r));
    cap(s, a, r, &v);
    s->answer = agent_write(a, &saying);
    keep_stop(s, a, r, &saying);
    rest = strbuf_str(&lost);
    while (rest.len && str_cut(&rest, '\n', &line))
        if (line.len)
            receipt_warn(a, r, arena_cstr(a, line));
    consume(s, a, &v);
}

/* Answering ------------------------------------------------------------------------------------ */

/*
 * An agent that has waited too long goes on as if nothing had been said, so hooks end before that,
 * however long the document and the store took: what a late one means is for `on_failure`. Who says
 * how long events may take is believed.
 */
static uint32_t time_limit(const struct answering *s)
{
    const struct dialect *d = s->dialect;
    struct registry *reg = engine_look(s->rt->engine);
    const struct config *config = registry_config(reg);
    bool said = config && setting_get(config->root, "event_timeout");
    uint32_t ms = d->timeout_at ? d->timeout_at(s->event.point) : d->timeout_ms;
    uint64_t gone_ms = (clock_mono_ns() - s->began_ns) / 1000000;

    registry_unref(reg);
    ms -= ms / 10 < MARGIN_MS ? ms / 10 : MARGIN_MS;
    if (said)
        return 0;
    return gone_ms < ms ? ms - (uint32_t)gone_ms : 1;
}

/* What the agent does not know of its own session. */
static void complete_event(struct answering *s, struct arena *a)
{
    struct event *ev = &s->event;
    const struct record *rec = &s->record;

    ev->turn = rec->turn;
    ev->via = s->q->agent;
    ev->as = s->kind->name;
    ev->abort_fd = s->q->abort_fd;
    ev->timeout_ms = time_limit(s);
    if (ev->point == POINT_AGENT_STOP && rec->kept && !rec->unknown)
        ev->data =
            json_with(a, ev->data, STR("continuations"), json_int(a, rec->loop.continuations));
    if (rec->internal)
        ev->data = json_with(
            a, ev->data, STR("message"),
            json_with(a, event_data(ev, STR("message")), STR("internal"), json_bool(a, true)));
}

static int emit(struct answering *s, struct arena *a, struct err *e)
{
    CLEANUP(receipt) struct receipt r = { 0 };
    const struct event_settle last = { settle, s };
    struct event ev;
    const struct json *going_on = json_get(s->in, STR("stop_hook_active"));

    s->record = (struct record){ .engine = s->rt->engine,
                                 .tells_turns = s->agent->tells_turns,
                                 .going_on = json_is_true(going_on) };
    record_count(&s->record, &s->event, a);
    complete_event(s, a);
    ev = s->event;
    ev.settle = &last;
    return engine_emit(s->rt->engine, &ev, a, &r, e);
}

static bool is_brake(const struct answering *s)
{
    return s->agent->brake && str_is(s->name, s->agent->brake);
}

static void answer_brake(struct answering *s, struct arena *a)
{
    const char *session = agent_session(a, s->in);
    struct record_stopped stopped = { 0 };

    if (session)
        stopped = record_stopped(s->rt->engine, session, true, a);
    s->answer = stopped.why ? agent_brake(a, s->agent, stopped.why) : json_object(a);
}

static void answer_nothing(struct answering *s, struct arena *a)
{
    bool known = agent_event_is_other(s->agent, s->name);

    s->answer = json_object(a);
    if (known)
        log_info(engine_log(s->rt->engine), "no point stands for '%.*s' of %s: nothing to answer",
                 STR_ARG(s->name), s->agent->title);
    else
        log_warn(engine_log(s->rt->engine),
                 "'%.*s' is no event of %s that is known: it is let pass", STR_ARG(s->name),
                 s->agent->title);
}

int answer_serve(struct runtime *rt, const struct answer_request *q)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct dialect *d = dialect_find(str_of(q->agent));
    struct answering s = {
        .rt = rt, .q = q, .dialect = d, .agent = d ? d->agent : NULL, .began_ns = clock_mono_ns()
    };
    struct err e = { 0 };

    if (!s.agent) {
        complain(&s, "no such agent: it can be claude, codex or gemini");
        return EXIT_USAGE;
    }
    if (read_event(&s, &a, &e) < 0)
        answer_without_event(&s, &a, e.msg);
    else if (is_brake(&s))
        answer_brake(&s, &a);
    else if (!s.kind)
        answer_nothing(&s, &a);
    else if (emit(&s, &a, &e) < 0)
        answer_without_event(&s, &a, e.msg);
    if (s.agent->mute && str_is(s.name, s.agent->mute))
        return 0;
    return write_answer(&s, &a);
}
