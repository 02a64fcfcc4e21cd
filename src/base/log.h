/*
 * log.h - what the library wants a person to know, handed to whoever prints.
 *
 * The library never prints. It is given a `struct log` by its user; src/cli's writes to stderr or
 * HOOKE_LOG_FILE. A warning with a cause is said once per cause, not once per call. Safe from
 * several threads, and so must `write` be. A NULL log swallows everything.
 */
#pragma once

#include "base/macros.h"
#include "base/map.h"

#include <pthread.h>

enum log_level { LOG_WARN, LOG_INFO, LOG_DEBUG };

typedef void log_fn(void *context, enum log_level level, const char *line);

struct log {
    enum log_level level; /* the most talkative level that is passed on */
    log_fn *write;
    void *context;
    pthread_mutex_t lock;
    struct map said; /* lines that were said once */
};

void log_init(struct log *l, enum log_level level, log_fn *write, void *context);
void log_release(struct log *l);

void log_warn(struct log *l, const char *fmt, ...) PRINTF_LIKE(2, 3);
void log_info(struct log *l, const char *fmt, ...) PRINTF_LIKE(2, 3);
void log_debug(struct log *l, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* A warning whose very text is its cause: the same line is passed on once. */
void log_warn_once(struct log *l, const char *fmt, ...) PRINTF_LIKE(2, 3);
