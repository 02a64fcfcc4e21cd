/*
 * prefix_check.h - which hooks of this configuration break the provider's prompt cache.
 *
 *     struct prefix_check c = { .cli = cli, .scope = &scope };
 *     if (!prefix_check(&c, &rc))
 *         return rc;
 *     … c.faults[0].hook changes c.faults[0].broken.where …
 *
 * Hooks run, on a conversation that is made up, with a store of their own that is gone afterwards
 * and without receipts. First all together; if that breaks, each that had something to say alone.
 */
#pragma once

#include "cli/cli.h"
#include "embed/verify.h"

struct prefix_fault {
    const char *hook; /* NULL: none alone, but all together */
    struct verify_break broken;
};

struct prefix_check {
    struct cli *cli;
    const struct scope *scope;
    struct prefix_fault *faults; /* out, in the order the hooks run */
    size_t count, room;
    unsigned requests; /* out: how many were looked at, with all hooks */
};

/* False: said why, `*rc` is the exit code. */
MUST_CHECK bool prefix_check(struct prefix_check *c, int *rc);
