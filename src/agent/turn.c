/* One request to the model: what hooks make of it, sending it, and what to do when it fails. */
#include "agent/compaction.h"
#include "agent/models.h"
#include "agent/session.h"
#include "base/clock.h"
#include "base/ulid.h"

#include <errno.h>
#include <poll.h>

#define RETRIES         5
#define RETRIES_NETWORK 2
#define RETRY_MS        2000
#define RETRY_MAX_MS    30000
#define ASKED_MAX_MS    120000 /* a server that asks for more is not waited for */

struct asking {
    struct agent_session *s;
    struct arena *arena;
    struct model_request q;
    struct model_info info;
    struct strbuf arrived; /* text of a reply that is not complete */
    struct json *failed;   /* models that were asked and failed, as "provider/model" */
};

/* Putting it together ------------------------------------------------------------------------- */

static const struct json *with_purpose(const struct asking *k, const struct json *data)
{
    const char *purpose = k->s->purpose ? k->s->purpose : "main";

    return json_with(k->arena, data, STR("purpose"), json_cstring(k->arena, purpose));
}

static void ask_system(struct asking *k)
{
    struct arena *a = k->arena;
    CLEANUP(receipt) struct receipt r = { 0 };
    const struct json *data = json_with(a, NULL, STR("system"), session_system(k->s, a));

    data = with_purpose(k, json_with(a, data, STR("model"), json_cstring(a, k->q.model)));
    if (k->s->todos)
        data = json_with(a, data, STR("todos"), k->s->todos);
    session_emit(k->s, POINT_SYSTEM_TRANSFORM, data, a, &r);
    prefix_note(&k->s->prefix, &r);
    data = inject_apply(a, POINT_SYSTEM_TRANSFORM, r.data, r.verdict.injections);
    k->q.system = json_get(data, STR("system"));
}

static void ask_messages(struct asking *k)
{
    struct arena *a = k->arena;
    CLEANUP(receipt) struct receipt r = { 0 };
    const struct json *data = json_with(a, NULL, STR("messages"), session_messages(a, k->s));

    session_emit(k->s, POINT_MESSAGES_TRANSFORM, with_purpose(k, data), a, &r);
    prefix_note(&k->s->prefix, &r);
    k->q.messages = json_get(r.data, STR("messages"));
    if (r.verdict.decision == DECISION_BLOCK)
        session_end(k->s, AGENT_BLOCKED, r.verdict.reason);
}

static void ask_params(struct asking *k)
{
    struct arena *a = k->arena;
    CLEANUP(receipt) struct receipt r = { 0 };
    const struct json *data = json_with(a, NULL, STR("model"), json_cstring(a, k->q.model));
    struct json *params = json_object(a);

    if (k->info.max_output)
        json_add(a, params, STR("max_output_tokens"), json_int(a, k->info.max_output));
    session_emit(k->s, POINT_CHAT_PARAMS, json_with(a, data, STR("params"), params), a, &r);
    k->q.params = json_get(r.data, STR("params"));
}

/* What all requests are about until somebody speaks again, whatever tools have answered since. */
static const struct json *spoken_last(struct arena *a, const struct agent_session *s)
{
    size_t i = s->history.count;

    while (i > 0 && !inject_is_typed(a, s->history.items[i - 1]))
        i--;
    return i > 0 ? s->history.items[i - 1] : NULL;
}

static void ask_headers(struct asking *k)
{
    struct arena *a = k->arena;
    CLEANUP(receipt) struct receipt r = { 0 };
    const struct json *last = spoken_last(a, k->s), *internal = json_get(last, STR("internal"));
    const struct json *data = NULL, *message = NULL;

    message = json_with(a, message, STR("id"), json_get(last, STR("id")));
    message = json_with(a, message, STR("internal"), internal ? internal : json_bool(a, false));
    data = json_with(a, data, STR("provider"), json_cstring(a, k->s->provider->name));
    data = json_with(a, data, STR("model"), json_cstring(a, k->q.model));
    data = json_with(a, data, STR("sdk"), json_cstring(a, "hooke"));
    data = json_with(a, data, STR("message"), message);
    data = json_with(a, data, STR("headers"), json_object(a));
    session_emit(k->s, POINT_CHAT_HEADERS, data, a, &r);
    k->q.headers = json_get(r.data, STR("headers"));
}

static void put_together(struct asking *k)
{
    struct agent_session *s = k->s;

    k->info = model_info_find(s->provider, s->model.model);
    k->q = (struct model_request){
        .model = s->model.model,
        .variant = s->variant,
        .tools = session_tools(s),
        .no_calls = session_may_call_none(s),
        .session = s->about.id,
        .abort_fd = agent_options(s->agent)->abort_fd,
    };
    s->usage.window = k->info.window;
    prefix_begin(&s->prefix);
    ask_system(k);
    if (!s->over)
        ask_messages(k);
    if (!s->over)
        ask_params(k);
    if (!s->over)
        ask_headers(k);
}

/* Sending ------------------------------------------------------------------------------------- */

static void show_piece(struct agent_session *s, enum show_kind kind, struct str piece)
{
    agent_show(s->agent,
               &(struct show){
                   .kind = kind, .session = s->about.id, .depth = s->about.depth, .text = piece });
}

static void on_text(void *context, struct str piece)
{
    struct asking *k = context;

    strbuf_add(&k->arrived, piece.ptr, piece.len);
    show_piece(k->s, SHOW_TEXT, piece);
}

static void on_reasoning(void *context, struct str piece)
{
    struct asking *k = context;

    show_piece(k->s, SHOW_REASONING, piece);
}

/* What a person has read stays in the conversation, though the rest never came. */
static void keep_text(struct asking *k, struct str text)
{
    struct arena *a = k->arena;

    text = str_trim(text);
    if (text.len)
        session_add(k->s, message_of_text(a, "assistant", ulid_new(a), arena_cstr(a, text)));
}

static const struct json *updated(struct asking *k, const struct json *message)
{
    struct arena *a = k->arena;
    const struct json *data = json_with(a, NULL, STR("message"), message);

    data = json_with(a, data, STR("provider"), json_cstring(a, k->s->provider->name));
    return json_with(a, data, STR("model"), json_cstring(a, k->s->model.model));
}

/* Not every server counts; limits and compaction need a number all the same. */
static struct usage guess_usage(const struct asking *k, const struct model_reply *reply)
{
    struct usage u = { .output = message_tokens(reply->message) };

    for (const struct json *s = json_first(k->q.system); s; s = json_next(s))
        u.input += (int64_t)inject_tokens(json_str(k->arena, s));
    for (const struct json *m = json_first(k->q.messages); m; m = json_next(m))
        u.input += message_tokens(m);
    return u;
}

static void count_usage(struct asking *k, struct model_reply *reply)
{
    struct agent_session *s = k->s;

    if (usage_tokens(&reply->usage) == 0)
        reply->usage = guess_usage(k, reply);
    usage_add(&s->usage, &reply->usage);
    s->usage.context = usage_tokens(&reply->usage);
    s->usage.window = k->info.window;
    s->newest = (struct answer_cost){ reply->usage, model_cost(&k->info, &reply->usage) };
    s->newest.usage.context = s->usage.context;
    s->newest.usage.window = s->usage.window;
    s->cost += s->newest.cost;
}

static const struct json *complete_text(struct asking *k, const struct json *part)
{
    struct arena *a = k->arena;
    CLEANUP(receipt) struct receipt r = { 0 };
    const struct json *text = json_get(part, STR("text"));

    session_emit(k->s, POINT_TEXT_COMPLETE, json_with(a, NULL, STR("text"), text), a, &r);
    return json_with(a, part, STR("text"), json_get(r.data, STR("text")));
}

/* Every text passes its hooks before anybody but the person at the terminal has it. */
static void complete_texts(struct asking *k, struct model_reply *reply)
{
    struct arena *a = k->arena;
    struct json *parts = json_array(a);
    const struct json *part = json_first(json_get(reply->message, STR("content")));

    for (; part; part = json_next(part))
        json_push(a, parts, message_part_is(part, "text") ? complete_text(k, part) : part);
    reply->message = json_with(a, reply->message, STR("content"), parts);
}

/* An answer that is not what it seems to be looks like any other. */
static void tell_stop(struct asking *k, enum model_stop stop)
{
    if (stop == MODEL_LENGTH)
        session_note(k->s, "the model's answer is cut off: it has reached its longest output");
    else if (stop == MODEL_REFUSED)
        session_note(k->s, "the model's provider has refused to answer, or to go on");
}

static void succeed(struct asking *k, struct model_reply *reply)
{
    struct arena *a = k->arena;
    const struct json *data;
    const char *broken_by = prefix_sent(&k->s->prefix, a, k->q.system, k->q.messages);

    count_usage(k, reply);
    complete_texts(k, reply);
    reply->message = json_with(a, reply->message, STR("id"), json_cstring(a, ulid_new(a)));
    data = updated(k, reply->message);
    data = json_with(a, data, STR("usage"), usage_to_json(a, &reply->usage));
    if (!broken_by)
        broken_by = k->s->changed_by;
    k->s->changed_by = NULL;
    if (broken_by)
        data = json_with(a, data, STR("prefix_broken_by"), json_cstring(a, broken_by));
    (void)session_notice(k->s, POINT_MESSAGE_UPDATED, data, a);
    agent_show(k->s->agent, &(struct show){ .kind = SHOW_TEXT_END,
                                            .session = k->s->about.id,
                                            .depth = k->s->about.depth,
                                            .json = reply->message });
    tell_stop(k, reply->stop);
}

/* Failing ------------------------------------------------------------------------------------- */

static int64_t delay_of(const struct model_failure *f, unsigned attempt)
{
    int64_t ms = (int64_t)RETRY_MS << (attempt - 1);

    if (f->retry_after_ms >= 0)
        return f->retry_after_ms;
    ms = ms > RETRY_MAX_MS ? RETRY_MAX_MS : ms;
    return ms + (int64_t)(clock_mono_ns() % 1000) * ms / 4000; /* so that not all come at once */
}

/* False: aborted meanwhile. */
static bool wait_for(const struct agent_session *s, int64_t ms)
{
    int fd = agent_options(s->agent)->abort_fd;
    struct pollfd p = { .fd = fd > 0 ? fd : -1, .events = POLLIN };

    return poll(&p, 1, (int)ms) == 0;
}

static const struct json *error_data(struct asking *k, const struct model_failure *f)
{
    struct arena *a = k->arena;
    const struct json *error = failure_to_json(a, f, k->s->provider->name, k->s->model.model);

    return json_with(a, NULL, STR("error"), error);
}

static bool has_failed(const struct asking *k, const char *model)
{
    for (const struct json *m = json_first(k->failed); m; m = json_next(m))
        if (str_is(json_str(k->arena, m), model))
            return true;
    return false;
}

/* A hook that names a model which has failed already would keep this going for ever. */
static const char *another(struct asking *k, const char *model)
{
    if (!model || !has_failed(k, model))
        return model;
    session_note(k->s, arena_printf(k->arena,
                                    "a hook wants to go on with '%s', which has failed: not asked "
                                    "again",
                                    model));
    return NULL;
}

static void note_failed(struct asking *k)
{
    struct agent_session *s = k->s;
    const char *model = arena_printf(k->arena, "%s/%s", s->model.provider, s->model.model);

    if (!k->failed)
        k->failed = json_array(k->arena);
    json_push(k->arena, k->failed, json_cstring(k->arena, model));
}

/* An address nobody answers at is mostly a wrong one: no use in insisting. */
static bool may_retry(const struct model_failure *f, unsigned attempt)
{
    unsigned most = f->class == MODEL_NETWORK ? RETRIES_NETWORK : RETRIES;

    return failure_is_temporary(f->class) && attempt <= most && f->retry_after_ms <= ASKED_MAX_MS;
}

static bool retry(struct asking *k, const struct model_failure *f, unsigned attempt,
                  const char **model)
{
    struct agent_session *s = k->s;
    int64_t ms = delay_of(f, attempt);

    *model = another(
        k, session_status(s, "retry", attempt, json_get(error_data(k, f), STR("error")), k->arena));
    if (*model)
        return true;
    show_piece(s, SHOW_RETRY,
               str_of(arena_printf(k->arena, "%s; trying again in %.1f s", f->message,
                                   (double)ms / 1000)));
    return wait_for(s, ms);
}

static const char *reason_of(struct asking *k, const struct model_failure *f)
{
    if (f->retry_after_ms <= ASKED_MAX_MS)
        return f->message;
    return arena_printf(k->arena, "%s; the provider asks to wait %lld s", f->message,
                        (long long)(f->retry_after_ms / 1000));
}

/* Whether to ask again; `*model` is another one a hook wants to be asked, or NULL. */
static bool fail(struct asking *k, const struct model_failure *f, unsigned attempt,
                 const char **model)
{
    struct agent_session *s = k->s;
    const struct json *data = json_with(k->arena, updated(k, NULL), STR("error"),
                                        json_get(error_data(k, f), STR("error")));

    *model = NULL;
    s->failure = f->class;
    if (f->class == MODEL_ABORTED) {
        keep_text(k, strbuf_str(&k->arrived));
        session_end(s, AGENT_ABORTED, "aborted");
        return false;
    }
    note_failed(k);
    *model = another(k, session_notice(s, POINT_MESSAGE_UPDATED, data, k->arena));
    if (*model)
        return true;
    if (f->class == MODEL_CONTEXT_OVERFLOW && !s->over && compaction_rescue(s))
        return !s->over;
    if (may_retry(f, attempt) && !s->over) {
        if (retry(k, f, attempt, model))
            return true;
        session_end(s, AGENT_ABORTED, "aborted");
        return false;
    }
    *model = another(k, session_notice(s, POINT_SESSION_ERROR, error_data(k, f), k->arena));
    if (!*model)
        session_end(s, AGENT_FAILED, reason_of(k, f));
    return *model != NULL;
}

static bool change_model(struct asking *k, const char *model)
{
    struct agent_session *s = k->s;
    struct err e = { 0 };

    s->variant = NULL; /* it was chosen for another model */
    if (session_use_model(s, model, &e) < 0) {
        session_end(s, AGENT_FAILED, e.msg);
        return false;
    }
    show_piece(s, SHOW_FALLBACK, str_of(model));
    put_together(k);
    return !s->over;
}

static bool ask(struct asking *k, struct model_reply *reply)
{
    struct agent_session *s = k->s;
    const struct model_stream stream = { .context = k, .text = on_text, .reasoning = on_reasoning };
    const char *model = NULL;

    put_together(k);
    for (unsigned attempt = 1; !s->over; attempt++) {
        struct model_failure f;
        const struct model_exchange x = { s->provider, k->arena, &k->q, &stream, reply, &f };

        strbuf_reset(&k->arrived);
        if (provider_send(&x) == 0) {
            succeed(k, reply);
            if (s->over && s->end == AGENT_ABORTED) /* its calls are not made any more */
                keep_text(k, str_of(message_text(k->arena, reply->message)));
            return !s->over;
        }
        if (!fail(k, &f, attempt, &model))
            return false;
        if (model && !change_model(k, model))
            return false;
        if (model)
            attempt = 0;
        else if (f.class == MODEL_CONTEXT_OVERFLOW) /* the history is another one */
            put_together(k);
    }
    return false;
}

bool session_ask(struct agent_session *s, struct arena *a, struct model_reply *reply)
{
    struct asking k = { .s = s, .arena = a };
    bool answered = ask(&k, reply);

    strbuf_release(&k.arrived);
    return answered;
}
