/*
 * ulid.h - identifiers that sort by time: 48 bits of milliseconds and 80 of randomness, as 26
 * characters of Crockford's base 32.
 *
 * A source asks the kernel for random bits once and counts on from them: two sources collide only
 * if 80 random bits do, and no event pays for a system call. Safe from several threads.
 */
#pragma once

#include "base/arena.h"

#include <stdatomic.h>
#include <stdint.h>

#define ULID_SIZE 27 /* with the terminator */

struct ulid_source {
    uint16_t high;
    _Atomic uint64_t low;
};

void ulid_init(struct ulid_source *s);
void ulid_next(struct ulid_source *s, int64_t wall_ms, char text[ULID_SIZE]);

/* A single one of this moment, for who makes few. */
char *ulid_new(struct arena *a);
