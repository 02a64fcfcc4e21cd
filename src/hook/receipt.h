/*
 * receipt.h - the record of one event: every hook that ran or was held back, and the outcome.
 *
 * In memory it is what engine_emit() returns; on disk it is one JSON line, appended with one write
 * to a file a day, so that any number of processes may write.
 */
#pragma once

#include "base/ulid.h"
#include "hook/hook.h"

enum run_end { RUN_DONE, RUN_FAILED, RUN_TIMED_OUT };

struct hook_run {
    const struct hook *hook;
    enum run_end end;
    bool again;       /* a guard on changed args */
    bool untrusted;   /* it failed because it, or what it runs, is not trusted */
    unsigned effects; /* the powers it used, of enum power */
    uint64_t ns;
    const char *detail;       /* the reason it gave, or why it failed */
    uint32_t tokens;          /* injected */
    uint32_t every;           /* cadence in force; 0: ungated */
    uint64_t time;            /* the how-many-th time this was, when gated */
    const struct hook_io *io; /* NULL: nothing went in or out */
};

enum held_why {
    HELD_CADENCE,
    HELD_OFF,
    HELD_BUDGET,
    HELD_DEPTH,
    HELD_ONCE,
    HELD_SAID,
    HELD_UNTRUSTED,
};

struct hook_held {
    const struct hook *hook;
    enum held_why why;
    const char *detail;
    uint32_t every; /* cadence: as above */
    uint64_t time;
    uint32_t tokens; /* of the injection that was held back */
};

/* Who answered a question for consent, where it was not only hooks. */
struct receipt_answer {
    const char *by; /* "person", "flag", "configuration", "hook", "nobody"; NULL: none was asked */
    enum decision decision;
};

struct receipt {
    char id[ULID_SIZE];
    const char *after; /* of a run in the background: the receipt of its event; else NULL */
    int64_t at_ms;
    uint64_t ns;
    const struct event *event; /* as emitted */
    const struct json *data;   /* as the chain left it */
    struct verdict verdict;    /* merged */
    struct receipt_answer answer;
    struct hook_run *runs;
    size_t run_count;
    struct hook_held *held;
    size_t held_count;
    const char **warnings; /* parts of verdicts that were ignored, conflicts */
    size_t warning_count;
    struct registry *registry; /* keeps the hooks named above alive */
};

void receipt_release(struct receipt *r);

const char *run_end_name(enum run_end end);
const char *held_why_name(enum held_why why);

/* One word for what came of the event: block, stop, ask, allow, change, inject, … or none. */
const char *receipt_outcome(const struct receipt *r);

/* What a hook's part of a receipt begins with: {"hook":"name" */
struct str receipt_head(struct arena *a, const char *hook);

/* One more warning; `line` is borrowed. */
void receipt_warn(struct arena *a, struct receipt *r, const char *line);

/* The receipt as one JSON object without a newline. */
void receipt_write(struct strbuf *out, const struct receipt *r);

static inline void receipt_cleanup(struct receipt *r)
{
    receipt_release(r);
}

/* Files ---------------------------------------------------------------------------------------- */

struct receipt_log;

struct receipt_log *receipt_log_new(const char *dir);
void receipt_log_free(struct receipt_log *l);

/* Append a line (a newline is added). */
MUST_CHECK int receipt_log_append(struct receipt_log *l, int64_t at_ms, struct strbuf *line,
                                  struct err *e);

/* $XDG_STATE_HOME/hooke/receipts */
char *receipt_default_dir(struct arena *a);
