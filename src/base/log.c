#include "base/log.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>

#define LINE_MAX_BYTES 1024
#define SAID_MAX       1024 /* lines remembered; texts of hooks are among them */

void log_init(struct log *l, enum log_level level, log_fn *write, void *context)
{
    *l = (struct log){ .level = level, .write = write, .context = context };
    pthread_mutex_init(&l->lock, NULL);
}

static void forget_said(struct log *l)
{
    for (size_t i = 0; i < l->said.size; i++)
        free(l->said.slots[i].value);
    map_release(&l->said);
}

void log_release(struct log *l)
{
    forget_said(l);
    pthread_mutex_destroy(&l->lock);
}

PRINTF_LIKE(3, 0)
static void pass_on(struct log *l, enum log_level level, const char *fmt, va_list ap)
{
    char line[LINE_MAX_BYTES];

    if (!l || !l->write || level > l->level)
        return;
    vsnprintf(line, sizeof(line), fmt, ap);
    l->write(l->context, level, line);
}

void log_warn(struct log *l, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    pass_on(l, LOG_WARN, fmt, ap);
    va_end(ap);
}

void log_info(struct log *l, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    pass_on(l, LOG_INFO, fmt, ap);
    va_end(ap);
}

void log_debug(struct log *l, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    pass_on(l, LOG_DEBUG, fmt, ap);
    va_end(ap);
}

static bool first_time(struct log *l, const char *line)
{
    bool first;

    pthread_mutex_lock(&l->lock);
    if (l->said.count >= SAID_MAX)
        forget_said(l);
    first = !map_get(&l->said, str_of(line));
    if (first) {
        char *copy = xstrdup(line);

        map_put(&l->said, str_of(copy), copy);
    }
    pthread_mutex_unlock(&l->lock);
    return first;
}

void log_warn_once(struct log *l, const char *fmt, ...)
{
    char line[LINE_MAX_BYTES];
    va_list ap;

    if (!l || !l->write)
        return;
    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    if (first_time(l, line))
        l->write(l->context, LOG_WARN, line);
}
