/*
 * host.h - clients that speak JSON-RPC 2.0, a message a line: hosts that cannot hand descriptors
 * over. docs/serve.md has the methods.
 *
 * A connection has as many threads as requests in flight, and one more that reads; answers come in
 * the order they are ready and are told apart by their ids. A host that goes away has its hooks
 * ended; one that only has no more to say still gets its answers.
 */
#pragma once

#include "base/until.h"
#include "serve/inside.h"

#define HOST_PROTOCOL   1
#define HOST_LINE_MAX   ((size_t)64 << 20)
#define HOST_FLIGHT_MAX 64 /* requests of one connection; more wait unread */

/* An emitter of events, as it has said hello. */
struct host {
    struct client *client;
    struct server *server;
    struct arena arena;   /* of what it said */
    bool greeted;         /* written before any other thread is there that could look */
    const char *cwd;      /* NULL: each event says */
    const char *dialect;  /* NULL: our own names */
    char *const *vars;    /* NULL: the daemon's */
    struct until gone;    /* it has gone, or all is given up */
    struct strbuf unread; /* with the turn to read */
    size_t scanned;
    pthread_mutex_t reading, writing, lock;
    pthread_cond_t left;
    size_t threads, waiting;
    bool ended;
};

void host_serve(struct client *c);

/* One message; an answer is added to `out`. */
void host_handle(struct host *h, struct arena *a, struct str line, struct strbuf *out);
