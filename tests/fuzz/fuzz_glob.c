/* A pattern and a path, separated by a NUL: any pair comes to an answer in bounded time. */
#include "base/glob.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str path = { (const char *)data, size }, pattern;
    int r;

    if (size > 2048 || !str_cut(&path, '\0', &pattern))
        return 0;
    r = glob_match(pattern, str_is_set(path) ? path : STR(""));
    if (r != 0 && r != 1 && r != -EOVERFLOW)
        abort();
    return 0;
}
