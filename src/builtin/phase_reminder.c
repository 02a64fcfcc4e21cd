/*
 * phase-reminder - remind an orchestrator of how it works, once per message a person typed.
 *
 * Point:   experimental.chat.messages.transform
 * Options: text
 * Tests:   tests/unit/builtin/test_phase_reminder.c
 *
 * What was said long ago is followed less and less, so it is said again beside what was just asked.
 * The reminder is a tagged part of its own after the text, anchored to the message: later requests
 * have it in the same place with the same bytes, even while a cadence holds the hook back. Whether
 * a message has it already is read from the tag, never from words that anybody could paste.
 */
#include "hook/hook.h"

struct options {
    const char *text;
};

static const struct option options[] = {
    OPTION_TEXT(
        "text", struct options, text,
        "<system-reminder>Before you act: say to yourself what is really asked and what is still unknown. "
        "Decide what is small enough to do yourself and hand everything else to the "
        "subagent that is best at it, pieces that do not depend on each other at the same "
        "time. A subagent you name is started in this very turn. Check what comes back "
        "before you build on it, and look at the whole before you say it is done."
        "</system-reminder>",
        "the reminder"),
    OPTION_END,
};

static const char *const agents[] = { "orchestrator", NULL };

static bool has_text(struct arena *a, const struct json *content)
{
    if (json_type(content) == JSON_STRING)
        return json_str(a, content).len > 0;
    for (const struct json *p = json_first(content); p; p = json_next(p))
        if (str_is(json_str(a, json_get(p, STR("type"))), "text") && !inject_is_tagged(p, NULL))
            return true;
    return false;
}

static bool has_tag(const struct hook_call *c, const struct json *content)
{
    for (const struct json *p = json_first(content); p; p = json_next(p))
        if (inject_is_tagged(p, c->hook->name))
            return true;
    return false;
}

/* Typed by a person, and not reminded of anything yet. */
static bool wants_reminder(const struct hook_call *c, const struct json *message)
{
    const struct json *content = json_get(message, STR("content"));

    return inject_is_typed(c->arena, message) &&
           !json_is_true(json_get(message, STR("internal"))) && has_text(c->arena, content) &&
           !has_tag(c, content);
}

static int messages_transform(const struct hook_call *c, struct verdict *v, struct err *e UNUSED)
{
    const struct options *o = c->options;
    struct str purpose = json_str(c->arena, event_data(c->event, STR("purpose")));
    const struct json *messages = event_data(c->event, STR("messages"));
    size_t count = json_count(messages);
    struct injection *i;

    if (str_is_set(purpose) && !str_is(purpose, "main"))
        return 0;
    if (json_type(messages) != JSON_ARRAY || !count ||
        !wants_reminder(c, json_at(messages, count - 1)))
        return 0;
    i = verdict_inject(c->arena, v, "phase", o->text);
    i->class = INJECT_DETERMINISTIC;
    i->place = PLACE_MESSAGE;
    i->apart = true;
    return 0;
}

const struct hook_def phase_reminder_hook = {
    .name = "phase-reminder",
    .summary = "reminds an orchestrator of how it works, beside each message of a person",
    .layer = LAYER_PRODUCE,
    .agents = agents,
    .options = options,
    .options_size = sizeof(struct options),
    .on = { [POINT_MESSAGES_TRANSFORM] = messages_transform },
};
