/*
 * verdict.h - what a hook answers, and what the answers of a chain add up to.
 *
 * A verdict is data, never an error: a hook that fails gives no verdict at all (hook/receipt.h says
 * what became of it). All-zero means "no opinion". Everything it points to lives in the arena of
 * the event.
 *
 * How verdicts merge: block > ask > allow > none, the first of the strictest gives the reason; a
 * block or a stop ends the chain; changes chain; injections add up, one per id; follow-ups add up;
 * of mutate and callback the first non-empty one wins and a later one is a conflict.
 */
#pragma once

#include "base/err.h"
#include "hook/event.h"
#include "hook/inject.h"

enum decision { DECISION_NONE, DECISION_ALLOW, DECISION_ASK, DECISION_BLOCK };

enum verdict_result { VERDICT_NO_RESULT, VERDICT_CONTINUE, VERDICT_MUTATE, VERDICT_CALLBACK };

struct verdict {
    enum decision decision;
    const char *reason;
    const char *stop;             /* set: end the run, and why */
    const char *say;              /* one line for the person at the terminal */
    const struct json *replace;   /* whole fields of data */
    const struct json *modify;    /* a merge patch for data, applied after `replace` */
    struct injection *injections; /* a list */
    enum verdict_result result;
    const char *callback;
    const struct json *callback_args;
    const struct json *messages;   /* of a mutation: an array */
    const struct json *follow_ups; /* an array of texts */
    const char *model;             /* fallback: send the last user message again with this one */
};

const char *decision_name(enum decision d);
const char *verdict_result_name(enum verdict_result r);

/* The helpers a hook uses to answer. */
void verdict_block(struct verdict *v, const char *reason);
void verdict_replace(struct arena *a, struct verdict *v, struct str field,
                     const struct json *value);
struct injection *verdict_inject(struct arena *a, struct verdict *v, const char *id,
                                 const char *text);

/* Whether what the event is about must not go on: it is blocked, or the run ends. */
bool verdict_refuses(const struct verdict *v);

/* Whether it says anything at all. */
bool verdict_is_empty(const struct verdict *v);

/*
 * Read a verdict in our own JSON. What it cannot understand is left out and said in `warnings`, one
 * line each (an unknown field, a value of the wrong type); only a document that is no object fails.
 */
MUST_CHECK int verdict_from_json(struct arena *a, const struct json *j, struct verdict *v,
                                 struct strbuf *warnings, struct err *e);

/* In our own JSON: `modify` never appears, a merged verdict has only `replace`. */
const struct json *verdict_to_json(struct arena *a, const struct verdict *v);

/*
 * `ask` where nobody can be asked becomes block; `flag` is what would have allowed it
 * ("--allow bash").
 */
void verdict_settle_ask(struct arena *a, struct verdict *v, const char *flag);
