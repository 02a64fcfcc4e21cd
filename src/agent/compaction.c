#include "agent/compaction.h"

#include "agent/models.h"
#include "agent/survival.h"
#include "base/clock.h"
#include "base/ulid.h"
#include "hook/registry.h"

#include <errno.h>
#include <stdio.h>

#define OUTPUT_BYTES 2000 /* of a tool's output, where the whole is too long even to summarise */

/* Settings ------------------------------------------------------------------------------------ */

static void read_settings(struct compact_state *c, const struct setting *map)
{
    const struct setting *on = setting_get(map, "auto"), *ratio = setting_get(map, "ratio");
    double n;

    if (on)
        c->on = str_is(on->text, "true");
    if (ratio && setting_to_double(ratio, &n) && n >= 0 && n <= 1)
        c->ratio = n;
}

void compaction_configure(struct agent_session *s, const struct agent_task *task)
{
    s->compact = (struct compact_state){ .on = true, .ratio = COMPACT_RATIO };
    read_settings(&s->compact, config_get(agent_config(s->agent), "compact", NULL));
    read_settings(&s->compact, setting_get(s->def->settings, "compact"));
    if (task->compact_ratio > 0)
        s->compact.ratio = task->compact_ratio;
    if (task->no_auto_compact)
        s->compact.on = false;
    s->todos = compaction_todos(&s->arena, s);
}

const struct json *compaction_settings(const struct agent_session *s, struct arena *a)
{
    struct json *j = json_object(a);

    json_add(a, j, STR("enabled"), json_bool(a, s->compact.on && !s->loop.in_callback));
    json_add(a, j, STR("threshold"), json_double(a, s->compact.ratio));
    return j;
}

bool compaction_is(const struct callback *cb)
{
    return cb->function ? strcmp(cb->name, COMPACTION) == 0 : cb->recipe.replaces;
}

/* Todos --------------------------------------------------------------------------------------- */

const struct json *compaction_todos(struct arena *a, const struct agent_session *s)
{
    CLEANUP(arena) struct arena scratch = { 0 };
    const struct json *todos = survival_todos(session_messages(&scratch, s));

    return todos ? json_copy(a, todos) : NULL;
}

/* The open todos that the summary does not name, as a part that holds the whole list; or NULL. */
static const struct json *lost_todos(struct arena *a, const struct json *todos, const char *summary)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };
    const struct json *part;

    for (const struct json *t = json_first(todos); t; t = json_next(t)) {
        struct str content = json_str(a, json_get(t, STR("content")));
        bool now = str_is(json_str(a, json_get(t, STR("status"))), "in_progress");

        if (content.len && survival_is_open(t) && !survival_names(summary, content))
            strbuf_printf(&text, "\n[%s] %.*s", now ? ">" : " ", STR_ARG(content));
    }
    if (!text.len)
        return NULL;
    part = inject_part(a, "todos",
                       str_of(arena_printf(a, "Todos that are still open:%s", strbuf_cstr(&text))));
    return json_with(a, part, STR("todos"), todos);
}

/* The history --------------------------------------------------------------------------------- */

/* How much of the history is summarised: all but what the user said last and nobody answered. */
static size_t head_of(const struct agent_session *s)
{
    size_t head = s->history.count;

    while (head > 0 && message_is(s->history.items[head - 1], "user"))
        head--;
    return head;
}

static const struct json *messages_of(struct arena *a, const struct agent_session *s, size_t count)
{
    struct json *list = json_array(a);

    for (size_t i = 0; i < count; i++)
        json_push(a, list, s->history.items[i]);
    return list;
}

static const struct json *new_history(struct arena *a, const struct agent_session *s, size_t head,
                                      const char *summary)
{
    struct json *list = json_array(a), *parts = json_array(a);
    const struct json *todos = lost_todos(a, s->todos, summary);

    json_push(a, parts, message_text_part(a, str_of(summary)));
    if (todos)
        json_push(a, parts, todos);
    json_push(a, list, message_new(a, "user", ulid_new(a), parts));
    for (size_t i = head; i < s->history.count; i++)
        json_push(a, list, s->history.items[i]);
    return list;
}

static int64_t tokens_of(const struct json *messages)
{
    int64_t tokens = 0;

    for (const struct json *m = json_first(messages); m; m = json_next(m))
        tokens += message_tokens(m);
    return tokens;
}

/* Where the whole is too long even to summarise, long outputs are what it can do without. */
static const struct json *shorten_part(struct arena *a, const struct json *part)
{
    struct str output = json_str(a, json_get(part, STR("output")));

    if (!message_part_is(part, "tool_result") || output.len <= OUTPUT_BYTES)
        return part;
    output.len = str_fit(output, OUTPUT_BYTES);
    return json_with(a, part, STR("output"),
                     json_cstring(a, arena_printf(a, "%.*s\n[cut here]", STR_ARG(output))));
}

static const struct json *shorten(struct arena *a, const struct json *messages)
{
    struct json *list = json_array(a);

    for (const struct json *m = json_first(messages); m; m = json_next(m)) {
        const struct json *part = json_first(message_parts(a, m));
        struct json *parts = json_array(a);

        for (; part; part = json_next(part))
            json_push(a, parts, shorten_part(a, part));
        json_push(a, list, json_with(a, m, STR("content"), parts));
    }
    return list;
}

/* Asking for it ------------------------------------------------------------------------------- */

static bool is_manual(const struct compaction *q)
{
    return strcmp(q->trigger, "manual") == 0;
}

static int may_try(struct agent_session *s, const struct compaction *q, size_t head, struct err *e)
{
    if (head == 0)
        return err_set(e, is_manual(q) ? -ENODATA : -EALREADY, "there is nothing to compact");
    if (is_manual(q))
        return 0;
    if (s->compact.turn && s->compact.turn == s->turns)
        return err_set(e, -EALREADY, "it was tried in this turn already");
    if (s->compact.past && session_tokens(s, 0) <= s->compact.past)
        return err_set(e, -EALREADY, "the history has not grown since the last try");
    return 0;
}

static const char *with_context(struct arena *a, const char *prompt, const struct json *context)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };

    strbuf_addstr(&text, prompt);
    if (json_type(context) == JSON_STRING) /* as people write it */
        strbuf_printf(&text, "\n\n%s", json_cstr(a, context));
    for (const struct json *c = json_first(context); c; c = json_next(c))
        if (json_type(c) == JSON_STRING)
            strbuf_printf(&text, "\n\n%s", json_cstr(a, c));
    return arena_cstr(a, strbuf_str(&text));
}

/* What hooks make of the prompt; -EPERM: one of them is against it. */
static int ask_hooks(struct agent_session *s, const struct compaction *q, struct arena *a,
                     const char **prompt, struct err *e)
{
    CLEANUP(receipt) struct receipt r = { 0 };
    struct json *data = json_object(a);
    const char *said;

    json_add(a, data, STR("context"), json_array(a));
    json_add(a, data, STR("prompt"), json_cstring(a, *prompt));
    json_add(a, data, STR("trigger"), json_cstring(a, q->trigger));
    session_emit(s, POINT_SESSION_COMPACTING, data, a, &r);
    if (s->over)
        return err_set(e, -ECANCELED, "%s", s->reason);
    if (r.verdict.decision == DECISION_BLOCK)
        return err_set(e, -EPERM, "a hook is against it%s%s", r.verdict.reason ? ": " : "",
                       r.verdict.reason ? r.verdict.reason : "");
    said = json_cstr(a, json_get(r.data, STR("prompt")));
    *prompt = with_context(a, said && said[0] ? said : *prompt, json_get(r.data, STR("context")));
    return 0;
}

static int make_prompt(struct agent_session *s, const struct compaction *q, struct arena *a,
                       const char **prompt, struct err *e)
{
    char *text = arena_strdup(a, "");
    int r = q->callback->function ? 0 : callback_prompt(s, q->callback, q->args, a, &text, e);

    if (r < 0)
        return r;
    *prompt = arena_cstr(a, str_trim(str_of(text)));
    if (q->more && q->more[0])
        *prompt = arena_printf(a, "%s\n\n%s", *prompt, q->more);
    return ask_hooks(s, q, a, prompt, e);
}

static int summarise(struct agent_session *s, const struct compaction *q, struct arena *a,
                     size_t head, const char **summary, struct err *e)
{
    struct callback_request request = {
        .name = q->callback->name,
        .args = q->args,
        .messages = messages_of(a, s, head),
        .purpose = "compaction",
        .asked = q->asked,
    };
    struct callback_answer answer = { 0 };
    int r = make_prompt(s, q, a, &request.prompt, e);

    if (r < 0)
        return r;
    r = callback_call(s, q->callback, &request, a, &answer, e);
    if (r < 0 && answer.failure == MODEL_CONTEXT_OVERFLOW) {
        request.messages = shorten(a, request.messages);
        r = callback_call(s, q->callback, &request, a, &answer, e);
    }
    *summary = answer.text;
    return r;
}

/* Doing it ------------------------------------------------------------------------------------ */

static void forget(struct agent_session *s)
{
    seen_forget(s->seen);
    s->compact.past = 0;
}

/* A session that goes on with a summary begins anew for hooks that tell it how things are here. */
static void announce(struct agent_session *s, const struct compaction *q, const char *summary,
                     const struct agent_compacted *c)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *said = json_cstring(&a, summary);
    struct json *compacted = json_object(&a), *created = json_object(&a);

    json_add(&a, compacted, STR("before"), json_int(&a, c->before));
    json_add(&a, compacted, STR("after"), json_int(&a, c->after));
    json_add(&a, compacted, STR("generation"), json_int(&a, c->generation));
    json_add(&a, compacted, STR("trigger"), json_cstring(&a, q->trigger));
    json_add(&a, compacted, STR("summary"), said);
    (void)session_notice(s, POINT_SESSION_COMPACTED, compacted, &a);
    json_add(&a, created, STR("source"), json_cstring(&a, "compact"));
    json_add(&a, created, STR("summary"), said);
    (void)session_notice(s, POINT_SESSION_CREATED, created, &a);
}

static int replace(struct agent_session *s, struct arena *a, size_t head, const char *summary,
                   struct agent_compacted *out, struct err *e)
{
    const struct json *fresh = new_history(a, s, head, summary);
    int64_t now = session_tokens(s, 0);
    int r;

    out->after = tokens_of(fresh);
    if (out->after >= out->before) {
        s->compact.past = now + now / 10 < out->after ? now + now / 10 : out->after;
        if (s->compact.past <= now)
            s->compact.past = now;
        return err_set(e, -E2BIG, "the summary is not shorter: %lld tokens instead of %lld",
                       (long long)out->after, (long long)out->before);
    }
    r = message_check_history(fresh, e);
    return r < 0 ? r : session_replace(s, fresh, "compaction", &out->generation, e);
}

int compaction_run(struct agent_session *s, const struct compaction *q, struct agent_compacted *out,
                   struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    uint64_t began = clock_mono_ns();
    size_t head = head_of(s);
    const char *summary = NULL;
    int r = may_try(s, q, head, e);

    *out = (struct agent_compacted){ .before = session_context(s) };
    (void)snprintf(out->session, sizeof(out->session), "%s", s->about.id);
    (void)snprintf(out->agent, sizeof(out->agent), "%s", s->def->name);
    if (r < 0)
        return r;
    s->compact.turn = s->turns;
    r = summarise(s, q, &a, head, &summary, e);
    if (r == 0)
        r = replace(s, &a, head, summary, out, e);
    if (r < 0)
        return r;
    out->ns = clock_mono_ns() - began;
    forget(s);
    announce(s, q, summary, out);
    return 0;
}

/* By itself ----------------------------------------------------------------------------------- */

static void show(struct agent_session *s, const struct compaction *q,
                 const struct agent_compacted *c)
{
    CLEANUP(arena) struct arena a = { 0 };

    agent_show(s->agent, &(struct show){ .kind = SHOW_COMPACTED,
                                         .session = s->about.id,
                                         .depth = s->about.depth,
                                         .text = str_of(agent_compacted_text(&a, c)),
                                         .json = agent_compacted_json(&a, c, q->trigger) });
}

int compaction_obey(struct agent_session *s, const struct compaction *q, struct err *e)
{
    struct agent_compacted done;
    int r = compaction_run(s, q, &done, e);

    if (r == 0)
        show(s, q, &done);
    return r == -EALREADY ? 0 : r;
}

/* True: it was compacted. `r`: of the event that asked for it; NULL: none did. */
static bool compact_now(struct agent_session *s, const struct receipt *r)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(callback) struct callback cb = { 0 };
    const struct compaction q = { .callback = &cb, .trigger = "auto", .asked = r };
    const struct json *first = s->history.count ? s->history.items[0] : NULL;
    struct err e = { 0 };
    int failed = callback_find(s, COMPACTION, &a, &cb, &e);

    if (failed == 0)
        failed = compaction_obey(s, &q, &e);
    if (failed < 0 && !s->over)
        session_refuse(s, r, COMPACT_HOOK, e.msg);
    return failed == 0 && s->history.count && s->history.items[0] != first;
}

/* What compact-trigger says of the session as it is now, asked alone; recorded when it is due. */
static bool is_due(struct agent_session *s, struct event *ev, struct arena *a, struct receipt *r)
{
    struct engine *en = agent_options(s->agent)->engine;
    struct engine_trial trial = { .registry = engine_look(en) };
    struct err e = { 0 };
    bool due = false;

    *ev = (struct event){
        .point = POINT_TURN_AFTER, .turn = s->turn, .session = s->about, .data = session_state(s, a)
    };
    trial.hook = registry_find(trial.registry, COMPACT_HOOK);
    if (trial.hook && !trial.hook->off_because) {
        if (engine_try(en, &trial, ev, a, r, &e) < 0)
            log_warn(agent_options(s->agent)->log, "%s", e.msg);
        else
            due = r->verdict.result == VERDICT_CALLBACK;
    }
    if (due)
        engine_record(en, r);
    registry_unref(trial.registry);
    return due;
}

void compaction_look(struct agent_session *s)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(receipt) struct receipt r = { 0 };
    int64_t window = model_info_find(s->provider, s->model.model).window;
    int64_t context = s->usage.context;
    struct event ev; /* the receipt refers to it */
    bool due;

    if (s->loop.in_callback || (s->compact.seen && window >= s->compact.window))
        return;
    s->compact.seen = true;
    s->compact.window = window;
    if (head_of(s) == 0)
        return;
    s->usage.window = window;
    s->usage.context = session_context(s);
    due = is_due(s, &ev, &a, &r);
    s->usage.context = context;
    if (due)
        (void)compact_now(s, &r);
}

bool compaction_rescue(struct agent_session *s)
{
    return !s->loop.in_callback && s->compact.on && compact_now(s, NULL);
}

/* By a person --------------------------------------------------------------------------------- */

static int compact_session(struct agent_session *s, const struct agent_task *task,
                           const struct json *args, struct agent_compacted *out, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(callback) struct callback cb = { 0 };
    const struct compaction q = {
        .callback = &cb,
        .args = args,
        .trigger = "manual",
        .more = task->text,
    };
    const char *name = task->recipe ? task->recipe : COMPACTION;
    int r = callback_find(s, name, &a, &cb, e);

    if (r == 0 && !compaction_is(&cb))
        r = err_set(e, -EINVAL, "recipe '%s' is no compaction: it does not say 'apply: replace'",
                    name);
    return r == 0 ? compaction_run(s, &q, out, e) : r;
}

int agent_compact(struct agent *ag, const struct agent_task *task, const struct json *args,
                  struct agent_compacted *out, struct err *e)
{
    struct agent_session s = { 0 };
    struct agent_task named = *task;
    int r;

    *out = (struct agent_compacted){ 0 };
    if (!task->resume)
        return err_set(e, -EINVAL, "name the conversation to compact: --follow or --resume ID");
    if (!named.recipe)
        named.recipe = COMPACTION;
    r = session_open(&s, ag, &named, e);
    if (r == 0 && !task->goes_on)
        session_begin(&s, "resume");
    if (r == 0 && s.over)
        r = err_set(e, -EPERM, "%s", s.reason);
    if (r == 0)
        r = compact_session(&s, &named, args, out, e);
    session_close(&s);
    return r;
}

/* 182311 "182,311" */
static char *grouped(struct arena *a, int64_t n)
{
    char digits[24], *out;
    int len = snprintf(digits, sizeof(digits), "%lld", (long long)(n < 0 ? 0 : n));
    int at = 0;

    out = arena_array(a, char, (size_t)len * 2 + 1);
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    return out;
}

char *agent_compacted_text(struct arena *a, const struct agent_compacted *c)
{
    return arena_printf(a, "Compacted conversation %s: %s → %s tokens in %.1f s", c->session,
                        grouped(a, c->before), grouped(a, c->after), (double)c->ns / 1e9);
}

const struct json *agent_compacted_json(struct arena *a, const struct agent_compacted *c,
                                        const char *trigger)
{
    struct json *j = json_object(a);

    json_add(a, j, STR("before"), json_int(a, c->before));
    json_add(a, j, STR("after"), json_int(a, c->after));
    json_add(a, j, STR("generation"), json_int(a, c->generation));
    json_add(a, j, STR("trigger"), json_cstring(a, trigger));
    json_add(a, j, STR("ms"), json_int(a, (int64_t)(c->ns / 1000000)));
    return j;
}
