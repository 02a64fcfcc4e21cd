#include "agent/wire.h"

#include "net/sse.h"

#include <errno.h>

#define HEAD_MAX 4096
#define KEY_MIN  12 /* what is shorter is no secret, such as the 'none' of a server at home */

struct receiving {
    const struct wire *wire;
    struct reply reply;
    struct sse sse;
    struct strbuf head; /* how the answer begins, while it is no stream of events */
    bool streams;       /* an event has come */
};

int64_t wire_count(const struct json *object, const char *key)
{
    int64_t n;

    if (json_to_int64(json_get(object, str_of(key)), &n) < 0 || n < 0)
        return 0;
    return n < USAGE_MAX ? n : USAGE_MAX;
}

static int on_event(void *context, const char *name, struct str data, struct err *e)
{
    struct receiving *r = context;
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *doc;
    int ret;

    r->streams = true;
    if (str_is(data, "[DONE]")) /* OpenAI's way to say good-bye */
        return 0;
    ret = json_parse(&a, data, NULL, &doc, e);
    if (ret < 0)
        return err_wrap(e, ret, "the provider sent something that is no JSON");
    r->wire->event(&r->reply, name, doc);
    if (r->reply.bytes > REPLY_MAX)
        return err_set(e, -EMSGSIZE, "the model's answer is longer than %zu MiB", REPLY_MAX >> 20);
    return 0;
}

static int on_bytes(void *context, struct str bytes, struct err *e)
{
    struct receiving *r = context;

    if (!r->streams)
        strbuf_add(&r->head, bytes.ptr, bytes.len);
    return sse_feed(&r->sse, bytes, on_event, r, e);
}

static const char *const *all_headers(struct arena *a, const struct wire *w,
                                      const struct provider *p, const struct model_request *q)
{
    const char *const *own = w->headers(a, p, q);
    size_t count = 0, n = 0;
    const char **all;

    while (own[count])
        count++;
    all = arena_array(a, const char *, count + json_count(q->headers) + 3);
    all[n++] = "Content-Type: application/json";
    all[n++] = "Accept: text/event-stream";
    for (size_t i = 0; i < count; i++)
        all[n++] = own[i];
    for (const struct json *h = json_first(q->headers); h; h = json_next(h)) {
        const char *value = json_cstr(a, h);

        /* A line break would let a hook's value write headers of its own. */
        if (value && !strpbrk(value, "\r\n"))
            all[n++] = arena_printf(a, "%.*s: %s", STR_ARG(json_key(a, h)), value);
    }
    return all;
}

static enum failure_class class_of(int r)
{
    switch (r) {
    case -ECANCELED:
        return MODEL_ABORTED;
    case -ECONNRESET:
        return MODEL_CUT_STREAM;
    case -ENETUNREACH:
    case -ETIMEDOUT:
        return MODEL_NETWORK;
    default:
        return MODEL_OTHER;
    }
}

static int fail(struct arena *a, struct model_failure *f, enum failure_class class,
                const char *message)
{
    f->class = class;
    f->message = arena_strdup(a, message);
    return -EIO;
}

/* A proxy's page, or an error that pretends to be none: asking again would bring it again. */
static bool is_no_stream(struct receiving *r, const struct http_response *res,
                         const struct model_exchange *x)
{
    struct model_failure *f = x->failure;
    const struct json *body;

    if (r->streams || !res->content_type[0] ||
        strncmp(res->content_type, "text/event-stream", 17) == 0)
        return false;
    if (json_parse(x->arena, strbuf_str(&r->head), NULL, &body, NULL) == 0 &&
        json_get(body, STR("error"))) {
        failure_of_answer(x->arena, 0, strbuf_str(&r->head), f);
        return true;
    }
    (void)fail(x->arena, f, MODEL_OTHER,
               arena_printf(x->arena,
                            "the provider answered with '%s' instead of a stream of events: is the "
                            "address right?",
                            res->content_type));
    return true;
}

/* Some servers repeat in an error what they did not accept. */
static void hide_key(struct arena *a, const char *key, struct model_failure *f)
{
    CLEANUP(strbuf) struct strbuf text = { 0 };
    const char *from = f->message, *at;

    if (!key || strlen(key) < KEY_MIN || !from || !strstr(from, key))
        return;
    for (; (at = strstr(from, key)); from = at + strlen(key))
        strbuf_printf(&text, "%.*s[key]", (int)(at - from), from);
    strbuf_addstr(&text, from);
    f->message = arena_cstr(a, strbuf_str(&text));
}

/* What an exchange that went through amounts to. */
static int conclude(struct receiving *r, const struct http_response *res,
                    const struct model_exchange *x)
{
    struct model_failure *f = x->failure;

    f->retry_after_ms = res->retry_after_ms;
    if (res->status < 200 || res->status > 299) {
        failure_of_answer(x->arena, res->status, strbuf_str(&res->refused), f);
        return -EIO;
    }
    if (r->reply.failed) {
        *f = r->reply.failure;
        return -EIO;
    }
    if (!r->reply.complete && is_no_stream(r, res, x))
        return -EIO;
    if (!r->reply.complete)
        return fail(x->arena, f, MODEL_CUT_STREAM,
                    "the model's answer ended before it was complete");
    x->reply->message = reply_message(&r->reply);
    x->reply->stop = r->reply.stop;
    x->reply->usage = r->reply.usage;
    return 0;
}

int wire_send(const struct wire *w, const struct model_exchange *x)
{
    struct receiving r = { .wire = w, .head = { .max = HEAD_MAX } };
    CLEANUP(strbuf) struct strbuf body = { 0 };
    CLEANUP(http_response) struct http_response res = { 0 };
    const struct provider *p = x->provider;
    struct http_request request = {
        .url = w->url(x->arena, p, x->request),
        .headers = all_headers(x->arena, w, p, x->request),
        .abort_fd = x->request->abort_fd,
        .take = on_bytes,
        .context = &r,
    };
    struct err e = { 0 };
    int ret;

    reply_init(&r.reply, x->arena, x->stream);
    json_write(&body, w->body(x->arena, p, x->request), JSON_COMPACT);
    request.body = strbuf_str(&body);
    ret = http_send(p->http, &request, &res, &e);
    if (ret == -ECONNRESET && r.reply.complete) /* all was said before */
        ret = 0;
    ret = ret < 0 ? fail(x->arena, x->failure, class_of(ret), e.msg) : conclude(&r, &res, x);
    if (ret < 0)
        hide_key(x->arena, p->key, x->failure);
    reply_release(&r.reply);
    sse_release(&r.sse);
    strbuf_release(&r.head);
    return ret;
}
