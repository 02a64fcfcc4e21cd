/*
 * What hooks print is anything at all. Every dialect takes any exit code, output and standard error
 * at every point it speaks at: it gives a verdict that can be written, or fails with words, and
 * then has said nothing.
 *
 * Input: exit code, point and session in three bytes, then output, a NUL, standard error.
 */
#include "dialect/dialect.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = { "native", "kodelet", "claude", "codex", "acai", "gemini" };

static const struct json *event_of(struct arena *a)
{
    const struct json *j;
    struct str text =
        STR("{\"tool\":\"edit\",\"call_id\":\"c\",\"args\":{\"path\":\"a\",\"old_string\":\"x\"},"
            "\"output\":\"o\",\"message\":{\"text\":\"hi\"},\"messages\":[],\"continuations\":1}");

    if (json_parse(a, text, NULL, &j, NULL) < 0)
        abort();
    return j;
}

static void decode(const struct dialect *d, const struct event *ev, const struct proc_result *run)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    CLEANUP(strbuf) struct strbuf none = { 0 };
    const struct dialect_event seen = { .event = ev };
    struct verdict v = { 0 }, again = { 0 };
    const struct dialect_answer answer = { &v, &warnings };
    struct err e = { 0 };
    int r = d->decode(&a, &seen, run, &answer, &e);

    if (r > 0 || (r < 0) != (e.msg[0] != '\0'))
        abort();
    v.modify = NULL; /* never written */
    if (r == 0 &&
        (verdict_from_json(&a, verdict_to_json(&a, &v), &again, &none, NULL) < 0 || none.len))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(proc_result) struct proc_result run = { .end = PROC_EXITED };
    struct event ev = { .session = { .id = "s/a", .cwd = "/w" } };
    struct str err, out;

    if (size < 4 || size > 65536)
        return 0;
    err = (struct str){ (const char *)data + 3, size - 3 };
    if (!str_cut(&err, '\0', &out))
        return 0;
    run.exit_code = data[0];
    ev.point = data[1] % POINT_COUNT;
    ev.session.parent = data[2] & 1 ? "s" : NULL;
    ev.data = event_of(&a);
    if (data[2] & 2)
        ev.data = json_with(&a, ev.data, STR("success"), json_bool(&a, false));
    strbuf_add(&run.out.text, out.ptr, out.len);
    strbuf_add(&run.err.text, err.ptr, err.len);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const struct dialect *d = dialect_find(str_of(names[i]));

        if (d && (!d->speaks || d->speaks(ev.point)))
            decode(d, &ev, &run);
    }
    return 0;
}
