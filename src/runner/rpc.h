/*
 * rpc.h - JSON-RPC 2.0, one message a line: what is written, and what is read from programs that
 * may write anything.
 */
#pragma once

#include "json/json.h"

enum rpc_kind {
    RPC_JUNK,         /* no message; `why` says what is wrong */
    RPC_REQUEST,      /* `id`, `method`, `params` */
    RPC_NOTIFICATION, /* `method`, `params` */
    RPC_RESULT,       /* `answers`, `result` */
    RPC_ERROR,        /* `answers`, `code`, `text` */
};

/* Codes of errors; the first four are the standard's. */
enum rpc_code {
    RPC_BAD_REQUEST = -32600,
    RPC_NO_METHOD = -32601,
    RPC_BAD_PARAMS = -32602,
    RPC_INTERNAL = -32603,
    RPC_NO_EVENT = -32001, /* it is about an event that is not being handled */
    RPC_BUSY = -32002,     /* too much is being answered already */
};

struct rpc_message {
    enum rpc_kind kind;
    const struct json *id; /* of a request: whatever its sender chose */
    const char *method;
    const struct json *params; /* absent: NULL */
    int64_t answers;           /* which of our requests; -1: none that we could have sent */
    const struct json *result;
    int64_t code;
    const char *text;
    const char *why;
};

/* Never fails: what is no message is junk. Borrows `line`. */
void rpc_read(struct arena *a, struct str line, struct rpc_message *m);

/*
 * The id of an answer whose line was cut off, looked for in its beginning; -1: it is not to be
 * found there.
 */
int64_t rpc_find_id(struct str head);

/* Each adds one line with its newline. A request's parameters may also be added by the caller. */
void rpc_begin_request(struct strbuf *out, int64_t id, const char *method);
void rpc_end_request(struct strbuf *out);
void rpc_notify(struct strbuf *out, const char *method, const struct json *params);
void rpc_answer(struct strbuf *out, const struct json *id, const struct json *result);
void rpc_refuse(struct strbuf *out, const struct json *id, enum rpc_code code, const char *text);
