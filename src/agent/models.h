/*
 * models.h - what is known of models: how much they take, and what they cost.
 *
 * The configuration may say otherwise: `providers.NAME.models.MODEL` with `context_window`,
 * `max_output` and `price` (dollars per million tokens: input, output, cache_read, cache_write).
 */
#pragma once

#include "agent/provider.h"

struct model_info {
    int64_t window;                                /* tokens; never 0 */
    int64_t max_output;                            /* 0: as the provider does */
    double input, output, cache_read, cache_write; /* dollars per million */
    bool priced;                                   /* somebody has said what it costs */
};

struct model_info model_info_find(const struct provider *p, const char *model);

/* In dollars. Reasoning costs what output does. */
double model_cost(const struct model_info *m, const struct usage *u);
