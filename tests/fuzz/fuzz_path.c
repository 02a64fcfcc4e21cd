/* Normalizing is idempotent, leaves no "." or "..", and what it leaves is inside the root. */
#include "base/path.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_components(const char *normal)
{
    struct str rest = str_of(normal), part;
    bool below = normal[0] == '/';

    while (str_cut(&rest, '/', &part)) {
        bool up = str_is(part, "..");

        require(!up || !below);
        require(!str_is(part, ".") || strcmp(normal, ".") == 0);
        below = below || !up;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(arena) struct arena a = { 0 };
    const char *path = arena_cstr(&a, (struct str){ size ? (const char *)data : "", size });
    const char *normal = path_normalize(&a, path);
    bool absolute = path[0] == '/';

    require(strlen(normal) <= strlen(path) + 1);
    require(absolute == (normal[0] == '/'));
    require(strcmp(path_normalize(&a, normal), normal) == 0);
    check_components(normal);
    require(path_within(normal, path));
    require(!absolute || path_within("/", path));
    if (!absolute && !strstr(path, ".."))
        require(path_within("/a", path_join(&a, "/a", path)));
    return 0;
}
