/*
 * prefix.h - whether a request begins with what the one before it has sent, and which hook is to
 * blame where it does not: the provider's prompt cache ends at the first difference.
 *
 *     prefix_begin(&p);
 *     prefix_note(&p, &receipt);                              of each transform of the request
 *     hook = prefix_sent(&p, a, system, messages);            once it was answered
 *
 * Lives as long as its session; prefix_release() frees what it owns and makes it a new one, which
 * is what a new generation of the history needs: that it differs is no hook's fault.
 */
#pragma once

#include "hook/receipt.h"

struct prefix_voice;

/* What the hooks did to one request. */
struct prefix_request {
    struct arena arena;
    struct prefix_voice *voices; /* texts in the system prompt, by hook */
    size_t count, room;
    const char *system_changer, *messages_changer; /* the last of each; NULL: none */
};

/* All-zero: nothing was sent yet. */
struct prefix {
    uint64_t *hashes; /* of the system prompt and each message that was sent last */
    size_t count;
    struct prefix_request last, now;
};

void prefix_begin(struct prefix *p);
void prefix_note(struct prefix *p, const struct receipt *r);

/* The hook that changed what had been sent, in the arena; NULL: nothing was changed, or by no hook.
 */
const char *prefix_sent(struct prefix *p, struct arena *a, const struct json *system,
                        const struct json *messages);

void prefix_release(struct prefix *p);
