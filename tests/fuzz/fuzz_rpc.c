/*
 * Resident programs may write anything: every line is read as a message or as junk, and what is
 * answered to a request is a message again, on one line.
 */
#include "runner/rpc.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_answer(struct arena *a, const struct rpc_message *m)
{
    CLEANUP(strbuf) struct strbuf line = { 0 };
    struct rpc_message again;

    rpc_answer(&line, m->id, m->params);
    if (line.buf[line.len - 1] != '\n' || memchr(line.buf, '\n', line.len - 1))
        abort();
    rpc_read(a, strbuf_str(&line), &again);
    if (again.kind != RPC_RESULT)
        abort();
    strbuf_reset(&line);
    rpc_refuse(&line, m->id, RPC_NO_METHOD, m->method);
    rpc_read(a, strbuf_str(&line), &again);
    if (again.kind != RPC_ERROR || again.code != RPC_NO_METHOD)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct str line = { (const char *)data, size };
    struct rpc_message m;

    rpc_read(&a, line, &m);
    if (m.kind == RPC_JUNK ? !m.why : m.kind == RPC_REQUEST ? !m.id || !m.method : false)
        abort();
    if (m.kind == RPC_REQUEST)
        check_answer(&a, &m);
    if (rpc_find_id(line) < -1)
        abort();
    return 0;
}
