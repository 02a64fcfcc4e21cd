#include "serve/ask.h"

#include "runner/rpc.h"
#include "serve/host.h"
#include "serve/socket.h"

#include <errno.h>
#include <sys/socket.h>

/* Two lines: what hello is answered with, and the result. */
static int receive(int fd, struct strbuf *in, struct str *line)
{
    for (;;) {
        const char *first = in->len ? memchr(in->buf, '\n', in->len) : NULL;
        const char *second =
            first ? memchr(first + 1, '\n', in->len - (size_t)(first + 1 - in->buf)) : NULL;
        char chunk[4096];
        ssize_t n;

        if (second) {
            *line = (struct str){ first + 1, (size_t)(second - first - 1) };
            return 0;
        }
        n = recv(fd, chunk, sizeof(chunk), 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0 || in->truncated)
            return -EIO;
        strbuf_add(in, chunk, (size_t)n);
    }
}

int ask_daemon(struct arena *a, const char *path, const char *method, const struct json **result,
               struct err *e)
{
    const struct timeval limit = { .tv_sec = ASK_WAIT_MS / 1000 };
    CLEANUP(strbuf) struct strbuf out = { 0 };
    CLEANUP(strbuf) struct strbuf in = { .max = 1 << 20 };
    CLEANUP(fd) int fd = path ? socket_connect(path) : -1;
    struct rpc_message m;
    struct str line;

    if (fd < 0)
        return err_set(e, -ECONNREFUSED, "no daemon listens on '%s'",
                       path ? path : "HOOKE_SOCKET, which is empty");
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    rpc_begin_request(&out, 1, "hello");
    strbuf_printf(&out, "{\"version\":%d}", HOST_PROTOCOL);
    rpc_end_request(&out);
    rpc_begin_request(&out, 2, method);
    strbuf_addstr(&out, "{}");
    rpc_end_request(&out);
    if (send(fd, out.buf, out.len, MSG_NOSIGNAL) != (ssize_t)out.len || receive(fd, &in, &line) < 0)
        return err_set(e, -EIO, "the daemon on '%s' does not answer", path);
    rpc_read(a, str_of(arena_cstr(a, line)), &m);
    if (m.kind != RPC_RESULT)
        return err_set(e, -EIO, "the daemon on '%s' says: %s", path,
                       m.kind == RPC_ERROR ? m.text : "something else");
    *result = m.result;
    return 0;
}
