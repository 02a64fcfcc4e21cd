/*
 * http_server.h - a server on loopback that answers each connection with the next of a list of
 * texts, byte for byte, and keeps what it was sent.
 *
 *     CLEANUP(http_server) struct http_server server = { .answers = answers };
 *     http_server_start(&server);
 *     … http_server_url(&server, a, "/v1/x") …
 *
 * An answer that is NULL ends the list; a request past the end is closed without an answer. The
 * text HOLD means: read the request, then say nothing until the other side goes away. After KEEP
 * the rest is said and the connection stays open; what then still arrives is counted, not answered.
 */
#pragma once

#include "base/arena.h"
#include "base/strbuf.h"
#include "test.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>

#define HOLD "hold"
#define KEEP "keep "

struct http_server {
    const char *const *answers;
    int listener;
    unsigned short port;
    pthread_t thread;
    pthread_mutex_t lock;
    struct strbuf requests; /* all of them, one after the other */
    size_t count;
    size_t after_kept; /* bytes that arrived on kept connections */
};

static inline size_t http_server_body_length(const char *head)
{
    const char *length = strcasestr(head, "\r\ncontent-length:");

    return length ? strtoul(length + 17, NULL, 10) : 0;
}

/* False: the other side went away before its request was complete. */
static inline bool http_server_read(int fd, struct strbuf *request)
{
    for (;;) {
        char piece[4096];
        const char *end = request->buf ? strstr(request->buf, "\r\n\r\n") : NULL;
        ssize_t n;

        if (end && request->len >=
                       (size_t)(end + 4 - request->buf) + http_server_body_length(request->buf))
            return true;
        n = recv(fd, piece, sizeof(piece), 0);
        if (n <= 0)
            return false;
        strbuf_add(request, piece, (size_t)n);
    }
}

static inline void http_server_answer(struct http_server *s, int fd, const char *answer)
{
    bool keep = strncmp(answer, KEEP, strlen(KEEP)) == 0;
    size_t len;
    char unused;

    answer += keep ? strlen(KEEP) : 0;
    len = strlen(answer);
    if (strcmp(answer, HOLD) == 0) {
        while (recv(fd, &unused, 1, 0) > 0)
            ;
        return;
    }
    for (size_t sent = 0; sent < len;) {
        ssize_t n = send(fd, answer + sent, len - sent, MSG_NOSIGNAL);

        if (n <= 0)
            return;
        sent += (size_t)n;
    }
    while (keep && recv(fd, &unused, 1, 0) > 0) {
        pthread_mutex_lock(&s->lock);
        s->after_kept++;
        pthread_mutex_unlock(&s->lock);
    }
}

static inline void *http_server_run(void *context)
{
    struct http_server *s = context;

    for (size_t next = 0;;) {
        CLEANUP(strbuf) struct strbuf request = { 0 };
        int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);

        if (fd < 0)
            return NULL;
        if (http_server_read(fd, &request)) {
            pthread_mutex_lock(&s->lock);
            strbuf_add(&s->requests, request.buf, request.len);
            s->count++;
            pthread_mutex_unlock(&s->lock);
            if (s->answers[next])
                http_server_answer(s, fd, s->answers[next++]);
        }
        close(fd);
    }
}

static inline void http_server_start(struct http_server *s)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof(at);

    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(s->listener >= 0);
    assert_int_equal(bind(s->listener, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(s->listener, 8), 0);
    assert_int_equal(getsockname(s->listener, (struct sockaddr *)&at, &size), 0);
    s->port = ntohs(at.sin_port);
    pthread_mutex_init(&s->lock, NULL);
    assert_int_equal(pthread_create(&s->thread, NULL, http_server_run, s), 0);
}

static inline char *http_server_url(const struct http_server *s, struct arena *a, const char *path)
{
    return arena_printf(a, "http://127.0.0.1:%u%s", s->port, path);
}

static inline void http_server_cleanup(struct http_server *s)
{
    shutdown(s->listener, SHUT_RDWR);
    pthread_join(s->thread, NULL);
    close(s->listener);
    strbuf_release(&s->requests);
    pthread_mutex_destroy(&s->lock);
}
