#include "dialect/scrub.h"

const char **scrub_environment(struct arena *a, bool (*drops)(const char *name), size_t room,
                               size_t *count)
{
    size_t all = 0;
    const char **names;

    while (environ && environ[all])
        all++;
    names = arena_array(a, const char *, all + room + 1);
    *count = 0;
    for (size_t i = 0; i < all; i++) {
        struct str name = { environ[i], strcspn(environ[i], "=") };
        const char *kept = arena_cstr(a, name);

        if (name.len && drops(kept))
            names[(*count)++] = kept;
    }
    return names;
}
