#include "base/dl.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

int dl_load(const char *library, const struct dl_symbol *symbols, size_t count, void *table,
            struct err *e)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

    if (!handle)
        return err_set(e, -ENOENT, "'%s' could not be loaded: install it (%s)", library, dlerror());
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(handle, symbols[i].name);

        if (!address)
            return err_set(e, -ENOENT, "'%s' has no '%s': install a newer one", library,
                           symbols[i].name);
        /* Function pointers are filled as bytes: C has no cast from void * to them. */
        memcpy((char *)table + symbols[i].offset, &address, sizeof(address));
    }
    return 0;
}
