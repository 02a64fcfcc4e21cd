#include "builtin/builtin.h"

#define HOOK(symbol) extern const struct hook_def symbol##_hook;
#include "builtin/builtin.def"
#undef HOOK

const struct hook_def *const builtin_hooks[] = {
#define HOOK(symbol) &symbol##_hook,
#include "builtin/builtin.def"
#undef HOOK
    NULL,
};
