/*
 * provider_fixture.h - a provider that talks to a server of the test's own.
 *
 *     CLEANUP(provider_bed) struct provider_bed bed = { 0 };
 *     provider_bed_open(&bed, "anthropic", answers);
 *     r = provider_bed_send(&bed, "[{\"role\":\"user\",\"content\":\"hi\"}]");
 *     … bed.reply, bed.failure, provider_bed_body(&bed) …
 */
#pragma once

#include "agent/provider.h"
#include "http_server.h"
#include "value.h"

/* An event stream that ends with its connection. */
#define STREAM "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"

struct provider_bed {
    struct arena arena;
    struct http_server server;
    struct http_client *http;
    struct provider provider;
    struct model_request request;
    struct model_reply reply;
    struct model_failure failure;
    struct strbuf streamed; /* text as it is, <reasoning>, [tool] */
};

static inline void provider_bed_text(void *context, struct str piece)
{
    strbuf_add(context, piece.ptr, piece.len);
}

static inline void provider_bed_reasoning(void *context, struct str piece)
{
    strbuf_printf(context, "<%.*s>", STR_ARG(piece));
}

static inline void provider_bed_tool(void *context, const char *tool)
{
    strbuf_printf(context, "[%s]", tool);
}

static inline void provider_bed_open(struct provider_bed *bed, const char *kind,
                                     const char *const *answers)
{
    struct err e = { 0 };

    bed->server.answers = answers;
    http_server_start(&bed->server);
    bed->http = http_client_new();
    setenv("ANTHROPIC_API_KEY", "sesame", 1);
    setenv("OPENAI_API_KEY", "sesame", 1);
    setenv("GEMINI_API_KEY", "sesame", 1);
    if (provider_open(&bed->arena, NULL, kind, bed->http, &bed->provider, &e) < 0)
        fail_msg("%s", e.msg);
    bed->provider.base_url = http_server_url(&bed->server, &bed->arena, "");
    bed->request.model = "m1";
}

static inline int provider_bed_send(struct provider_bed *bed, const char *messages)
{
    const struct model_stream stream = {
        .context = &bed->streamed,
        .text = provider_bed_text,
        .reasoning = provider_bed_reasoning,
        .tool = provider_bed_tool,
    };

    bed->request.messages = value_of(&bed->arena, messages);
    strbuf_reset(&bed->streamed);
    return provider_send(&(struct model_exchange){ &bed->provider, &bed->arena, &bed->request,
                                                   &stream, &bed->reply, &bed->failure });
}

/* The body of the newest request. */
static inline const struct json *provider_bed_body(struct provider_bed *bed)
{
    const char *at = bed->server.requests.buf, *body = NULL;

    while (at && (at = strstr(at, "\r\n\r\n"))) {
        at += 4;
        body = at;
    }
    assert_non_null(body);
    return value_of(&bed->arena, arena_strdup(&bed->arena, body));
}

static inline const char *provider_bed_at(struct provider_bed *bed, const char *pointer)
{
    const struct json *j = json_pointer(provider_bed_body(bed), pointer);

    return j ? json_text(&bed->arena, j) : "nothing";
}

static inline void provider_bed_cleanup(struct provider_bed *bed)
{
    provider_close(&bed->provider);
    http_client_free(bed->http);
    http_server_cleanup(&bed->server);
    strbuf_release(&bed->streamed);
    arena_release(&bed->arena);
}
