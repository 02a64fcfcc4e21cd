#include "base/clock.h"
#include "http_server.h"
#include "net/http.h"

#include <errno.h>
#include <fcntl.h>

#define OK_HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"

struct bed {
    struct arena arena;
    struct http_server server;
    struct http_client *client;
    struct http_request q;
    struct http_response res;
    struct strbuf body;
    struct err e;
};

static int collect(void *context, struct str bytes, struct err *e UNUSED)
{
    strbuf_add(context, bytes.ptr, bytes.len);
    return 0;
}

static void bed_open(struct bed *b, const char *const *answers)
{
    b->server.answers = answers;
    http_server_start(&b->server);
    b->client = http_client_new();
    b->q = (struct http_request){ .url = http_server_url(&b->server, &b->arena, "/v1/messages"),
                                  .take = collect,
                                  .context = &b->body };
}

static void bed_cleanup(struct bed *b)
{
    http_client_free(b->client);
    http_server_cleanup(&b->server);
    http_response_release(&b->res);
    strbuf_release(&b->body);
    arena_release(&b->arena);
}

static int send_it(struct bed *b)
{
    http_response_release(&b->res);
    strbuf_reset(&b->body);
    return http_send(b->client, &b->q, &b->res, &b->e);
}

static void the_body_arrives_and_the_request_was_what_was_asked(void **state UNUSED)
{
    static const char *const answers[] = { OK_HEAD "Content-Length: 5\r\n\r\nhello", NULL };
    static const char *const headers[] = { "x-api-key: sesame", "Content-Type: application/json",
                                           NULL };
    CLEANUP(bed) struct bed b = { 0 };

    bed_open(&b, answers);
    b.q.headers = headers;
    b.q.body = STR("{\"a\":1}");
    assert_int_equal(send_it(&b), 0);
    assert_int_equal(b.res.status, 200);
    assert_string_equal(b.res.content_type, "text/event-stream");
    assert_string_equal(strbuf_cstr(&b.body), "hello");
    assert_int_equal(b.res.retry_after_ms, -1);
    assert_non_null(strstr(b.server.requests.buf, "POST /v1/messages HTTP/1.1\r\n"));
    assert_non_null(strstr(b.server.requests.buf, "x-api-key: sesame\r\n"));
    assert_null(strstr(b.server.requests.buf, "Expect:"));
    assert_non_null(strstr(b.server.requests.buf, "\r\n\r\n{\"a\":1}"));
}

static void a_refusal_is_an_answer_with_its_body_and_how_long_to_wait(void **state UNUSED)
{
    static const char *const answers[] = {
        "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 4\r\n\r\nslow",
        "HTTP/1.1 429 x\r\nRetry-After-Ms: 250\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 503 x\r\nRetry-After: Thu, 01 Jan 1970 00:00:10 GMT\r\nContent-Length: 0\r\n\r\n",
        NULL,
    };
    CLEANUP(bed) struct bed b = { 0 };

    bed_open(&b, answers);
    assert_int_equal(send_it(&b), 0);
    assert_int_equal(b.res.status, 429);
    assert_int_equal(b.res.retry_after_ms, 7000);
    assert_string_equal(strbuf_cstr(&b.res.refused), "slow");
    assert_int_equal(b.body.len, 0);
    assert_int_equal(send_it(&b), 0);
    assert_int_equal(b.res.retry_after_ms, 250);
    assert_int_equal(send_it(&b), 0);
    assert_int_equal(b.res.status, 503);
    assert_int_equal(b.res.retry_after_ms, 0);
}

static void an_answer_that_is_cut_is_a_failure(void **state UNUSED)
{
    static const char *const answers[] = { OK_HEAD "Content-Length: 50\r\n\r\nhel", NULL };
    CLEANUP(bed) struct bed b = { 0 };

    bed_open(&b, answers);
    assert_int_equal(send_it(&b), -ECONNRESET);
    assert_string_equal(strbuf_cstr(&b.body), "hel");
    assert_non_null(strstr(b.e.msg, "was cut"));
}

static void who_says_nothing_is_given_up(void **state UNUSED)
{
    static const char *const answers[] = { HOLD, HOLD, NULL };
    CLEANUP(bed) struct bed b = { 0 };

    bed_open(&b, answers);
    b.q.idle_ms = 50;
    assert_int_equal(send_it(&b), -ETIMEDOUT);
    b.q.idle_ms = 0;
    b.q.deadline_ns = clock_mono_ns() + 50000000u;
    assert_int_equal(send_it(&b), -ETIMEDOUT);
}

static void an_abort_ends_a_request_at_once(void **state UNUSED)
{
    static const char *const answers[] = { HOLD, NULL };
    CLEANUP(bed) struct bed b = { 0 };
    int fds[2];

    bed_open(&b, answers);
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    close(fds[1]); /* hung up */
    b.q.abort_fd = fds[0];
    assert_int_equal(send_it(&b), -ECANCELED);
    close(fds[0]);
}

static int full(void *context UNUSED, struct str bytes UNUSED, struct err *e)
{
    return err_set(e, -ENOSPC, "no room");
}

static void who_takes_the_body_can_give_up(void **state UNUSED)
{
    static const char *const answers[] = { OK_HEAD "Content-Length: 5\r\n\r\nhello", NULL };
    CLEANUP(bed) struct bed b = { 0 };

    bed_open(&b, answers);
    b.q.take = full;
    assert_int_equal(send_it(&b), -ENOSPC);
    assert_string_equal(b.e.msg, "no room");
}

static void a_place_where_nobody_listens_is_named_without_its_secrets(void **state UNUSED)
{
    static const char *const answers[] = { NULL };
    CLEANUP(bed) struct bed b = { 0 };

    bed_open(&b, answers);
    b.q.url = "http://user:sesame@127.0.0.1:1/v1?key=sesame";
    assert_int_equal(send_it(&b), -ENETUNREACH);
    assert_non_null(strstr(b.e.msg, "127.0.0.1:1"));
    assert_null(strstr(b.e.msg, "sesame"));
}

static void only_http_is_spoken(void **state UNUSED)
{
    static const char *const answers[] = { NULL };
    CLEANUP(bed) struct bed b = { 0 };

    bed_open(&b, answers);
    b.q.url = "file:///etc/passwd";
    assert_int_equal(send_it(&b), -EINVAL);
}

static void redirects_are_followed_only_as_far_as_asked(void **state UNUSED)
{
    static const char hello[] = OK_HEAD "Content-Length: 5\r\n\r\nhello";
    static const char *const answers[] = {
        "HTTP/1.1 302 x\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 302 x\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n",
        hello,
        "HTTP/1.1 302 x\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
        NULL,
    };
    CLEANUP(bed) struct bed b = { 0 };

    bed_open(&b, answers);
    assert_int_equal(send_it(&b), 0);
    assert_int_equal(b.res.status, 302);
    b.q.redirects = 2;
    assert_int_equal(send_it(&b), 0);
    assert_int_equal(b.res.status, 200);
    assert_non_null(strstr(b.res.url, "/there"));
    assert_true(send_it(&b) < 0);
}

struct worker {
    pthread_t thread;
    struct http_client *client;
    const char *url;
    int r;
};

static void *work(void *context)
{
    struct worker *w = context;
    CLEANUP(http_response) struct http_response res = { 0 };
    CLEANUP(strbuf) struct strbuf body = { 0 };

    w->r = http_send(w->client,
                     &(struct http_request){ .url = w->url, .take = collect, .context = &body },
                     &res, NULL);
    if (w->r == 0 && strcmp(strbuf_cstr(&body), "hello") != 0)
        w->r = -EIO;
    return NULL;
}

static void several_threads_share_a_client(void **state UNUSED)
{
    static const char one[] = OK_HEAD "Content-Length: 5\r\nConnection: close\r\n\r\nhello";
    static const char *const answers[] = { one, one, one, one, one, one, one, one, NULL };
    CLEANUP(bed) struct bed b = { 0 };
    struct worker workers[8];

    bed_open(&b, answers);
    for (size_t i = 0; i < ARRAY_LEN(workers); i++) {
        workers[i] = (struct worker){ .client = b.client, .url = b.q.url };
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < ARRAY_LEN(workers); i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].r, 0);
    }
}

TESTS(cmocka_unit_test(the_body_arrives_and_the_request_was_what_was_asked),
      cmocka_unit_test(a_refusal_is_an_answer_with_its_body_and_how_long_to_wait),
      cmocka_unit_test(an_answer_that_is_cut_is_a_failure),
      cmocka_unit_test(who_says_nothing_is_given_up),
      cmocka_unit_test(an_abort_ends_a_request_at_once),
      cmocka_unit_test(who_takes_the_body_can_give_up),
      cmocka_unit_test(a_place_where_nobody_listens_is_named_without_its_secrets),
      cmocka_unit_test(only_http_is_spoken),
      cmocka_unit_test(redirects_are_followed_only_as_far_as_asked),
      cmocka_unit_test(several_threads_share_a_client))
