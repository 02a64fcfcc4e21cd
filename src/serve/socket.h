/*
 * socket.h - the place where the daemon is found: a Unix socket in a folder of the user's own.
 *
 *     struct socket_place place = { 0 };
 *     r = socket_open(&place, socket_path(&a), e);
 *     …
 *     socket_close(&place);
 *
 * A lock beside the socket belongs to the daemon that listens on it, so that a socket somebody left
 * behind can be told from one in use. Where a service manager listens already (LISTEN_FDS) its
 * socket is taken over and nothing is locked or removed.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

#include <sys/stat.h>

struct socket_place {
    int fd;   /* listens, does not block */
    int lock; /* -1: handed over by a service manager */
    char *path;
    struct stat made; /* what is ours to remove */
};

/*
 * HOOKE_SOCKET, else under XDG_RUNTIME_DIR, else under the state folder; NULL: HOOKE_SOCKET is
 * there and empty, which means that no daemon is to be used.
 */
char *socket_path(struct arena *a);

/* -EADDRINUSE: somebody listens there. On failure there is nothing to close. */
MUST_CHECK int socket_open(struct socket_place *p, const char *path, struct err *e);
void socket_close(struct socket_place *p);

/* Connect to whoever listens there, provided that it is the user's own. -1: nobody, see errno. */
int socket_connect(const char *path);

/* Whether the other end is a process of this user. */
bool socket_is_mine(int fd);

/* The process at the other end when it connected; 0: not known. */
pid_t socket_peer(int fd);
