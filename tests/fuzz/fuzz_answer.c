/*
 * Hooks of other systems may write anything and end in any way: every dialect reads any answer at
 * every point it speaks at, and what it makes of it is a verdict that can be written and read.
 *
 * The first byte of the input chooses the point, the second the exit code.
 */
#include "dialect/dialect.h"
#include "dialect/gemini_payload.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char event_text[] =
    "{\"tool\":\"edit\",\"call_id\":\"c1\",\"args\":{\"path\":\"a\"},\"output\":\"b\",\"success\":"
    "true,\"metadata\":{\"exit_code\":1},\"messages\":[{\"role\":\"user\",\"content\":\"c\"},"
    "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"d\"},{\"type\":"
    "\"tool_call\"}]}]}";

static void decode(const struct dialect *d, const struct event *ev, const struct proc_result *run)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf warnings = { 0 }, none = { 0 };
    struct verdict v = { 0 }, again = { 0 };
    const struct dialect_answer to = { &v, &warnings };

    if (d->speaks && !d->speaks(ev->point))
        return;
    if (d->decode(&a, &(struct dialect_event){ .event = ev }, run, &to, NULL) < 0)
        return;
    v.modify = NULL; /* never written */
    if (verdict_from_json(&a, verdict_to_json(&a, &v), &again, &none, NULL) < 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = { "native", "kodelet", "acai", "gemini" };
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(proc_result) struct proc_result run = { .end = PROC_EXITED };
    struct event ev = { .session = { .id = "s" } };
    const struct json *said;

    if (size < 2 || json_parse(&a, str_of(event_text), NULL, &ev.data, NULL) < 0)
        return 0;
    ev.point = (enum point)(data[0] % POINT_COUNT);
    run.exit_code = data[1] & 3;
    strbuf_add(&run.out.text, data + 2, size - 2);
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        decode(dialect_find(str_of(names[i])), &ev, &run);
    if (json_parse(&a, strbuf_str(&run.out.text), NULL, &said, NULL) == 0)
        gemini_messages_back(&a, gemini_messages(&a, said), said);
    return 0;
}
