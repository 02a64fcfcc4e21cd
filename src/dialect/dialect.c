#include "dialect/dialect.h"

#include <errno.h>

#define DIALECT(symbol) extern const struct dialect symbol##_dialect;
#include "dialect/dialect.def"
#undef DIALECT

static const struct dialect *const dialects[] = {
#define DIALECT(symbol) &symbol##_dialect,
#include "dialect/dialect.def"
#undef DIALECT
};

const struct dialect *dialect_find(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(dialects); i++)
        if (str_is(name, dialects[i]->name))
            return dialects[i];
    return NULL;
}

int dialect_fail_exit(const struct proc_result *run, struct err *e)
{
    struct str rest = strbuf_str(&run->err.text), line = { 0 };

    while (line.len == 0 && str_cut(&rest, '\n', &line))
        line = str_trim(line);
    if (line.len == 0)
        return err_set(e, -EIO, "exited with code %d", run->exit_code);
    return err_set(e, -EIO, "exited with code %d: %.*s", run->exit_code,
                   (int)(line.len > 200 ? 200 : line.len), line.ptr);
}
