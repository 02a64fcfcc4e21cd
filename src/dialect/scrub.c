#include "dialect/scrub.h"

#include "base/vars.h"

const char **scrub_environment(struct arena *a, bool (*drops)(const char *name), size_t room,
                               size_t *count)
{
    char *const *vars = vars_all();
    size_t all = 0;
    const char **names;

    while (vars && vars[all])
        all++;
    names = arena_array(a, const char *, all + room + 1);
    *count = 0;
    for (size_t i = 0; i < all; i++) {
        struct str name = { vars[i], strcspn(vars[i], "=") };
        const char *kept = arena_cstr(a, name);

        if (name.len && drops(kept))
            names[(*count)++] = kept;
    }
    return names;
}
