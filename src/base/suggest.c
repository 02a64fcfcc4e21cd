#include "base/suggest.h"

const char *suggest(struct arena *a, const char *nearest, const char *otherwise)
{
    return nearest ? arena_printf(a, ", did you mean '%s'?", nearest) : otherwise;
}
