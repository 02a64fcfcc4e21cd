/*
 * Whatever a model writes as a command comes to a judgement in bounded time, and every run that was
 * found has words: nothing that only half of the guard has read is let through or refused.
 */
#include "builtin/command_guard.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct str text = { arena_cstr(&a, (struct str){ size ? (const char *)data : "", size }),
                        size };
    struct guard_runs runs = { .arena = &a, .place = { "/w/sub", "/w", "/home/u" } };
    size_t fits = 0;

    if (size > 4096)
        return 0;
    guard_runs_read(&runs, text);
    for (const struct guard_run *r = runs.first; r; r = r->next) {
        if (!r->program || (r->count && !r->args))
            abort();
        for (const struct guard_rule *rule = guard_rules; rule->name; rule++)
            fits += guard_rule_fits(&runs, rule, r);
    }
    return fits > SIZE_MAX / 2;
}
