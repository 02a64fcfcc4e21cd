#include "base/vars.h"

#include <stdlib.h>

/*
 * The environment is the process's by nature and read at the bottom of everything; what stands in
 * for it can be no parameter.
 */
/* Without the model, code for libraries finds them by a call into the dynamic linker. */
#define THREAD_OWN _Thread_local __attribute__((tls_model("initial-exec")))

static THREAD_OWN char *const *in_use;
static THREAD_OWN int mask_plus_one; /* so that all-zero means not known */

const char *vars_get(const char *name)
{
    size_t len = strlen(name);

    if (!in_use)
        return getenv(name);
    for (char *const *v = in_use; *v; v++)
        if (strncmp(*v, name, len) == 0 && (*v)[len] == '=')
            return *v + len + 1;
    return NULL;
}

char *const *vars_all(void)
{
    return in_use ? in_use : environ;
}

char *const *vars_use(char *const *vars)
{
    char *const *before = in_use;

    in_use = vars;
    return before;
}

char *const *vars_mine(void)
{
    return in_use;
}

int vars_mask(void)
{
    return mask_plus_one - 1;
}

void vars_use_mask(int mask)
{
    mask_plus_one = mask + 1;
}

char *const *vars_copy(struct arena *a, char *const *vars)
{
    size_t count = 0;
    char **copy;

    if (!vars)
        return NULL;
    while (vars[count])
        count++;
    copy = arena_array(a, char *, count + 1);
    for (size_t i = 0; i < count; i++)
        copy[i] = arena_strdup(a, vars[i]);
    return copy;
}
