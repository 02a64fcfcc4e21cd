#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *e, int code, const char *fmt, ...)
{
    va_list ap;

    if (!e)
        return code;
    e->code = code;
    va_start(ap, fmt);
    vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
    va_end(ap);
    return code;
}

int err_errno(struct err *e, const char *fmt, ...)
{
    char context[ERR_MSG_MAX / 2];
    char text[128];
    int code = -errno;
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(context, sizeof(context), fmt, ap);
    va_end(ap);
    return err_set(e, code, "%s: %s", context, strerror_r(-code, text, sizeof(text)));
}

int err_wrap(struct err *e, int code, const char *fmt, ...)
{
    char inner[ERR_MSG_MAX];
    size_t used;
    va_list ap;

    if (!e)
        return code;
    memcpy(inner, e->msg, sizeof(inner));
    va_start(ap, fmt);
    vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
    va_end(ap);
    used = strlen(e->msg);
    if (inner[0])
        snprintf(e->msg + used, sizeof(e->msg) - used, ": %.*s", (int)(sizeof(inner) - 1), inner);
    if (!e->code)
        e->code = code;
    return code;
}
