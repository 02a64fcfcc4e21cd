/*
 * macros.h - compiler attributes and scope-exit cleanup; nothing else lives here.
 *
 * CLEANUP(x) calls x_cleanup(&variable) when the variable leaves scope. A type that wants it
 * defines one static inline function of that name beside its release function. take_ptr() and
 * take_fd() hand the resource to somebody else and disarm the cleanup.
 */
#pragma once

#include <stdlib.h>
#include <unistd.h>

#define MUST_CHECK        __attribute__((warn_unused_result))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#define UNUSED            __attribute__((unused))
#define CLEANUP(type)     __attribute__((cleanup(type##_cleanup)))

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

static inline void mem_cleanup(void *p)
{
    free(*(void **)p);
}

static inline void fd_cleanup(const int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

static inline int take_fd(int *fd)
{
    int taken = *fd;

    *fd = -1;
    return taken;
}

#define take_ptr(p)               \
    ({                            \
        __typeof__(p) taken_ = p; \
        (p) = NULL;               \
        taken_;                   \
    })
