/*
 * native - our own JSON, and for authors of shell scripts the simplest contract of all.
 *
 * stdin: the event (docs/points.md); observers also get what the chain decided, as "verdict".
 *
 *   exit 0, stdout empty            no opinion
 *   exit 0, stdout a JSON object    the verdict
 *   exit 0, stdout any other text   context to inject, where the point takes some; else a line for
 *                                   the person at the terminal
 *   exit 2                          block, stderr is the reason
 *   any other exit, or a signal     a failed run: `on_failure` decides
 *
 * Tests: tests/unit/dialect/test_native.c
 */
#include "dialect/dialect.h"

#include <errno.h>

#define REASON_MAX 2000

static const struct json *encode(struct arena *a, const struct dialect_event *ev)
{
    const struct json *j = event_to_json(a, ev->event);

    if (!ev->final)
        return j;
    return json_with(a, j, STR("verdict"), verdict_to_json(a, ev->final));
}

static int decode_json(struct arena *a, struct str out, const struct dialect_answer *answer,
                       struct err *e)
{
    const struct json *j;
    int r = json_parse(a, out, NULL, &j, e);

    if (r == 0)
        r = verdict_from_json(a, j, answer->v, answer->warnings, e);
    return r < 0 ? err_wrap(e, r, "gave a bad answer") : 0;
}

static void decode_text(struct arena *a, const struct event *ev, struct str out, struct verdict *v)
{
    char *text = arena_cstr(a, out);

    if (point_info(ev->point)->powers & POWER_INJECT)
        verdict_inject(a, v, "stdout", text);
    else
        v->say = text;
}

static void decode_block(struct arena *a, struct str err, struct verdict *v)
{
    if (err.len > REASON_MAX)
        err.len = REASON_MAX;
    verdict_block(v, err.len ? arena_cstr(a, err) : "blocked without a reason");
}

static int decode(struct arena *a, const struct dialect_event *ev, const struct proc_result *run,
                  const struct dialect_answer *answer, struct err *e)
{
    struct str out;
    int r;

    if (run->exit_code == 2) {
        decode_block(a, str_trim(strbuf_str(&run->err.text)), answer->v);
        return 0;
    }
    r = dialect_output(a, run, &out, e);
    if (r < 0 || out.len == 0)
        return r;
    if (out.ptr[0] == '{')
        return decode_json(a, out, answer, e);
    decode_text(a, ev->event, out, answer->v);
    return 0;
}

const struct dialect native_dialect = {
    .name = "native",
    .timeout_ms = 30000,
    .encode = encode,
    .decode = decode,
};
