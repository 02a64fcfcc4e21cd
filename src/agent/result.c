/* What hooks want to become of the history at turn.after and agent.stop: mutations, callbacks. */
#include "agent/compaction.h"

#include <errno.h>

/* Of several the first has won; the others are in the receipt as conflicts. */
static const char *winner(const struct receipt *r)
{
    for (size_t i = 0; i < r->run_count; i++)
        if (r->runs[i].effects & (POWER_MUTATE | POWER_CALLBACK))
            return r->runs[i].hook->name;
    return "?";
}

void session_refuse(struct agent_session *s, const struct receipt *r, const char *hook,
                    const char *why)
{
    CLEANUP(arena) struct arena a = { 0 };
    const char *text = arena_printf(&a, "hook '%s' changed nothing: %s", hook, why);

    if (r && r->event)
        engine_note(agent_options(s->agent)->engine, r, text);
    else
        log_info(agent_options(s->agent)->log, "session '%s': %s", s->about.id, text);
    agent_show(s->agent, &(struct show){ .kind = SHOW_HOOK,
                                         .session = s->about.id,
                                         .depth = s->about.depth,
                                         .hook = hook,
                                         .tool = "changed nothing",
                                         .text = str_of(why) });
}

static int mutate(struct agent_session *s, const struct json *messages, bool follows, struct err *e)
{
    uint32_t generation;
    int r = follows ? message_check(messages, e) : message_check_history(messages, e);

    if (r < 0)
        return r;
    if (s->loop.in_callback)
        return err_set(e, -ELOOP, "a callback's own messages are not kept");
    return session_replace(s, messages, "hook", &generation, e);
}

static int replace_by_text(struct agent_session *s, const struct callback *cb,
                           const struct receipt *r, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct callback_request q = {
        .name = cb->name,
        .args = r->verdict.callback_args,
        .asked = r,
    };
    struct callback_answer answer;
    struct json *list = json_array(&a);
    uint32_t generation;
    int failed = callback_call(s, cb, &q, &a, &answer, e);

    if (failed < 0)
        return failed;
    json_push(&a, list, message_of_text(&a, "user", NULL, answer.text));
    return session_replace(s, list, "callback", &generation, e);
}

static int call_back(struct agent_session *s, const struct receipt *r, const char *hook,
                     struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    CLEANUP(callback) struct callback cb = { 0 };
    const struct compaction q = {
        .callback = &cb,
        .args = r->verdict.callback_args,
        .asked = r,
        .trigger = strcmp(hook, COMPACT_HOOK) == 0 ? "auto" : "hook",
    };
    const char *why;
    int failed;

    if (!loop_may_call(&s->loop, &why))
        return err_set(e, -ELOOP, "%s", why);
    failed = callback_find(s, r->verdict.callback, &a, &cb, e);
    if (failed < 0)
        return failed;
    return compaction_is(&cb) ? compaction_obey(s, &q, e) : replace_by_text(s, &cb, r, e);
}

void session_obey(struct agent_session *s, const struct receipt *r, bool follows)
{
    const struct verdict *v = &r->verdict;
    const struct json *first = s->history.count ? s->history.items[0] : NULL;
    struct err e = { 0 };
    const char *hook;
    int failed;

    if (s->over || (v->result != VERDICT_MUTATE && v->result != VERDICT_CALLBACK))
        return;
    hook = winner(r);
    failed = v->result == VERDICT_MUTATE ? mutate(s, v->messages, follows, &e)
                                         : call_back(s, r, hook, &e);
    if (failed < 0)
        session_refuse(s, r, hook, e.msg);
    else if (s->history.count && s->history.items[0] != first)
        s->changed_by = arena_strdup(&s->arena, hook);
}
