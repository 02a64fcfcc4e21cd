/*
 * ledger.h - what hooks cost and did, added up from receipts: one line per hook.
 *
 *     struct ledger l = { 0 };
 *     for each receipt: ledger_add(&l, line);
 *     if (ledger_sort(&l, "tokens"))
 *         … l.hooks[0 .. l.count-1] …
 *     ledger_release(&l);
 */
#pragma once

#include "base/map.h"
#include "json/json.h"

#include <stdlib.h>

struct ledger_line {
    const char *hook;
    uint64_t runs, failed;
    uint64_t held;   /* times it was held back, whatever the reason */
    uint64_t us;     /* all runs together */
    uint64_t tokens; /* injected */
    uint64_t
        saved; /* tokens a cadence kept out: an estimate, by what the hook injects on average */
    uint64_t blocks; /* refusals and stops */
    uint64_t breaks; /* requests that lost the provider's prompt cache because of it */
};

struct ledger {
    struct arena arena;
    struct map by_name, by_point;
    struct ledger_line **hooks;
    size_t count, room;
};

/* A line that is no receipt is passed over. */
void ledger_add(struct ledger *l, const char *receipt);

/* By "time", "runs", "tokens", "saved", "blocks", "breaks" (largest first) or "name"; false: none
 * of these. Once, after the last receipt. */
bool ledger_sort(struct ledger *l, const char *by);

void ledger_release(struct ledger *l);

static inline void ledger_cleanup(struct ledger *l)
{
    ledger_release(l);
}
