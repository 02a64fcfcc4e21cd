/*
 * watch.h - wait until something changes in a folder, or until the user has had enough.
 *
 *     CLEANUP(watch) struct watch w = watch_open(dir);
 *     do
 *         look();
 *     while (watch_wait(&w));
 */
#pragma once

#include "base/macros.h"

#include <stdbool.h>

struct watch {
    int signals, folder;
};

/* From here on SIGINT and SIGTERM end the waiting instead of the program. */
struct watch watch_open(const char *dir);

/* True when it is time to look again; false after a signal, or when the reader of standard output
 * has gone. */
bool watch_wait(const struct watch *w);

void watch_close(struct watch *w);

static inline void watch_cleanup(struct watch *w)
{
    watch_close(w);
}
