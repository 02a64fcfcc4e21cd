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

/* The kind of a value is not among `kinds` (a bit each). */
void config_entry_refuse_kind(struct entry_reading *r, const struct setting *s, unsigned kinds);

/* What an entry and a handler of its have in common: words to run, variables, a time, a meaning. */
void config_entry_argv(struct entry_reading *r, const struct setting *s);
void config_entry_env(struct entry_reading *r, const struct setting *s);
void config_entry_timeout(struct entry_reading *r, const struct setting *s, uint32_t *out);
void config_entry_on_failure(struct entry_reading *r, const struct setting *s, enum failure *out);

/* The entry's handlers: the one of its `exec`, or those of its `group`. */
void config_entry_command(struct entry_reading *r, const struct setting *exec);
void config_entry_group(struct entry_reading *r, const struct setting *group);

/* Whether it is a key that only handlers have. */
bool config_is_handler_key(struct str key);

/* Read one key of the entry. */
void config_entry_key(struct entry_reading *r, const struct setting *s);

/* Whether one key could be read, in an entry that is not kept; else a problem. */
bool config_entry_check(struct arena *a, struct problems *problems, const struct setting *s);
