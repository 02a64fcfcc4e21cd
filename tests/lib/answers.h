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

/* How one run ended. The arena outlives it. */
struct answer_end {
    int r;
    struct verdict v;
    const char *says; /* the failure or the warnings */
};

static inline struct answer_end answers_decode(struct arena *a, const char *dialect,
                                               const struct answer_row *row)
{
    CLEANUP(proc_result)
    struct proc_result run = { .end = PROC_EXITED, .exit_code = row->exit_code };
    CLEANUP(strbuf) struct strbuf warnings = { 0 };
    struct event ev = answers_event(a, row->event, ANSWERS_DATA);
    struct answer_end end = { 0 };
    const struct dialect_event seen = { .event = &ev, .as = row->event };
    const struct dialect_answer answer = { &end.v, &warnings };
    struct err e = { 0 };

    strbuf_addstr(&run.out.text, row->out);
    strbuf_addstr(&run.err.text, row->err);
    end.r = dialect_find(str_of(dialect))->decode(a, &seen, &run, &answer, &e);
    end.says = arena_strdup(a, end.r < 0 ? e.msg : strbuf_cstr(&warnings));
    return end;
}

static inline void answers_check(const char *dialect, const struct answer_row *rows, size_t count)
{
    for (const struct answer_row *row = rows; row < rows + count; row++) {
        CLEANUP(arena) struct arena a = { 0 };
        struct answer_end end = answers_decode(&a, dialect, row);
        const char *got = json_text(&a, verdict_to_json(&a, &end.v));

        if ((end.r == 0) != (row->verdict != NULL))
            fail_msg("%s: %s", row->row, end.r < 0 ? end.says : got);
        if (end.r == 0 && row->verdict && strcmp(got, row->verdict) != 0)
            fail_msg("%s: gives %s, not %s", row->row, got, row->verdict);
        if (end.r < 0 && !verdict_is_empty(&end.v))
            fail_msg("%s: failed and gives %s", row->row, got);
        if (row->says ? !strstr(end.says, row->says) : end.r == 0 && end.says[0])
            fail_msg("%s: '%s' is not in '%s'", row->row, row->says ? row->says : "nothing",
                     end.says);
    }
}

/* An end in one word. */
static inline const char *answers_word(const struct answer_end *end)
{
    if (end->r < 0)
        return "failed";
    if (end->v.decision == DECISION_BLOCK)
        return "block";
    if (end->v.stop)
        return "stop";
    if (end->v.result == VERDICT_CONTINUE)
        return "go-on";
    if (end->v.injections)
        return "context";
    if (end->v.say)
        return "say";
    return end->says[0] ? "warning" : "nothing";
}

/* What the same five ends are at one event, a word each. */
struct answer_effects {
    const char *event;
    const char *exit_2, *block, *stop, *text, *context;
};

static inline void answers_check_word(const char *dialect, const char *event, const char *wanted,
                                      const struct answer_row *row)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct answer_end end = answers_decode(&a, dialect, row);

    if (strcmp(answers_word(&end), wanted) != 0)
        fail_msg("%s at %s is %s: %s", row->row, event, answers_word(&end), end.says);
}

static inline void answers_check_effects(const char *dialect, const struct answer_effects *rows,
                                         size_t count)
{
    for (const struct answer_effects *at = rows; at < rows + count; at++) {
        CLEANUP(arena) struct arena a = { 0 };
        const char *ev = at->event;
        const char *context = arena_printf(&a,
                                           "{\"hookSpecificOutput\":{\"hookEventName\":\"%s\","
                                           "\"additionalContext\":\"x\"}}",
                                           ev);

        answers_check_word(dialect, ev, at->exit_2,
                           &(struct answer_row){ "exit 2", ev, 2, "", "why", NULL, NULL });
        answers_check_word(dialect, ev, at->block,
                           &(struct answer_row){ "block", ev, 0,
                                                 "{\"decision\":\"block\",\"reason\":\"why\"}", "",
                                                 NULL, NULL });
        answers_check_word(dialect, ev, at->stop,
                           &(struct answer_row){ "continue: false", ev, 0,
                                                 "{\"continue\":false,\"stopReason\":\"why\"}", "",
                                                 NULL, NULL });
        answers_check_word(dialect, ev, at->text,
                           &(struct answer_row){ "text", ev, 0, "words", "", NULL, NULL });
        answers_check_word(dialect, ev, at->context,
                           &(struct answer_row){ "context", ev, 0, context, "", NULL, NULL });
    }
}
