/*
 * http.h - one HTTP request at a time per call, its answer handed over as it arrives.
 *
 *     CLEANUP(http_client) struct http_client *http = http_client_new();
 *     CLEANUP(http_response) struct http_response res = { 0 };
 *     r = http_send(http, &(struct http_request){ .url = url, .body = body, … }, &res, e);
 *
 * libcurl does the work and is loaded by the first request: linked, it would add milliseconds to
 * every start of every program. A client may be used by several threads at once; connections are
 * kept and used again. Request headers may hold keys: nothing here logs them or puts them in an
 * error.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"

#include <stdint.h>

#define HTTP_CONNECT_MS 30000
#define HTTP_IDLE_MS    300000
#define HTTP_REFUSED_MAX                                                    \
    ((size_t)256 << 10) /* kept of the body of an answer that is no success \
                         */

struct http_client;

struct http_request {
    const char *method;         /* NULL: POST with a body, else GET */
    const char *url;            /* http or https */
    const char *const *headers; /* "Name: value", ended by NULL */
    struct str body;
    uint32_t connect_ms;  /* 0: HTTP_CONNECT_MS */
    uint32_t idle_ms;     /* without a byte arriving; 0: HTTP_IDLE_MS */
    uint64_t deadline_ns; /* on clock_mono_ns(), for all of it; 0: none */
    unsigned redirects;   /* followed at most */
    bool public_only;     /* connect to nothing that net/address.h calls private, and to no proxy */
    int abort_fd;         /* readable or hung up: give up now; never read; 0: none */

    /* The body of a successful answer, in pieces. A negative return gives up and is handed on. */
    int (*take)(void *context, struct str bytes, struct err *e);
    void *context;
};

/* Start with { 0 } and release it. */
struct http_response {
    int status;             /* 0: none arrived */
    char content_type[128]; /* "" when unsaid */
    char url[1024];         /* where the answer came from, after redirects */
    int64_t retry_after_ms; /* what the server asks for; -1: unsaid */
    struct strbuf refused;  /* the body when the status is not 2xx */
};

struct http_client *http_client_new(void);
void http_client_free(struct http_client *c);

/*
 * 0: an answer arrived whole, whatever its status. -ECANCELED: aborted. -ETIMEDOUT. -ENETUNREACH:
 * nobody answers there. -ECONNRESET: the answer was cut. -EACCES: `public_only` forbids the
 * address. -ENOENT: no libcurl. Else what `take` said. `e` says what in words that name the host
 * and nothing secret.
 */
MUST_CHECK int http_send(struct http_client *c, const struct http_request *q,
                         struct http_response *res, struct err *e);
void http_response_release(struct http_response *res);

static inline void http_client_cleanup(struct http_client **c)
{
    http_client_free(*c);
}

static inline void http_response_cleanup(struct http_response *res)
{
    http_response_release(res);
}
