/*
 * mem.h - allocators that never return NULL. Every input is capped, so running out of memory is
 * not something a caller could mend: the process says so and aborts.
 */
#pragma once

#include <stddef.h>

/* Say so and abort. */
void mem_exhausted(void) __attribute__((noreturn));

void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *p, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *s) __attribute__((malloc, returns_nonnull));
