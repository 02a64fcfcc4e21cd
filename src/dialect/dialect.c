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

uint32_t dialect_timeout(const struct dialect *d, const struct subscription *on, size_t count)
{
    uint32_t longest = 0;

    for (size_t i = 0; d->timeout_at && i < count; i++)
        if (d->timeout_at(on[i].point) > longest)
            longest = d->timeout_at(on[i].point);
    return longest ? longest : d->timeout_ms;
}

static int fail_exit(const struct proc_result *run, struct err *e)
{
    struct str rest = strbuf_str(&run->err.text), line = { 0 };

    while (line.len == 0 && str_cut(&rest, '\n', &line))
        line = str_trim(line);
    if (line.len == 0)
        return err_set(e, -EIO, "exited with code %d", run->exit_code);
    return err_set(e, -EIO, "exited with code %d: %.*s", run->exit_code,
                   (int)(line.len > 200 ? 200 : line.len), line.ptr);
}

int dialect_output(struct arena *a, const struct proc_result *run, struct str *out, struct err *e)
{
    struct str text = str_trim(strbuf_str(&run->out.text));

    if (run->exit_code != 0)
        return fail_exit(run, e);
    if (run->out.text.truncated)
        return err_set(e, -EMSGSIZE, "wrote more than %zu bytes", run->out.text.len);
    *out = (struct str){ arena_cstr(a, text), text.len };
    return 0;
}
