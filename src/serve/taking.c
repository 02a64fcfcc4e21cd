#include "serve/taking.h"

#include "base/handover.h"
#include "base/vars.h"
#include "serve/answering.h"
#include "serve/socket.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>

struct handed {
    struct arena arena;
    struct handover_head head;
    struct taking texts;
    int fds[HANDOVER_FDS];
};

/* Reading -------------------------------------------------------------------------------------- */

static bool next_text(char **at, const char *end, const char **out)
{
    char *nul = *at < end ? memchr(*at, '\0', (size_t)(end - *at)) : NULL;

    *out = *at;
    if (nul)
        *at = nul + 1;
    return nul != NULL;
}

bool taking_read(struct arena *a, const struct handover_head *head, char *body, struct taking *out)
{
    const char *end = body + head->size;

    /* Each text has its NUL, so there cannot be more of them than bytes. */
    if (head->argc > head->size || head->envc > head->size)
        return false;
    out->argv = arena_array(a, const char *, (size_t)head->argc + 1);
    out->vars = arena_array(a, char *, (size_t)head->envc + 1);
    if (!next_text(&body, end, &out->version) || !next_text(&body, end, &out->cwd))
        return false;
    for (uint32_t i = 0; i < head->argc; i++)
        if (!next_text(&body, end, &out->argv[i]))
            return false;
    for (uint32_t i = 0; i < head->envc; i++) {
        out->vars[i] = body;
        if (!next_text(&body, end, &(const char *){ NULL }))
            return false;
    }
    return body == end;
}

/* For alignment there is room for more than were asked for; what comes beyond, the system closes.
 */
#define PASSED_ROOM (CMSG_SPACE(sizeof(int) * HANDOVER_FDS) / sizeof(int))

static void keep_descriptors(struct msghdr *m, int fds[HANDOVER_FDS])
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        int passed[PASSED_ROOM];
        size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        count = count < PASSED_ROOM ? count : PASSED_ROOM;
        memcpy(passed, CMSG_DATA(c), count * sizeof(int));
        for (size_t i = 0; i < count; i++) {
            if (count == HANDOVER_FDS && fds[i] < 0)
                fds[i] = passed[i];
            else
                close(passed[i]);
        }
    }
}

static bool receive(struct client *c, void *bytes, size_t len, int fds[HANDOVER_FDS])
{
    union {
        struct cmsghdr align;
        char space[CMSG_SPACE(sizeof(int) * HANDOVER_FDS)];
    } control;

    while (len) {
        struct iovec part = { bytes, len };
        struct msghdr m = { .msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.space,
                            .msg_controllen = sizeof(control.space) };
        ssize_t n = recvmsg(c->fd, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN && server_wait(c->server, c->fd, c->speak_by_ns))
            continue;
        if (n >= 0)
            keep_descriptors(&m, fds);
        if (n <= 0)
            return false;
        bytes = (char *)bytes + n;
        len -= (size_t)n;
    }
    return true;
}

static const char *receive_all(struct client *c, struct handed *h)
{
    char *body;

    if (!receive(c, &h->head, sizeof(h->head), h->fds))
        return "its message was cut short";
    if (memcmp(h->head.magic, HANDOVER_MAGIC, sizeof(h->head.magic)) != 0)
        return "it speaks another protocol";
    if (h->head.size > HANDOVER_MAX)
        return "its message is too long";
    body = arena_alloc(&h->arena, (size_t)h->head.size + 1);
    body[h->head.size] = '\0';
    if (!receive(c, body, h->head.size, h->fds))
        return "its message was cut short";
    if (!taking_read(&h->arena, &h->head, body, &h->texts))
        return "its message makes no sense";
    if (h->fds[HANDOVER_FDS - 1] < 0)
        return "it handed no descriptors over";
    return NULL;
}

/* Answering ------------------------------------------------------------------------------------ */

static bool say(int fd, char byte)
{
    return send(fd, &byte, 1, MSG_NOSIGNAL) == 1;
}

/* Only what needs no flags is done here. */
static const char *check_words(const struct handed *h)
{
    const char *const *agents = answer_agents();

    if (strcmp(h->texts.version, HOOKE_VERSION) != 0)
        return "it is another version";
    if (h->texts.cwd[0] != '/')
        return "its folder has no name";
    if (h->head.argc < 1 || h->head.argc > 2)
        return "its words are not 'AGENT [EVENT]'";
    for (uint32_t i = 0; i < h->head.argc; i++)
        if (h->texts.argv[i][0] == '-' || !h->texts.argv[i][0])
            return "it has flags";
    while (*agents && strcmp(*agents, h->texts.argv[0]) != 0)
        agents++;
    return *agents ? NULL : "its agent is not known";
}

static void close_all(struct handed *h)
{
    for (size_t i = 0; i < HANDOVER_FDS; i++)
        if (h->fds[i] >= 0)
            close(take_fd(&h->fds[i]));
}

static void answer(struct client *c, struct handed *h, struct tenant *t)
{
    struct answer_request q = {
        .agent = h->texts.argv[0],
        .event = h->texts.argv[1],
        .in = h->fds[0],
        .out = h->fds[1],
        .err = h->fds[2],
        .abort_fd = c->fd,
        .from = socket_peer(c->fd),
        .broken = tenant_refusal(t, &h->arena),
    };
    bool guarded = answer_is_guarded(tenant_runtime(t));
    int rc;

    if (!say(c->fd, guarded ? HANDOVER_GUARDED : HANDOVER_TAKEN))
        return; /* it waits no longer and does the work itself */
    atomic_fetch_add(&c->server->served, 1);
    vars_use(h->texts.vars);
    rc = c->server->o->answer(tenant_runtime(t), &q);
    vars_use(NULL);
    close_all(h); /* what the client has written ends no later than the client */
    (void)!say(c->fd, (char)rc);
}

static const char *take(struct client *c, struct handed *h)
{
    const struct tenant_key key = { h->texts.cwd, h->texts.argv[0], h->texts.vars };
    const char *why = check_words(h);
    struct err e = { 0 };
    struct tenant *t;

    if (why)
        return why;
    if (h->fds[HANDOVER_FDS - 1] >= SERVE_FILES_CLIENTS(c->server->files_max))
        return "too few descriptors are left";
    if (!c->server->o->answer)
        return "nobody answers agents here";
    if (!server_enter(c->server, h->texts.cwd))
        return "its folder cannot be entered";
    server_use_mask((mode_t)h->head.mask & 0777);
    if (tenants_take(&c->server->tenants, &key, &t, &e) < 0) {
        log_warn(c->server->o->log, "%s", e.msg);
        return "its configuration is refused";
    }
    answer(c, h, t);
    tenants_give(&c->server->tenants, t);
    return NULL;
}

void taking_serve(struct client *c)
{
    struct handed h = { .fds = { -1, -1, -1 } };
    const char *why = receive_all(c, &h);

    if (!why)
        why = take(c, &h);
    if (why) {
        log_info(c->server->o->log, "a client is left to itself: %s", why);
        (void)!say(c->fd, HANDOVER_REFUSED);
    }
    server_use_mask(c->server->mask);
    (void)!server_enter(c->server, NULL);
    close_all(&h);
    arena_release(&h.arena);
}
