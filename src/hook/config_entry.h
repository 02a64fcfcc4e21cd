/*
 * config_entry.h - one entry of `hooks` while it is read. Internal to hook/config*.c.
 */
#pragma once

#include "hook/config.h"

struct entry_reading {
    struct arena *arena;
    struct problems *problems;
    struct hook_entry *entry;
    bool builtin;                  /* named like a built-in */
    const char *bad;               /* the first problem that makes it useless; NULL: none */
    unsigned runners;              /* keys that say what runs, rules counted once */
    bool rule, decides;            /* has a verdict; has block, ask or allow */
    const char *decision;          /* which of them */
    const struct setting *cadence; /* read last, when the rest is known */
};

/* A problem that makes the entry useless. */
void config_entry_refuse(struct entry_reading *r, const struct origin *where, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* Read one key of the entry. */
void config_entry_key(struct entry_reading *r, const struct setting *s);

/* Whether one key could be read, in an entry that is not kept; else a problem. */
bool config_entry_check(struct arena *a, struct problems *problems, const struct setting *s);
