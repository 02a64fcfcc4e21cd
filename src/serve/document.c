#include "serve/document.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

/* As much as a pipe holds. Memory that is not written to costs nothing; a stack of it does. */
#define PIECE ((size_t)64 << 10)

struct reading {
    int fd;
    uint32_t ms;
    uint64_t deadline_ns;
    struct strbuf text;
    struct json_scan scan;
};

static int wait_for_more(const struct reading *r, struct err *e)
{
    struct pollfd p = { .fd = r->fd, .events = POLLIN };
    uint64_t now;
    int n;

    do {
        now = clock_mono_ns();
        n = now < r->deadline_ns ? poll(&p, 1, (int)((r->deadline_ns - now) / 1000000 + 1)) : 0;
    } while (n < 0 && errno == EINTR);
    if (n < 0)
        return err_errno(e, "waiting for standard input");
    if (n == 0)
        return err_set(e, -ETIMEDOUT, "standard input had no complete JSON document after %u ms",
                       r->ms);
    return 0;
}

/* What was read behind the text becomes part of it. 1: complete; 0: more to come. */
static int take(struct reading *r, size_t len, struct err *e)
{
    struct str piece = { r->text.buf + r->text.len, len };
    size_t used = 0;
    enum json_scan_state state = json_scan_feed(&r->scan, piece, &used);

    r->text.len += state == JSON_SCAN_DONE ? used : len;
    r->text.buf[r->text.len] = '\0';
    if (r->text.len > DOCUMENT_MAX)
        return err_set(e, -EFBIG, "standard input is longer than %zu bytes", DOCUMENT_MAX);
    if (state == JSON_SCAN_BAD && r->scan.depth == JSON_DEPTH_LIMIT)
        return err_set(e, -EBADMSG, "standard input is nested more than %d levels deep",
                       JSON_DEPTH_LIMIT);
    if (state == JSON_SCAN_BAD)
        return err_set(e, -EBADMSG, "standard input is no JSON document");
    return state == JSON_SCAN_DONE;
}

static int at_end(const struct reading *r, struct err *e)
{
    if (str_trim(strbuf_str(&r->text)).len == 0)
        return err_set(e, -EBADMSG, "standard input is empty");
    if (json_scan_end(&r->scan) == JSON_SCAN_DONE)
        return 0;
    return err_set(e, -EBADMSG, "standard input ended before its JSON document was complete");
}

static int read_all(struct reading *r, struct err *e)
{
    for (;;) {
        char *room = strbuf_reserve(&r->text, PIECE);
        int done = wait_for_more(r, e);
        ssize_t n;

        if (done < 0)
            return done;
        n = read(r->fd, room, PIECE);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            return err_errno(e, "reading standard input");
        if (n == 0)
            return at_end(r, e);
        done = take(r, (size_t)n, e);
        if (done)
            return done < 0 ? done : 0;
    }
}

int document_read(struct arena *a, int fd, uint32_t ms, struct str *text, struct err *e)
{
    struct reading r = { .fd = fd,
                         .ms = ms,
                         .deadline_ns = clock_mono_ns() + (uint64_t)ms * 1000000,
                         .text.max = DOCUMENT_MAX + PIECE };
    int rc = read_all(&r, e);

    *text = (struct str){ arena_cstr(a, strbuf_str(&r.text)), r.text.len };
    strbuf_release(&r.text);
    return rc;
}
