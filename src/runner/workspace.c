#include "runner/workspace.h"

#include <errno.h>

/* A pinned configuration does not pin the files it names: their bytes could be anything. */
int workspace_refuse(const struct hook_entry *entry, const char *what, struct err *e)
{
    if (entry->origin.source != SOURCE_WORKSPACE)
        return 0;
    return err_set(e, -EPERM,
                   "%s of a workspace can't be trusted yet, name it in your own configuration",
                   what);
}
