/*
 * serve.h - the daemon: whoever connects to its socket has hooks run.
 *
 *     r = serve_run(&(struct serve_options){ .place = &place, .stop_fd = fd, .log = &log }, e);
 *
 * Two kinds of clients: hooke-answer, which hands its descriptors over (serve/taking.h), and hosts
 * that speak JSON-RPC, a message a line (serve/host.h). Their first byte tells which.
 *
 * Threads: one waits for connections at a time; who gets one lets the next wait and serves it. So a
 * connection costs no change of threads, and a hook that stalls holds up nobody else. Each thread
 * has a working folder, a umask and variables of its own (base/vars.h), those of its client.
 *
 * Stopping: no new connections and no new requests, what runs has `patience_ms` to finish, also in
 * the background; then, or when it is asked to stop once more, the processes of hooks are ended,
 * and a little later serve_run() returns in any case.
 */
#pragma once

#include "base/log.h"
#include "serve/socket.h"

struct answer_request;
struct runtime;

/* Answers one event of an agent: the exit code. */
typedef int serve_answer_fn(struct runtime *rt, const struct answer_request *q);

struct serve_options {
    struct socket_place *place; /* borrowed; its descriptor is closed when serving stops */
    struct log *log;
    serve_answer_fn *answer;
    int stop_fd;          /* a byte: stop; one more: at once; 0: nobody will */
    uint64_t idle_ms;     /* stop when nobody was connected for so long; 0: never */
    uint64_t patience_ms; /* 0: SERVE_PATIENCE_MS */
};

#define SERVE_PATIENCE_MS 10000

/*
 * Until it is stopped. Returns 1 when something still runs and would not end: then the process
 * should.
 */
MUST_CHECK int serve_run(const struct serve_options *o, struct err *e);
