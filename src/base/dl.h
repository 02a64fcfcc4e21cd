/*
 * dl.h - libraries that are loaded by the first call that needs them, so that a process which never
 * does pays nothing for them at its start.
 *
 *     static const struct dl_symbol symbols[] = {
 *         { "curl_easy_init", offsetof(struct curl, easy_init) },
 *     };
 *     r = dl_load("libcurl.so.4", symbols, ARRAY_LEN(symbols), &curl, e);
 */
#pragma once

#include "base/err.h"

#include <stddef.h>

/* A function of the library, and the member of the caller's table it goes to. */
struct dl_symbol {
    const char *name;
    size_t offset;
};

/* Fills `table`. The library stays loaded: what it started may still run. -ENOENT: not there. */
MUST_CHECK int dl_load(const char *library, const struct dl_symbol *symbols, size_t count,
                       void *table, struct err *e);
