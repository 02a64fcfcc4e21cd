/*
 * inside.h - what the parts of the daemon share. Internal to src/serve/.
 */
#pragma once

#include "serve/serve.h"
#include "serve/tenant.h"

#include <stdatomic.h>

#define SERVE_THREADS_MAX 2048 /* all of them */
#define SERVE_HOSTS_MAX   512  /* connections that speak JSON-RPC */

/*
 * Descriptors are for hooks as well, whose processes need some each: a client that hands its own
 * over is taken while those of clients are a third of all, others while they are two thirds. The
 * system gives the lowest number that is free, so a descriptor tells how many there are.
 */
#define SERVE_FILES_CLIENTS(max) ((max) / 3)
#define SERVE_FILES_ALL(max)     ((max) / 3 * 2)

#define SERVE_SPARE 4 /* threads that wait for their turn to wait for a connection */

struct server;

/* One client. Lives on the stack of the thread that serves it. */
struct client {
    struct server *server;
    int fd;
    uint64_t speak_by_ns;      /* when it must have said what it wants */
    struct client *next, **at; /* among all; guarded by the server's lock */
};

struct server {
    const struct serve_options *o;
    struct tenants tenants;
    int stop_fd;          /* of a request to stop: an eventfd; the options' is watched too */
    int abort_fd;         /* readable: end the processes of hooks */
    int empty_fd;         /* readable: there are no threads any more; an eventfd */
    pthread_mutex_t turn; /* whoever holds it waits for connections */
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t stops; /* it has been asked to */
    struct client *clients;
    size_t threads, waiting;
    uint64_t idle_since_ns; /* when the last client left */
    atomic_bool stopping;
    bool closing;           /* runtimes are being closed; of the thread that runs the program */
    atomic_bool one_folder; /* threads cannot have folders of their own here */
    uint64_t began_ns;
    int files_max; /* descriptors of this process */
    mode_t mask;   /* of threads that work for nobody in particular */
    atomic_size_t hosts;
    atomic_uint_least64_t served; /* requests */
};

/* A thread that nobody waits for; 0, or an error number. */
MUST_CHECK int serve_thread(void *(*run)(void *), void *context);

/* The same, counted as one of the server's; false: there can be no more. */
bool server_start_thread(struct server *s, void *(*run)(void *), void *context);
void server_end_thread(struct server *s);

/* No new connections, no new requests. */
void server_stop(struct server *s);

/* Wait until `fd` can be read. False: the server stops, or `until_ns` has come (0: never). */
bool server_wait(struct server *s, int fd, uint64_t until_ns);

/* A thread begins with it: its folder and its umask are its own from then on. */
void server_settle_thread(struct server *s);

/* What this thread and whatever it leaves to others start has this umask from now on. */
void server_use_mask(mode_t mask);

/* This thread works in `cwd` from now on; NULL: in none. False: it cannot. */
MUST_CHECK bool server_enter(struct server *s, const char *cwd);
