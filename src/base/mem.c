#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void mem_exhausted(void)
{
    static const char message[] = "hooke: out of memory\n";

    (void)!write(STDERR_FILENO, message, sizeof(message) - 1); /* nothing left to do if it fails */
    abort();
}

static void *checked(void *p)
{
    if (!p)
        mem_exhausted();
    return p;
}

void *xmalloc(size_t size)
{
    return checked(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
    return checked(calloc(count ? count : 1, size ? size : 1));
}

void *xrealloc(void *p, size_t size)
{
    return checked(realloc(p, size ? size : 1));
}

char *xstrdup(const char *s)
{
    return checked(strdup(s));
}
