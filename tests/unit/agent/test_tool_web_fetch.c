#include "base/clock.h"
#include "http_server.h"
#include "net/http.h"
#include "tool_fixture.h"

struct web_bed {
    struct tool_bed bed;
    struct http_server server;
};

static void web_bed_open(struct web_bed *w, const char *const *answers)
{
    w->server.answers = answers;
    http_server_start(&w->server);
    tool_bed_open(&w->bed);
    w->bed.call.http = http_client_new();
    w->bed.call.allow_private = true;
}

static void web_bed_cleanup(struct web_bed *w)
{
    http_client_free(w->bed.call.http);
    http_server_cleanup(&w->server);
    tool_bed_cleanup(&w->bed);
}

static const char *url_of(struct web_bed *w, const char *path)
{
    return arena_printf(&w->bed.arena, "{\"url\":\"%s\"}",
                        http_server_url(&w->server, &w->bed.arena, path));
}

static const char *answer(struct web_bed *w, const char *type, const char *body)
{
    return arena_printf(&w->bed.arena,
                        "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n%s",
                        type, strlen(body), body);
}

static void pages_become_text_and_texts_stay(void **state UNUSED)
{
    CLEANUP(web_bed) struct web_bed w = { 0 };
    const char *answers[6] = {
        answer(&w, "text/html; charset=utf-8", "<h1>Hi</h1><a href=/x>there</a>"),
        answer(&w, "application/json", "{\"a\": \"<b>\"}"),
        answer(&w, "text/plain; charset=iso-8859-1", "gr\xfc\xdf dich"),
        answer(&w, "application/problem+json", "{}"),
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    };

    web_bed_open(&w, answers);
    tool_works(&w.bed, "web_fetch", url_of(&w, "/a"), "# Hi\n\nthere (/x)\n");
    assert_string_equal(
        json_text(&w.bed.arena, w.bed.result.metadata),
        "{\"status\":200,\"content_type\":\"text/html; charset=utf-8\",\"bytes\":31}");
    tool_works(&w.bed, "web_fetch", url_of(&w, "/b"), "{\"a\": \"<b>\"}");
    tool_works(&w.bed, "web_fetch", url_of(&w, "/c"), "gr\xc3\xbc\xc3\x9f dich");
    tool_works(&w.bed, "web_fetch", url_of(&w, "/d"), "{}");
    tool_works(&w.bed, "web_fetch", url_of(&w, "/e"), "(the page is empty)");
    assert_non_null(strstr(w.server.requests.buf, "GET /a HTTP/1.1\r\n"));
}

static void redirects_are_followed_up_to_a_limit(void **state UNUSED)
{
#define TO_NEXT \
    "HTTP/1.1 302 x\r\nContent-Type: image/png\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n"
    CLEANUP(web_bed) struct web_bed w = { 0 };
    const char *answers[] = {
        TO_NEXT,
        TO_NEXT,
        TO_NEXT,
        TO_NEXT,
        TO_NEXT,
        "HTTP/1.1 200 x\r\nContent-Length: 2\r\n\r\nok",
        TO_NEXT,
        TO_NEXT,
        TO_NEXT,
        TO_NEXT,
        TO_NEXT,
        TO_NEXT,
        "HTTP/1.1 302 x\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
        NULL,
    };

    web_bed_open(&w, answers);
    tool_works(&w.bed, "web_fetch", url_of(&w, "/first"), NULL);
    assert_string_equal(
        w.bed.result.output.ptr,
        arena_printf(&w.bed.arena, "(from http://127.0.0.1:%u/next)\nok", w.server.port));
    tool_fails(&w.bed, "web_fetch", url_of(&w, "/first"), "redirects without end");
    tool_fails(&w.bed, "web_fetch", url_of(&w, "/first"), "is no http or https address");
}

static void what_is_no_text_is_refused(void **state UNUSED)
{
    CLEANUP(web_bed) struct web_bed w = { 0 };
    const char *answers[] = {
        answer(&w, "image/png", "x"),
        answer(&w, "application/octet-stream", "x"),
        NULL,
    };

    web_bed_open(&w, answers);
    tool_fails(&w.bed, "web_fetch", url_of(&w, "/"),
               "it is 'image/png', and only text can be read: fetch it into a file with bash");
    tool_fails(&w.bed, "web_fetch", url_of(&w, "/"), "it is 'application/octet-stream'");
}

static void refusals_are_told_with_their_text(void **state UNUSED)
{
    CLEANUP(web_bed) struct web_bed w = { 0 };
    const char *answers[] = {
        "HTTP/1.1 404 x\r\nContent-Type: text/html\r\nContent-Length: 18\r\n\r\n<h1>Not here</h1>\n",
        NULL,
    };

    web_bed_open(&w, answers);
    assert_int_equal(tool_bed_call(&w.bed, "web_fetch", url_of(&w, "/")), 0);
    assert_true(w.bed.result.failed);
    assert_string_equal(w.bed.result.output.ptr, "(the server says 404)\n# Not here\n");
}

static void size_is_limited(void **state UNUSED)
{
    CLEANUP(web_bed) struct web_bed w = { 0 };
    CLEANUP(strbuf) struct strbuf huge = { 0 };
    const char *answers[4] = { answer(&w, "text/plain",
                                      "a\xc3\xa4"
                                      "b") };

    for (int i = 0; i < (9 << 20) / 16; i++)
        strbuf_addstr(&huge, "0123456789abcde\n");
    answers[1] = answer(&w, "text/plain", strbuf_cstr(&huge));
    web_bed_open(&w, answers);
    tool_works(&w.bed, "web_fetch",
               arena_printf(&w.bed.arena, "{\"url\":\"%s\",\"max_bytes\":2}",
                            http_server_url(&w.server, &w.bed.arena, "/")),
               "a\n(3 more bytes; set max_bytes)\n");
    tool_works(&w.bed, "web_fetch", url_of(&w, "/"), NULL);
    assert_non_null(strstr(w.bed.result.output.ptr, "\n(8288608 more bytes; set max_bytes)\n"));
    assert_non_null(strstr(w.bed.result.output.ptr,
                           "(the page is larger than 8388608 bytes: the rest was not fetched)"));
}

static void this_machine_is_out_of_reach_unless_allowed(void **state UNUSED)
{
    CLEANUP(web_bed) struct web_bed w = { 0 };
    const char *answers[] = { KEEP "HTTP/1.1 200 x\r\nContent-Length: 6\r\n\r\nsecret", NULL };
    static const char *const hosts[] = { "127.0.0.1", "localhost", "0x7f.1", "[::1]",
                                         "[::ffff:127.0.0.1]" };

    web_bed_open(&w, answers);
    /* a connection that is open already opens nothing */
    tool_works(&w.bed, "web_fetch", url_of(&w, "/"), "secret");
    w.bed.call.allow_private = false;
    for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
        tool_fails(
            &w.bed, "web_fetch",
            arena_printf(&w.bed.arena, "{\"url\":\"http://%s:%u/\"}", hosts[i], w.server.port),
            "leads to an address of a private network");
        assert_non_null(strstr(w.bed.e.msg, "'web_fetch.allow_private'"));
    }
    assert_int_equal(w.server.count, 1);
    assert_int_equal(w.server.after_kept, 0);
}

static void mistakes_and_aborts_are_told(void **state UNUSED)
{
    CLEANUP(web_bed) struct web_bed w = { 0 };
    const char *answers[] = { HOLD, HOLD, NULL };
    int ends[2];

    web_bed_open(&w, answers);
    tool_fails(&w.bed, "web_fetch", "{\"url\":\"ftp://e.org/x\"}", "is no http or https address");
    tool_fails(&w.bed, "web_fetch", "{\"url\":\"e.org\"}", "is no http or https address");
    tool_fails(&w.bed, "web_fetch", "{\"url\":\"file:///etc/passwd\"}", "is no http or https");
    tool_fails(&w.bed, "web_fetch", "{\"url\":\"http://127.0.0.1:1/\"}", "cannot reach '127.0.0.1");
    tool_fails(&w.bed, "web_fetch", "{\"url\":\"http://x\",\"max_bytes\":0}", "at least 1");
    w.bed.call.deadline_ns = clock_mono_ns() + 100000000;
    tool_fails(&w.bed, "web_fetch", url_of(&w, "/"), "did not answer in time");
    w.bed.call.deadline_ns = 0;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    w.bed.call.abort_fd = ends[0];
    tool_fails(&w.bed, "web_fetch", url_of(&w, "/"), "aborted");
    close(ends[0]);
    close(ends[1]);
}

TESTS(cmocka_unit_test(pages_become_text_and_texts_stay),
      cmocka_unit_test(redirects_are_followed_up_to_a_limit),
      cmocka_unit_test(what_is_no_text_is_refused),
      cmocka_unit_test(refusals_are_told_with_their_text), cmocka_unit_test(size_is_limited),
      cmocka_unit_test(this_machine_is_out_of_reach_unless_allowed),
      cmocka_unit_test(mistakes_and_aborts_are_told))
