/*
 * wire.h - what the providers that stream over HTTP have in common: one POST, its answer an event
 * stream of JSON documents.
 */
#pragma once

#include "agent/provider.h"
#include "agent/reply.h"

struct wire {
    char *(*url)(struct arena *a, const struct provider *p, const struct model_request *q);
    /* "Name: value", ended by NULL; the content type and further ones are added. */
    const char *const *(*headers)(struct arena *a, const struct provider *p,
                                  const struct model_request *q);
    const struct json *(*body)(struct arena *a, const struct provider *p,
                               const struct model_request *q);
    /* One event. What it means is put into the reply; what it does not know it passes over. */
    void (*event)(struct reply *r, const char *name, const struct json *data);
};

/* A stream that ends before its provider said so is MODEL_CUT_STREAM, whatever has arrived. */
MUST_CHECK int wire_send(const struct wire *w, const struct model_exchange *x);

/* A whole number of the document; 0 when it is not there. */
int64_t wire_count(const struct json *object, const char *key);
