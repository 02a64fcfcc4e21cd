#include "dialect/claude_merge.h"

#include "dialect/claude_event.h"

struct merging {
    struct arena *arena;
    enum claude_event event;
    bool codex;
    struct verdict *v;
};

static const char *joined(struct arena *a, const char *before, const char *between,
                          const char *after)
{
    if (!before || !after)
        return before ? before : after;
    return arena_printf(a, "%s%s%s", before, between, after);
}

static void merge_decision(struct merging *m, const struct verdict *one)
{
    struct verdict *v = m->v;
    bool joins = m->codex && m->event == CLAUDE_AFTER && one->decision == DECISION_BLOCK &&
                 v->decision == DECISION_BLOCK;

    if (joins) {
        v->reason = joined(m->arena, v->reason, "\n\n", one->reason);
    } else if (one->decision > v->decision) {
        v->decision = one->decision;
        v->reason = one->reason;
    }
}

static void merge_injections(struct merging *m, const struct verdict *one)
{
    struct injection **end = &m->v->injections;

    while (*end)
        end = &(*end)->next;
    *end = one->injections;
}

static void merge_changes(struct merging *m, const struct verdict *one)
{
    for (const struct json *f = json_first(one->replace); f; f = json_next(f))
        verdict_replace(m->arena, m->v, json_key(m->arena, f), f);
}

static void merge_follow_ups(struct merging *m, const struct verdict *one)
{
    struct arena *a = m->arena;
    struct verdict *v = m->v;

    if (one->result != VERDICT_CONTINUE)
        return;
    v->result = VERDICT_CONTINUE;
    for (const struct json *f = json_first(one->follow_ups); f; f = json_next(f)) {
        const char *before = json_cstr(a, json_at(v->follow_ups, 0));

        if (m->codex && before)
            v->follow_ups =
                json_append(a, NULL, json_cstring(a, joined(a, before, "\n\n", json_cstr(a, f))));
        else
            v->follow_ups = json_append(a, v->follow_ups, f);
    }
}

void claude_merge(struct arena *a, enum tools_system system, const struct dialect_event *ev,
                  const struct verdict *answers, size_t count, const struct dialect_answer *out)
{
    struct verdict *v = out->v;
    struct merging m = {
        .arena = a,
        .event = claude_event_of(system, ev->event),
        .codex = system == TOOLS_CODEX,
        .v = v,
    };

    for (size_t i = 0; i < count; i++) {
        merge_decision(&m, &answers[i]);
        v->stop = v->stop ? v->stop : answers[i].stop;
        v->say = joined(a, v->say, "\n", answers[i].say);
        merge_injections(&m, &answers[i]);
        merge_changes(&m, &answers[i]);
        merge_follow_ups(&m, &answers[i]);
    }
    if (v->decision == DECISION_BLOCK || v->stop)
        v->replace = NULL;
    if (v->stop) {
        v->result = VERDICT_NO_RESULT;
        v->follow_ups = NULL;
    }
}
