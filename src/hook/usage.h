/*
 * usage.h - what a request cost in tokens, by kind.
 *
 * The kinds do not overlap: `input` leaves out what the cache served or took, `output` leaves out
 * reasoning, so that their sum is what was really sent and received.
 */
#pragma once

#include "json/json.h"

#define USAGE_MAX (INT64_C(1) << 40) /* of one count: what is larger is a mistake of its server */

struct usage {
    int64_t input, output, reasoning, cache_read, cache_write;
    int64_t context; /* size of the conversation after the last request */
    int64_t window;  /* what the model takes at most; 0: not known */
};

/* All five kinds together. */
int64_t usage_tokens(const struct usage *u);

/* What was sent, from the cache or not. */
int64_t usage_sent(const struct usage *u);

/* Tokens that still fit into the window; negative: not known. */
int64_t usage_left(const struct usage *u);

/* How full the window is, from 0 to 1 and beyond; negative: not known. */
double usage_share(const struct usage *u);

/* Add the tokens; context and window are those of the conversation and stay. */
void usage_add(struct usage *to, const struct usage *u);

/* {"input_tokens":…,…,"current_context_window":…,"max_context_window":…} */
const struct json *usage_to_json(struct arena *a, const struct usage *u);
struct usage usage_from_json(const struct json *j);
