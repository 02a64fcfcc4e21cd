/*
 * hooke-answer - what agents are told to run: the work of 'hooke answer', done by the daemon when
 * there is one.
 *
 *     hooke-answer AGENT [EVENT]
 *
 * It hands its descriptors, words, variables and folder to the daemon (base/handover.h) before
 * anything is read, and exits as the daemon says. Where no daemon takes them it becomes the full
 * program, 'hooke' in its own folder or in PATH. Once they are taken it never does: hooks may have
 * run. A daemon that then ends without an answer makes it exit with 1 and a line on standard error,
 * which to each of these agents is a hook that failed: they say so and go on. Where safety-critical
 * hooks are in force it exits with 2, which to each of them is a refusal.
 *
 * Static and small, since it is started for every event: no stdio, no locale, no allocation.
 */
#include "base/handover.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define WORDS_MAX    64
#define EXIT_FAILED  1
#define EXIT_BLOCKED 2
#define ENDED        "hooke-answer: the daemon ended while it answered"

/* Most environments fit; a larger one is left to the full program. */
static char message[sizeof(struct handover_head) + (256u << 10)];

static const char *variable(char **env, const char *name)
{
    size_t len = strlen(name);

    for (; *env; env++)
        if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
            return *env + len + 1;
    return NULL;
}

static void say(const char *text)
{
    (void)!write(STDERR_FILENO, text, strlen(text));
}

/* Without a daemon ----------------------------------------------------------------------------- */

/* `dir`/hooke; NULL: that is too long. */
static char *program_in(const char *dir, size_t len, char *out, size_t size)
{
    static const char name[] = "/hooke";

    if (len + sizeof(name) > size)
        return NULL;
    memcpy(out, dir, len);
    memcpy(out + len, name, sizeof(name));
    return out;
}

static void execute_beside(char **argv, char **env)
{
    char self[4096], path[4096];
    ssize_t len = readlink("/proc/self/exe", self, sizeof(self));

    while (len > 0 && self[len - 1] != '/')
        len--;
    if (len > 1 && program_in(self, (size_t)len - 1, path, sizeof(path)))
        execve(path, argv, env);
}

static void execute_in_path(char **argv, char **env)
{
    const char *at = variable(env, "PATH");
    char path[4096];

    for (at = at ? at : "/usr/local/bin:/usr/bin:/bin"; at; at = strchr(at, ':')) {
        at += *at == ':';
        if (program_in(at, strcspn(at, ":"), path, sizeof(path)))
            execve(path, argv, env);
    }
}

static int do_it_here(int argc, char **argv, char **env)
{
    static char hooke[] = "hooke", answer[] = "answer";
    char *words[WORDS_MAX + 3] = { hooke, answer };

    if (argc > WORDS_MAX) {
        say("hooke-answer: too many words\n");
        return EXIT_FAILED;
    }
    for (int i = 1; i < argc; i++)
        words[i + 1] = argv[i];
    execute_beside(words, env);
    execute_in_path(words, env);
    say("hooke-answer: there is no program 'hooke' beside it or in PATH: install it again\n");
    return EXIT_FAILED;
}

/* The message ---------------------------------------------------------------------------------- */

struct writing {
    char *at;
    size_t room;
    int full;
};

static void add(struct writing *w, const char *text)
{
    size_t len = strlen(text) + 1;

    if (w->full || len > w->room) {
        w->full = 1;
        return;
    }
    memcpy(w->at, text, len);
    w->at += len;
    w->room -= len;
}

/* Its length; 0: it does not fit, or this folder has no name. */
static size_t write_message(int argc, char **argv, char **env)
{
    struct handover_head head = { .argc = (uint32_t)argc - 1 };
    struct writing w = { message + sizeof(head), sizeof(message) - sizeof(head), 0 };
    char cwd[4096];

    if (!getcwd(cwd, sizeof(cwd)) || cwd[0] != '/')
        return 0;
    memcpy(head.magic, HANDOVER_MAGIC, sizeof(head.magic));
    add(&w, HOOKE_VERSION);
    add(&w, cwd);
    for (int i = 1; i < argc; i++)
        add(&w, argv[i]);
    for (; *env; env++, head.envc++)
        add(&w, *env);
    if (w.full)
        return 0;
    head.mask = umask(0);
    umask(head.mask);
    head.size = (uint32_t)(w.at - message - sizeof(head));
    memcpy(message, &head, sizeof(head));
    return (size_t)(w.at - message);
}

static int send_message(int fd, size_t len)
{
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(sizeof(int) * HANDOVER_FDS)];
    } control = { 0 };
    const int fds[HANDOVER_FDS] = { 0, 1, 2 };
    struct iovec part = { message, len };
    struct msghdr m = { .msg_iov = &part,
                        .msg_iovlen = 1,
                        .msg_control = control.space,
                        .msg_controllen = sizeof(control.space) };
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);

    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(fds));
    memcpy(CMSG_DATA(c), fds, sizeof(fds));
    while (part.iov_len) {
        ssize_t n = sendmsg(fd, &m, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return 0;
        part.iov_base = (char *)part.iov_base + n;
        part.iov_len -= (size_t)n;
        m.msg_control = NULL; /* they went with the first byte */
        m.msg_controllen = 0;
    }
    return 1;
}

/* With a daemon -------------------------------------------------------------------------------- */

static int join(struct sockaddr_un *at, const char *dir, const char *rest)
{
    size_t len = strlen(dir), more = strlen(rest) + 1;

    if (len + more > sizeof(at->sun_path))
        return 0;
    memcpy(at->sun_path, dir, len);
    memcpy(at->sun_path + len, rest, more);
    return 1;
}

/* As socket_path() of the daemon finds it. */
static int find_socket(char **env, struct sockaddr_un *at)
{
    const char *named = variable(env, "HOOKE_SOCKET"), *run = variable(env, "XDG_RUNTIME_DIR");
    const char *state = variable(env, "XDG_STATE_HOME"), *home = variable(env, "HOME");

    at->sun_family = AF_UNIX;
    if (!home || home[0] != '/') /* the full program knows who this is, a daemon does not */
        return 0;
    if (named)
        return named[0] && join(at, named, "");
    if (run && run[0] == '/')
        return join(at, run, "/hooke/hooke.sock");
    if (state && state[0] == '/')
        return join(at, state, "/hooke/hooke.sock");
    return join(at, home, "/.local/state/hooke/hooke.sock");
}

/* Nobody else gets to see what is in the environment. */
static int is_mine(int fd)
{
    struct ucred who;
    socklen_t len = sizeof(who);

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 && who.uid == geteuid();
}

static int connect_daemon(char **env)
{
    const struct timeval limit = { .tv_sec = HANDOVER_WAIT_MS / 1000 };
    struct sockaddr_un at = { 0 };
    int fd;

    if (!find_socket(env, &at))
        return -1;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (fd <= STDERR_FILENO) { /* one of those to be handed over is closed */
        close(fd);
        return -1;
    }
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    if (connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0 && is_mine(fd))
        return fd;
    close(fd);
    return -1;
}

static int read_byte(int fd, char *byte)
{
    ssize_t n;

    do
        n = recv(fd, byte, 1, 0);
    while (n < 0 && errno == EINTR);
    return n == 1;
}

/*
 * How the daemon has taken the work; 0: it has not. When it takes too long to say, reading ends
 * first: from then on it cannot say so any more, and what it has said is still there to be read.
 */
static int taken(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    char byte = 0;
    int n;

    do
        n = poll(&p, 1, HANDOVER_WAIT_MS);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        shutdown(fd, SHUT_RD);
    (void)read_byte(fd, &byte);
    return byte == HANDOVER_TAKEN || byte == HANDOVER_GUARDED ? byte : 0;
}

/* Nobody knows what the hooks decided. */
static int without_answer(int how)
{
    if (how == HANDOVER_GUARDED) {
        say(ENDED ": safety-critical hooks may not have seen this, so it is refused\n");
        return EXIT_BLOCKED;
    }
    say(ENDED ", hooks may have run: see 'hooke serve --status'\n");
    return EXIT_FAILED;
}

int main(int argc, char **argv, char **env)
{
    int fd = argc > 1 ? connect_daemon(env) : -1;
    size_t len = fd >= 0 ? write_message(argc, argv, env) : 0;
    int how = len && send_message(fd, len) ? taken(fd) : 0;
    char rc;

    if (!how)
        return do_it_here(argc, argv, env); /* the socket closes as it does */
    return read_byte(fd, &rc) ? (unsigned char)rc : without_answer(how);
}
