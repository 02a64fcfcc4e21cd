/* What a resident process says: answers to events, requests of its own, and anything else. */
#include "base/clock.h"
#include "runner/peer_inside.h"

static void count_junk(struct peer *p)
{
    if (++p->junk >= PEER_JUNK_MAX)
        peer_break(p, "wrote %d lines in a row that are no messages", PEER_JUNK_MAX);
}

/* Cut to a length that fits a line of the receipt, without what would break that line. */
static void complain(struct peer *p, const char *what, struct str line)
{
    size_t len = line.len < 80 ? line.len : 80;

    strbuf_printf(&p->complaints, "%s: '", what);
    for (size_t i = 0; i < len; i++) {
        bool control = (unsigned char)line.ptr[i] < ' ';

        strbuf_add(&p->complaints, control ? " " : &line.ptr[i], 1);
    }
    strbuf_addstr(&p->complaints, len < line.len ? "…'\n" : "'\n");
    count_junk(p);
}

struct pending *peer_find(const struct peer *p, int64_t id)
{
    for (struct pending *x = p->pending; x; x = x->next)
        if (x->id == id)
            return x;
    return NULL;
}

void peer_forget(struct peer *p, struct pending *x)
{
    struct pending **at = &p->pending;

    while (*at && *at != x)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = x->next;
    peer_stop_serving(p, x);
}

static void take_greeting(struct peer *p, const struct rpc_message *m)
{
    p->greeting_id = 0;
    if (m->kind == RPC_ERROR) {
        peer_break(p, "refused 'initialize': %.200s", m->text);
        return;
    }
    strbuf_reset(&p->greeting);
    json_write(&p->greeting, m->result, JSON_COMPACT);
    p->phase = PHASE_READY;
}

/* The thread whose answer this is sleeps, or is this one: its arena may be used. */
static void take_answer(struct peer *p, const struct rpc_message *m, struct str line)
{
    struct pending *x = peer_find(p, m->answers);

    if (p->phase == PHASE_GREETING && m->answers == p->greeting_id) {
        take_greeting(p, m);
        p->junk = 0;
    } else if (x) {
        x->call->line = (struct str){ arena_cstr(x->call->arena, line), line.len };
        x->done = true;
        peer_forget(p, x);
        p->answered++;
        p->failures = p->silent = p->junk = 0;
    } else if (m->answers < 0 || m->answers >= (int64_t)atomic_load(&p->next_id)) {
        complain(p, "answered what nobody asked", line);
    } else { /* it is late, or the second of its kind: dropped */
        count_junk(p);
    }
    pthread_cond_broadcast(&p->changed);
}

/* A line of which only the beginning was kept. If it was an answer, that event has failed. */
static void take_long_line(struct peer *p, struct str head)
{
    struct pending *x = peer_find(p, rpc_find_id(head));

    complain(p, "wrote a line of more than 1048576 bytes", head);
    if (!x)
        return;
    x->done = true;
    peer_forget(p, x);
    p->answered++;
    pthread_cond_broadcast(&p->changed);
}

/* Whether it is likely that more of this kind follows: it was no answer. */
static bool take_line(struct peer *p, const struct peer_call *c, struct str line)
{
    struct rpc_message m;

    arena_reset(&p->scratch);
    rpc_read(&p->scratch, line, &m);
    if (m.kind == RPC_RESULT || m.kind == RPC_ERROR)
        take_answer(p, &m, line);
    else if (m.kind != RPC_JUNK)
        peer_serve(p, c, &m, line);
    else if (str_trim(line).len)
        complain(p, "wrote a line that is no message", line);
    return m.kind != RPC_RESULT && m.kind != RPC_ERROR;
}

/* Take what was read, until there is no more or `x` has its answer. False: there was nothing. */
static bool take_lines(struct peer *p, const struct peer_call *c, const struct pending *x)
{
    bool any = false;
    struct str line;
    int got;

    while (!p->broken[0] && !(x && x->done) && (got = live_line(p->live, &line)) != 0) {
        any = true;
        if (got < 0)
            take_long_line(p, line);
        else if (take_line(p, c, line) && c && clock_mono_ns() >= c->deadline_ns)
            break; /* a flood does not outlast the event */
    }
    return any;
}

static bool take_what_came(struct peer *p, const struct peer_call *c, const struct pending *x)
{
    if (take_lines(p, c, x))
        return true;
    live_look(p->live);
    return take_lines(p, c, x);
}

void peer_listen(struct peer *p, const struct peer_call *c, const struct pending *x,
                 uint64_t until_ns)
{
    struct live_poll poll;

    if (p->reading || !p->live) {
        peer_sleep(p, until_ns);
        return;
    }
    p->reading = true;
    if (!take_what_came(p, c, x) && !p->broken[0] && !live_is_over(p->live)) {
        live_prepare(p->live, &poll);
        pthread_mutex_unlock(&p->lock);
        live_wait(&poll, until_ns);
        pthread_mutex_lock(&p->lock);
        live_serve(p->live, &poll);
        (void)take_lines(p, c, x);
    } else if (live_is_over(p->live) && !(x && x->done) && !take_lines(p, c, x)) {
        peer_end_process(p, c);
    }
    if (p->live && p->broken[0])
        peer_end_process(p, c);
    p->reading = false;
    pthread_cond_broadcast(&p->changed);
}
