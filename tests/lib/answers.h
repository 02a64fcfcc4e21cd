/*
 * answers.h - a table of ends of a hook's run, and what a dialect makes of each.
 *
 *     { "exit 2 blocks", "PreToolUse", 2, "", "no", "{\"decision\":\"block\",…}", NULL },
 *     answers_check("claude", rows, ARRAY_LEN(rows));
 */
#pragma once

#include "dialect/dialect.h"
#include "value.h"

struct answer_row {
    const char *row;   /* what it is an example of */
    const char *event; /* foreign name */
    int exit_code;
    const char *out, *err;
    const char *verdict; /* in our JSON; NULL: a failed run */
    const char *says;    /* in the failure or the warnings; NULL: no warning */
};

/* An event of that foreign name. */
static inline struct event answers_event(struct arena *a, const char *name, const char *data)
{
    struct event ev = { .session = { .id = "s1/a1", .cwd = "/repo" } };
    struct subscription on;

    assert_true(point_resolve(str_of(name), &on));
    ev.data = value_of(a, data);
    assert_true(event_fit(a, &ev, &on, "s1"));
    if (!ev.session.parent)
        ev.session.id = "s1";
    return ev;
}

#define ANSWERS_DATA                                                                          \
    "{\"tool\":\"edit\",\"call_id\":\"c1\",\"args\":{\"path\":\"a.c\",\"old_string\":\"x\"}," \
    "\"output\":\"secret\",\"reason\":\"clear\"}"

static inline void answers_check_one(const struct dialect *d, const struct answer_row *row)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(proc_result)
    struct proc_result run = { .end = PROC_EXITED, .exit_code = row->exit_code };
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct event ev = answers_event(&a, row->event, ANSWERS_DATA);
    struct verdict v = { 0 };
    const struct dialect_event seen = { .event = &ev, .as = row->event };
    const struct dialect_answer answer = { &v, &warnings };
    struct err e = { 0 };
    const char *said, *got;
    int r;

    strbuf_addstr(&run.out.text, row->out);
    strbuf_addstr(&run.err.text, row->err);
    r = d->decode(&a, &seen, &run, &answer, &e);
    said = r < 0 ? e.msg : strbuf_cstr(&warnings);
    got = json_text(&a, verdict_to_json(&a, &v));
    if ((r == 0) != (row->verdict != NULL))
        fail_msg("%s: %s", row->row, r < 0 ? e.msg : got);
    if (r == 0 && strcmp(got, row->verdict) != 0)
        fail_msg("%s: gives %s, not %s", row->row, got, row->verdict);
    if (r < 0 && !verdict_is_empty(&v))
        fail_msg("%s: failed and gives %s", row->row, got);
    if (row->says ? !strstr(said, row->says) : warnings.len > 0)
        fail_msg("%s: '%s' is not in '%s'", row->row, row->says ? row->says : "nothing", said);
}

static inline void answers_check(const char *dialect, const struct answer_row *rows, size_t count)
{
    const struct dialect *d = dialect_find(str_of(dialect));

    assert_non_null(d);
    for (size_t i = 0; i < count; i++)
        answers_check_one(d, &rows[i]);
}
