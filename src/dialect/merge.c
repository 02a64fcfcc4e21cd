/*
 * merge.c - what the answers of handlers that ran side by side add up to, for dialects that have no
 * rules of their own: the strictest decision with the first reason for it, everything that was
 * injected and said, and of two changes of one field the later one.
 */
#include "dialect/dialect.h"

struct merging {
    struct arena *arena;
    struct verdict *v;
    struct strbuf *warnings;
};

static void merge_decision(struct merging *m, const struct verdict *answer)
{
    struct verdict *v = m->v;

    if (answer->decision > v->decision) {
        v->decision = answer->decision;
        v->reason = answer->reason;
    }
    if (!v->stop)
        v->stop = answer->stop;
    if (answer->say)
        v->say = v->say ? arena_printf(m->arena, "%s\n%s", v->say, answer->say) : answer->say;
}

/* Every handler saw the event as it was, so that two changes of a field do not build on each other.
 */
static void drop_change(struct merging *m, struct str field)
{
    struct verdict *v = m->v;

    if (!json_get(v->replace, field) && !json_get(v->modify, field))
        return;
    strbuf_printf(m->warnings, "two handlers change '%.*s', the later one counts\n",
                  STR_ARG(field));
    if (v->replace)
        v->replace = json_with(m->arena, v->replace, field, NULL);
    if (v->modify)
        v->modify = json_with(m->arena, v->modify, field, NULL);
}

static void merge_fields(struct merging *m, const struct json *fields, const struct json **into)
{
    for (const struct json *f = json_first(fields); f; f = json_next(f))
        *into =
            json_with(m->arena, *into ? *into : json_object(m->arena), json_key(m->arena, f), f);
}

static void merge_changes(struct merging *m, const struct verdict *answer)
{
    for (const struct json *f = json_first(answer->replace); f; f = json_next(f))
        drop_change(m, json_key(m->arena, f));
    for (const struct json *f = json_first(answer->modify); f; f = json_next(f))
        if (!json_get(answer->replace, json_key(m->arena, f)))
            drop_change(m, json_key(m->arena, f));
    merge_fields(m, answer->replace, &m->v->replace);
    merge_fields(m, answer->modify, &m->v->modify);
}

static void merge_injections(struct merging *m, const struct verdict *answer)
{
    struct injection **end = &m->v->injections;

    while (*end)
        end = &(*end)->next;
    *end = answer->injections;
}

static void merge_follow_ups(struct merging *m, const struct verdict *answer)
{
    struct verdict *v = m->v;

    if (!v->follow_ups)
        v->follow_ups = answer->follow_ups;
    else if (answer->follow_ups)
        v->follow_ups =
            json_splice(m->arena, v->follow_ups, json_count(v->follow_ups), 0, answer->follow_ups);
    if (v->result == VERDICT_NO_RESULT && answer->result == VERDICT_CONTINUE)
        v->result = VERDICT_CONTINUE;
}

/* Of mutations and callbacks the first wins, as it does in a chain. */
static void merge_result(struct merging *m, const struct verdict *answer)
{
    struct verdict *v = m->v;
    bool taken = v->result == VERDICT_MUTATE || v->result == VERDICT_CALLBACK;

    merge_follow_ups(m, answer);
    if (answer->result != VERDICT_MUTATE && answer->result != VERDICT_CALLBACK)
        return;
    if (taken) {
        strbuf_printf(m->warnings, "a second %s was ignored, an earlier handler had decided\n",
                      verdict_result_name(answer->result));
        return;
    }
    v->result = answer->result;
    v->messages = answer->messages;
    v->callback = answer->callback;
    v->callback_args = answer->callback_args;
}

static void merge_model(struct merging *m, const struct verdict *answer)
{
    if (m->v->model && answer->model)
        strbuf_addstr(m->warnings, "a second model was ignored, an earlier handler had decided\n");
    else if (answer->model)
        m->v->model = answer->model;
}

void dialect_merge(struct arena *a, const struct dialect_event *ev UNUSED,
                   const struct verdict *answers, size_t count, const struct dialect_answer *out)
{
    struct merging m = { a, out->v, out->warnings };

    *out->v = (struct verdict){ 0 };
    for (size_t i = 0; i < count; i++) {
        merge_decision(&m, &answers[i]);
        merge_changes(&m, &answers[i]);
        merge_injections(&m, &answers[i]);
        merge_result(&m, &answers[i]);
        merge_model(&m, &answers[i]);
    }
}
