#include "serve/socket.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/vars.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

#define WAITING_MAX  4096 /* connections nobody has taken yet */
#define PID_MAX      32   /* bytes of a process id */
#define FIRST_PASSED 3    /* where a service manager puts what it hands over */

char *socket_path(struct arena *a)
{
    const char *named = vars_get("HOOKE_SOCKET"), *run = vars_get("XDG_RUNTIME_DIR");

    if (named)
        return named[0] ? arena_strdup(a, named) : NULL;
    if (run && run[0] == '/')
        return path_join(a, run, "hooke/hooke.sock");
    return path_join(a, path_xdg(a, PATH_STATE), "hooke.sock");
}

/* The system allows little more than a hundred bytes. */
static int address(const char *path, struct sockaddr_un *out, struct err *e)
{
    size_t len = strlen(path);

    *out = (struct sockaddr_un){ .sun_family = AF_UNIX };
    if (len >= sizeof(out->sun_path))
        return err_set(e, -ENAMETOOLONG,
                       "the socket '%s' has too long a name, at most %zu bytes: set HOOKE_SOCKET",
                       path, sizeof(out->sun_path) - 1);
    memcpy(out->sun_path, path, len + 1);
    return 0;
}

bool socket_is_mine(int fd)
{
    struct ucred who;
    socklen_t len = sizeof(who);

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 && who.uid == geteuid();
}

pid_t socket_peer(int fd)
{
    struct ucred who;
    socklen_t len = sizeof(who);

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 ? who.pid : 0;
}

int socket_connect(const char *path)
{
    CLEANUP(fd) int fd = -1;
    struct sockaddr_un at;

    if (address(path, &at, NULL) < 0) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof(at)) < 0)
        return -1;
    if (!socket_is_mine(fd)) {
        errno = EPERM;
        return -1;
    }
    return take_fd(&fd);
}

/* Opening -------------------------------------------------------------------------------------- */

static bool take_number(const char *name, long *out)
{
    const char *text = vars_get(name);
    char *end;

    if (!text || !text[0])
        return false;
    errno = 0;
    *out = strtol(text, &end, 10);
    return errno == 0 && *end == '\0';
}

/* sd_listen_fds(3). The variables are not for the children. */
static int passed_socket(void)
{
    long pid, count;
    bool ours = take_number("LISTEN_PID", &pid) && pid == getpid() &&
                take_number("LISTEN_FDS", &count) && count >= 1;
    int listens = 0;
    socklen_t len = sizeof(listens);

    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    if (!ours || getsockopt(FIRST_PASSED, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) < 0 ||
        !listens)
        return -1;
    fcntl(FIRST_PASSED, F_SETFD, FD_CLOEXEC);
    fcntl(FIRST_PASSED, F_SETFL, fcntl(FIRST_PASSED, F_GETFL) | O_NONBLOCK);
    return FIRST_PASSED;
}

/* A folder others may write to lets them put a socket of theirs in the place of ours. */
static int prepare_folder(struct arena *a, const char *path, struct err *e)
{
    const char *dir = path_dirname(a, path);
    struct stat st;
    int r = file_mkdirs(dir, e);

    if (r < 0)
        return r;
    if (stat(dir, &st) < 0)
        return err_errno(e, "looking at '%s'", dir);
    if (st.st_uid != geteuid())
        return err_set(e, -EPERM, "the folder '%s' of the socket belongs to somebody else", dir);
    if (st.st_mode & (S_IWGRP | S_IWOTH))
        return err_set(e, -EPERM,
                       "the folder '%s' of the socket can be written by others, run chmod 700 on "
                       "it or set HOOKE_SOCKET",
                       dir);
    return 0;
}

static int in_use(const char *path, struct err *e)
{
    return err_set(e, -EADDRINUSE, "a daemon listens on '%s' already: 'hooke serve --stop' ends it",
                   path);
}

/* Its daemon runs, but whoever removed the socket has made it one that nobody can ask. */
static int lock_is_held(struct arena *a, const char *path, struct err *e)
{
    struct str pid = { 0 };

    if (access(path, F_OK) == 0 ||
        file_read(a, arena_printf(a, "%s.lock", path), PID_MAX, &pid, NULL) < 0 || !pid.len)
        return in_use(path, e);
    return err_set(e, -EADDRINUSE, "the socket '%s' of a daemon is gone: end process %.*s", path,
                   STR_ARG(str_trim(pid)));
}

static void sign_lock(int fd)
{
    char pid[PID_MAX];
    int len = snprintf(pid, sizeof(pid), "%d\n", (int)getpid());

    (void)!write(fd, pid, (size_t)len);
}

/* With the lock in hand: what nobody listens on was left behind. */
static int remove_stale(const char *path, struct err *e)
{
    struct stat st;
    int fd;

    if (lstat(path, &st) < 0)
        return errno == ENOENT ? 0 : err_errno(e, "looking at '%s'", path);
    if (!S_ISSOCK(st.st_mode))
        return err_set(e, -EEXIST, "'%s' is no socket: move it away or set HOOKE_SOCKET", path);
    fd = socket_connect(path);
    if (fd >= 0)
        close(fd);
    if (fd >= 0 || errno == EPERM || errno == EAGAIN)
        return in_use(path, e);
    if (unlink(path) < 0 && errno != ENOENT)
        return err_errno(e, "removing the old socket '%s'", path);
    return 0;
}

static int bind_socket(struct socket_place *p, const char *path, struct err *e)
{
    CLEANUP(fd) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct sockaddr_un at;
    mode_t mask;
    int r = address(path, &at, e), bound;

    if (r < 0)
        return r;
    if (fd < 0)
        return err_errno(e, "making a socket");
    mask = umask(0177); /* nobody else may connect, not even for a moment */
    bound = bind(fd, (struct sockaddr *)&at, sizeof(at));
    umask(mask);
    if (bound < 0 || listen(fd, WAITING_MAX) < 0 || stat(path, &p->made) < 0)
        return err_errno(e, "listening on '%s'", path);
    p->fd = take_fd(&fd);
    return 0;
}

int socket_open(struct socket_place *p, const char *path, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    int r;

    *p = (struct socket_place){ .fd = passed_socket(), .lock = -1 };
    if (p->fd >= 0) {
        p->path = xstrdup(path ? path : "LISTEN_FDS");
        return 0;
    }
    if (!path)
        return err_set(e, -EINVAL, "HOOKE_SOCKET is empty, which means no daemon: unset it");
    r = prepare_folder(&a, path, e);
    if (r == 0)
        r = p->lock = file_lock(path, false, e);
    if (r == -EWOULDBLOCK)
        return lock_is_held(&a, path, e);
    if (r >= 0) {
        (void)!ftruncate(p->lock, 0); /* who looks before the socket is there must not be misled */
        r = remove_stale(path, e);
    }
    if (r == 0)
        r = bind_socket(p, path, e);
    if (r < 0) {
        if (p->lock >= 0)
            close(take_fd(&p->lock));
        return r;
    }
    sign_lock(p->lock);
    p->path = xstrdup(path);
    return 0;
}

void socket_close(struct socket_place *p)
{
    struct stat st;

    if (p->fd >= 0)
        close(p->fd);
    if (p->lock >= 0) {
        if (lstat(p->path, &st) == 0 && st.st_ino == p->made.st_ino && st.st_dev == p->made.st_dev)
            unlink(p->path);
        close(p->lock);
    }
    free(p->path);
    *p = (struct socket_place){ .fd = -1, .lock = -1 };
}
