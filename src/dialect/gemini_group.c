/*
 * gemini_group.c - hooks that Gemini runs side by side: which of them an event is for, and what
 * their answers add up to.
 */
#include "base/regex.h"
#include "dialect/gemini.h"
#include "dialect/gemini_payload.h"

#include <errno.h>

/* Filters -------------------------------------------------------------------------------------- */

struct dialect_filter {
    const char *match;   /* NULL: everything */
    struct regex *regex; /* NULL: the matcher is no regular expression, so a name */
};

int gemini_filter_new(struct arena *a, const struct dialect_wants *wants,
                      struct dialect_filter **out, struct err *e)
{
    struct dialect_filter *f = arena_new(a, struct dialect_filter);

    if (wants->condition)
        return err_set(e, -EINVAL, "gemini hooks know no 'if', use 'match'");
    *out = f;
    if (!wants->match || !wants->match[0] || strcmp(wants->match, "*") == 0)
        return 0;
    f->match = arena_strdup(a, wants->match);
    if (regex_new(str_of(f->match), &f->regex, NULL) < 0)
        f->regex = NULL;
    return 0;
}

bool gemini_filter_test(const struct dialect_filter *f, struct arena *a,
                        const struct dialect_event *ev)
{
    struct str trigger = gemini_trigger(a, ev->event);
    struct str tool = gemini_tool(a, ev->event);

    if (!f->match)
        return true;
    if (str_is_set(trigger))
        return str_is(trigger, f->match);
    if (ev->event->point != POINT_TOOL_EXECUTE_BEFORE &&
        ev->event->point != POINT_TOOL_EXECUTE_AFTER)
        return true;
    /* A matcher that gives up can't keep a guard from looking. */
    return f->regex ? regex_match(f->regex, tool, NULL) != 0 : str_is(tool, f->match);
}

void gemini_filter_free(struct dialect_filter *f)
{
    if (f)
        regex_free(f->regex);
}

/* Merging -------------------------------------------------------------------------------------- */

enum policy {
    REPLACE, /* of every field the last that was said: a later allow undoes an earlier refusal */
    JOIN,    /* the strictest decision; texts add up */
};

static const enum policy policies[POINT_COUNT] = {
    [POINT_SESSION_CREATED] = JOIN,    [POINT_CHAT_MESSAGE] = JOIN,
    [POINT_AGENT_STOP] = JOIN,         [POINT_TOOL_EXECUTE_BEFORE] = JOIN,
    [POINT_TOOL_EXECUTE_AFTER] = JOIN,
};

struct joined {
    struct strbuf reasons, stops, says, contexts;
};

static void joined_cleanup(struct joined *j)
{
    strbuf_release(&j->reasons);
    strbuf_release(&j->stops);
    strbuf_release(&j->says);
    strbuf_release(&j->contexts);
}

static void join(struct strbuf *all, struct str text)
{
    if (!str_is_set(text) || text.len == 0 || str_is(text, GEMINI_NO_REASON))
        return;
    if (all->len)
        strbuf_addch(all, '\n');
    strbuf_add(all, text.ptr, text.len);
}

static struct str without(struct str text, struct str prefix)
{
    if (!str_starts(text, prefix))
        return text;
    return (struct str){ text.ptr + prefix.len, text.len - prefix.len };
}

/* What gemini_context() was given. */
static struct str unwrap(struct str context)
{
    struct str text = without(context, STR(GEMINI_CONTEXT_BEGIN));

    if (text.len < context.len)
        text.len -= sizeof(GEMINI_CONTEXT_END) - 1;
    return text;
}

static void join_texts(struct joined *j, const struct verdict *v)
{
    join(&j->reasons, without(str_of(v->reason), STR(GEMINI_REFUSED)));
    join(&j->stops, str_of(v->stop));
    join(&j->says, str_of(v->say));
    for (const struct injection *i = v->injections; i; i = i->next)
        join(&j->contexts, unwrap(str_of(i->text)));
}

static const char *text_or(struct arena *a, const struct strbuf *text, const char *other)
{
    return text->len ? arena_cstr(a, strbuf_str(text)) : other;
}

static void replace_fields(struct arena *a, struct verdict *v, const struct json *fields)
{
    for (const struct json *f = json_first(fields); f; f = json_next(f))
        verdict_replace(a, v, json_key(a, f), f);
}

/* A stop beats a refusal, as in Gemini. */
static void decide(struct arena *a, const struct event *ev, struct verdict *v,
                   const struct joined *texts, enum decision strictest)
{
    const char *reason = text_or(a, &texts->reasons, GEMINI_NO_REASON);

    if (v->stop) {
        v->stop = text_or(a, &texts->stops, reason);
    } else if (strictest == DECISION_BLOCK) {
        gemini_deny(a, ev, v, reason);
    } else if (strictest == DECISION_ASK) {
        v->decision = DECISION_ASK;
        v->reason = reason;
    }
}

static void merge_joined(struct arena *a, const struct event *ev, const struct verdict *answers,
                         size_t count, struct verdict *v)
{
    CLEANUP(joined) struct joined texts = { 0 };
    enum decision strictest = DECISION_NONE;

    for (size_t i = 0; i < count; i++) {
        const struct verdict *said = &answers[i];
        enum decision decision = said->follow_ups ? DECISION_BLOCK : said->decision;

        join_texts(&texts, said);
        if (decision > strictest)
            strictest = decision;
        if (said->stop)
            v->stop = said->stop;
        if (said->messages) {
            v->result = VERDICT_MUTATE;
            v->messages = said->messages;
        }
        replace_fields(a, v, said->replace);
    }
    decide(a, ev, v, &texts, strictest);
    v->say = text_or(a, &texts.says, NULL);
    if (texts.contexts.len)
        gemini_context(a, v, strbuf_str(&texts.contexts));
}

static void merge_replaced(struct arena *a, const struct verdict *answers, size_t count,
                           struct verdict *v)
{
    for (size_t i = 0; i < count; i++) {
        const struct verdict *said = &answers[i];

        if (said->decision != DECISION_NONE || said->reason) {
            v->decision = said->decision;
            v->reason = said->decision == DECISION_NONE ? NULL : said->reason;
        }
        if (said->say)
            v->say = said->say;
        if (said->stop)
            v->stop = said->stop;
        replace_fields(a, v, said->replace);
    }
}

void gemini_merge(struct arena *a, const struct dialect_event *ev, const struct verdict *answers,
                  size_t count, const struct dialect_answer *out)
{
    if (policies[ev->event->point] == JOIN)
        merge_joined(a, ev->event, answers, count, out->v);
    else
        merge_replaced(a, answers, count, out->v);
}
