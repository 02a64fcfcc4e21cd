/*
 * clock.h - time: a monotonic clock for durations and deadlines, the wall clock for people.
 */
#pragma once

#include <pthread.h>
#include <stdint.h>

#define CLOCK_TEXT_SIZE sizeof("2026-01-31T23:59:59.999Z")

/* Nanoseconds since some fixed moment; never goes back. */
uint64_t clock_mono_ns(void);

/* A condition that can be waited for until a moment of the monotonic clock; wakes up spuriously. */
void clock_cond_init(pthread_cond_t *cond);
void clock_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t until_ns);

/* Milliseconds since 1970, UTC. */
int64_t clock_wall_ms(void);

/* RFC 3339 in UTC with milliseconds. The first ten characters are the date. */
void clock_format(int64_t wall_ms, char text[CLOCK_TEXT_SIZE]);
