/*
 * peer_inside.h - what the files of a peer share. peer.c is the calls, peer_life.c how it
 * starts and ends, peer_read.c what it says, peer_serve.c what it asks for. Private to them.
 */
#pragma once

#include "proc/live.h"
#include "runner/peer.h"
#include "runner/rpc.h"

#include <pthread.h>
#include <stdatomic.h>

#define PEER_MS          UINT64_C(1000000)
#define PEER_STDERR_HEAD 300
#define PEER_STDERR_KEPT ((size_t)16 << 10)

enum phase {
    PHASE_DOWN,
    PHASE_STARTING, /* a thread is about to start it */
    PHASE_GREETING, /* it has not answered `initialize` yet */
    PHASE_READY,
    PHASE_ENDING, /* a thread is about to end it */
    PHASE_OFF,    /* for good */
};

/* An event that waits for its answer; on the stack of the thread that waits. */
struct pending {
    struct pending *next;
    struct peer_call *call;
    int64_t id;
    size_t stderr_from;
    uint64_t sent_from; /* where its request begins among all that was sent */
    uint64_t answered;  /* the peer's count when it was sent */
    bool done, failed;  /* failed: the process is gone */
    bool missed;        /* it went without having read a byte of this */
};

struct serving;

struct peer {
    struct peer_setup setup;
    atomic_int_fast64_t next_id;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    enum phase phase;
    struct live *live;    /* from greeting to ready */
    bool reading;         /* a thread waits for what it says, without the lock, or serves it */
    struct arena scratch; /* of that thread */
    struct pending *pending;
    int64_t greeting_id;
    uint64_t greeting_until_ns;
    struct strbuf greeting; /* its result */
    unsigned failures;      /* with no answer in between */
    unsigned silent;        /* events in a row that got none */
    unsigned junk, logged;
    uint64_t answered;        /* since it was started */
    uint64_t starts;          /* of the process: who asked must be who gets the answer */
    struct serving *servings; /* requests that threads of their own answer */
    unsigned serving_count;
    uint64_t next_start_ns;
    char broken[256];         /* it has to go, and why; "": it need not */
    struct strbuf why;        /* it went, in words that follow its name */
    struct strbuf last_words; /* on stderr */
    struct strbuf complaints; /* lines that were no messages, for the next receipt */
};

/* All of them with the lock held. */

int64_t peer_new_id(struct peer *p);

/* It has to go: who reads will end it. */
void peer_break(struct peer *p, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The moment `ns`, or sooner when somebody may give the event up meanwhile: then look again. */
uint64_t peer_look_again(const struct peer_call *c, uint64_t ns);

/* Until something happens or it is `ns`. */
void peer_sleep(struct peer *p, uint64_t ns);

/* Called by who reads, or while nobody does. The lock is released while the process ends. */
void peer_end_process(struct peer *p, const struct peer_call *c);

/* Until it can be spoken to. Failures on the way are tried again while there is time. */
MUST_CHECK int peer_become_ready(struct peer *p, const struct peer_call *c, uint64_t until_ns);

/* Listen, or sleep while another thread does, until something happens or it is `until_ns`. */
void peer_listen(struct peer *p, const struct peer_call *c, const struct pending *x,
                 uint64_t until_ns);

/* Nobody waits for its answer any more. */
void peer_forget(struct peer *p, struct pending *x);
struct pending *peer_find(const struct peer *p, int64_t id);

/* Answer what the process asks for in `line`, which `m` was read from. May release the lock. */
void peer_serve(struct peer *p, const struct peer_call *c, const struct rpc_message *m,
                struct str line);

/*
 * Whether a thread works on something the event waits for; end that, when the event is no longer
 * pending; wait for all such threads.
 */
bool peer_is_served(const struct peer *p, const struct pending *x);
void peer_stop_serving(struct peer *p, const struct pending *x);
void peer_await_served(struct peer *p); /* takes the lock */
