#include "dialect/claude_decode.h"

#include "dialect/claude_payload.h"
#include "hook/spill.h"

#include <errno.h>

struct decoding {
    struct arena *arena;
    const struct claude_rules *rules;
    const struct event *event;
    const struct claude_effects *at;
    struct verdict *v;
    struct strbuf *warnings;
    struct claude_answer said;
};

/* Effects -------------------------------------------------------------------------------------- */

/* The first CLAUDE_TEXT_MAX characters of a text; of a longer one all are in a file. */
static const char *capped(const struct decoding *d, const char *text)
{
    size_t count = 0, at = 0, rest = 0;
    const char *file;

    for (size_t i = 0; text[i]; i++) {
        bool begins = ((unsigned char)text[i] & 0xc0) != 0x80;

        if (begins && ++count == CLAUDE_TEXT_MAX + 1)
            at = i;
        rest += begins && count > CLAUDE_TEXT_MAX;
    }
    if (rest == 0)
        return text;
    file = spill_write(d->arena, d->event->session.id, str_of(text));
    if (!file)
        return arena_printf(d->arena, "%.*s\n[%zu more characters were cut off]", (int)at, text,
                            rest);
    return arena_printf(d->arena, "%.*s\n[%zu more characters: all of it is in '%s']", (int)at,
                        text, rest, file);
}

static void add_follow_up(struct decoding *d, const char *text)
{
    struct verdict *v = d->v;

    if (v->stop)
        return;
    v->result = VERDICT_CONTINUE;
    v->follow_ups = json_append(d->arena, v->follow_ups, json_cstring(d->arena, text));
}

/* `text` NULL: they said none. `id` is what an injection of it is called. */
static void apply(struct decoding *d, enum claude_effect effect, const char *id, const char *text)
{
    const char *words = text ? capped(d, text) : NULL;
    struct verdict *v = d->v;

    if (effect == EFFECT_NONE)
        strbuf_printf(d->warnings, "'%s' has no effect at %s\n", id,
                      claude_event_name(d->said.event));
    else if (effect == EFFECT_SAY && words)
        v->say = v->say ? arena_printf(d->arena, "%s\n%s", v->say, words) : words;
    else if (effect == EFFECT_INJECT && words)
        verdict_inject(d->arena, v, id, words);
    else if (effect == EFFECT_BLOCK)
        verdict_block(v, words ? words : "blocked without a reason");
    else if (effect == EFFECT_CONTINUE)
        add_follow_up(d, words ? words : "a hook wants the work to go on and gave no reason");
    else if (effect == EFFECT_STOP)
        v->stop = words ? words : "stopped by a hook without a reason";
}

/* Obeying -------------------------------------------------------------------------------------- */

static bool says(const struct decoding *d, uint32_t facts)
{
    return (d->said.facts & facts) == facts;
}

static void take_stop(struct decoding *d)
{
    const char *why = claude_text(&d->said, SAID_STOP_REASON);

    if (!says(d, FACT_STOPS))
        return;
    if (d->said.event == CLAUDE_AFTER && d->at->stop == EFFECT_BLOCK) {
        const char *reason = claude_text(&d->said, SAID_REASON);

        why = reason ? reason : why ? why : d->rules->no_reason_to_stop;
    }
    apply(d, d->at->stop, "continue", why);
}

static void take_permission(struct decoding *d)
{
    struct verdict *v = d->v;
    const char *why = claude_text(&d->said, SAID_PERMISSION_REASON);

    if (says(d, FACT_DENY)) {
        apply(d, EFFECT_BLOCK, "permissionDecision", why);
    } else {
        v->decision = says(d, FACT_ASK) ? DECISION_ASK : d->rules->allowed;
        v->reason = v->decision == DECISION_NONE || !why ? NULL : capped(d, why);
    }
    if (str_is(json_str(d->arena, d->said.said[SAID_PERMISSION]), "defer"))
        strbuf_addstr(d->warnings, "permissionDecision 'defer' counts as 'ask'\n");
}

/* What may run only with other arguments may not run with these: somebody else has to decide. */
static void take_consent(struct decoding *d)
{
    struct verdict *v = d->v;
    const struct json *input = d->said.said[SAID_CONSENT_INPUT];
    bool allow = str_is(json_str(d->arena, d->said.said[SAID_BEHAVIOR]), "allow");
    const char *why = claude_text(&d->said, SAID_MESSAGE);

    if (says(d, FACT_PERMISSIONS))
        strbuf_addstr(d->warnings, "'updatedPermissions' has no effect here\n");
    if (says(d, FACT_INTERRUPT))
        strbuf_addstr(d->warnings, "'interrupt' has no effect here\n");
    if (!allow) {
        apply(d, EFFECT_BLOCK, "decision", why ? why : "PermissionRequest hook denied approval");
    } else if (input &&
               !json_equal(input, claude_tool_input(d->arena, d->rules->system, d->event))) {
        v->decision = DECISION_ASK;
        v->reason = "a hook allows this only with other arguments, which can't be changed here";
    } else {
        v->decision = DECISION_ALLOW;
    }
}

static void take_decision(struct decoding *d)
{
    if (d->said.said[SAID_PERMISSION])
        take_permission(d);
    else if (d->said.said[SAID_CONSENT])
        take_consent(d);
    else if (says(d, FACT_BLOCK))
        apply(d, d->at->block, "decision", claude_text(&d->said, SAID_REASON));
    else if (says(d, FACT_APPROVE) && d->said.event == CLAUDE_BEFORE)
        d->v->decision = DECISION_ALLOW;
}

/* What comes back as it was sent is no change, and a path that was made absolute is not either. */
static void take_input(struct decoding *d)
{
    struct arena *a = d->arena;
    const struct json *sent = claude_tool_input(a, d->rules->system, d->event);
    const struct json *was = event_data(d->event, STR("args")), *input = d->said.said[SAID_INPUT];
    const struct json *path = json_get(sent, STR("file_path")), *plain;
    struct str tool = event_tool(a, d->event);

    if (!input || d->v->decision == DECISION_BLOCK || json_equal(input, sent))
        return;
    plain = json_get(tools_to_theirs(a, d->rules->system, tool, was), STR("file_path"));
    if (path && json_equal(path, json_get(input, STR("file_path"))))
        input = json_with(a, input, STR("file_path"), plain);
    verdict_replace(a, d->v, STR("args"), tools_to_ours(a, d->rules->system, tool, input, was));
}

/* The text in an answer of one of Claude's tools; the answer itself where there is none. */
static const struct json *output_text(struct arena *a, const struct json *output)
{
    const struct json *out = json_get(output, STR("stdout")),
                      *err = json_get(output, STR("stderr"));
    const struct json *content = json_pointer(output, "/file/content");

    if (json_type(out) == JSON_STRING && json_str(a, err).len)
        return json_cstring(a, arena_printf(a, "%s\n%s", json_cstr(a, out), json_cstr(a, err)));
    if (json_type(out) == JSON_STRING)
        return out;
    return json_type(content) == JSON_STRING ? content : output;
}

static void take_output(struct decoding *d)
{
    const struct json *output = d->said.said[SAID_OUTPUT];
    const struct json *sent;

    if (!output)
        output = d->said.said[SAID_MCP_OUTPUT];
    if (!output)
        return;
    sent = claude_field(d->arena, d->rules->system, d->event, "tool_response");
    if (!json_equal(output, sent))
        verdict_replace(d->arena, d->v, STR("output"), output_text(d->arena, output));
}

static void obey(struct decoding *d)
{
    const char *context = claude_text(&d->said, SAID_CONTEXT);

    apply(d, EFFECT_SAY, "systemMessage", claude_text(&d->said, SAID_SYSTEM_MESSAGE));
    take_stop(d);
    if (context)
        apply(d, d->at->context, "additionalContext", context);
    if (says(d, FACT_STOPS) && d->at->stop > EFFECT_IGNORE)
        return;
    take_decision(d);
    take_input(d);
    take_output(d);
}

/* Exit code 2, beside an answer or without one: a reason that was given there counts. */
static int force(struct decoding *d, const struct proc_result *run, struct err *e)
{
    struct str err = str_trim(strbuf_str(&run->err.text));
    enum claude_effect effect = d->at->exit_2;

    if (effect == EFFECT_FAIL || (d->rules->strict && err.len == 0))
        return dialect_output(d->arena, run, &err, e);
    if (d->v->decision == DECISION_BLOCK && d->v->reason)
        return 0;
    if (effect != EFFECT_BLOCK && says(d, FACT_BLOCK | FACT_REASON))
        return 0;
    d->v->replace = effect == EFFECT_BLOCK ? NULL : d->v->replace;
    apply(d, effect, "stderr", err.len ? arena_cstr(d->arena, err) : NULL);
    return 0;
}

/* Reading -------------------------------------------------------------------------------------- */

static int refuse(const struct decoding *d, struct err *e)
{
    for (const struct claude_refusal *r = d->rules->refusals; r && r->events; r++)
        if ((r->events >> d->said.event & 1) && says(d, r->all) && !(d->said.facts & r->none))
            return err_set(e, -EBADMSG, "%s at %s", r->words, claude_event_name(d->said.event));
    return 0;
}

/* What kind of output it is; `e` says what is wrong with a bad one. */
static enum claude_output classify(struct decoding *d, struct str out, struct err *e)
{
    const struct json *j;
    bool looks = out.len && (out.ptr[0] == '{' || (d->rules->strict && out.ptr[0] == '['));

    if (out.len == 0 || (d->rules->deaf >> d->said.event & 1))
        return OUTPUT_EMPTY;
    if (!looks)
        return OUTPUT_TEXT;
    if (json_parse(d->arena, out, NULL, &j, e) < 0)
        return d->rules->strict ? OUTPUT_BAD : OUTPUT_TEXT;
    if (json_type(j) != JSON_OBJECT) {
        err_set(e, -EBADMSG, "an answer must be an object, not %s", json_type_name(json_type(j)));
        return OUTPUT_BAD;
    }
    if (claude_answer_read(&d->said, j, e) < 0 || refuse(d, e) < 0)
        return OUTPUT_BAD;
    return OUTPUT_ANSWER;
}

static int take_text(struct decoding *d, struct str out, struct err *e)
{
    if (d->at->text == EFFECT_FAIL)
        return err_set(e, -EBADMSG, "gave a bad answer: %s takes no plain text",
                       claude_event_name(d->said.event));
    apply(d, d->at->text, "stdout", arena_cstr(d->arena, out));
    return 0;
}

static int act(struct decoding *d, const struct proc_result *run, struct str out, struct err *e)
{
    enum claude_exit exit = run->exit_code == 0   ? EXIT_IS_0
                            : run->exit_code == 2 ? EXIT_IS_2
                                                  : EXIT_IS_OTHER;
    struct err bad = { 0 };

    switch (d->rules->outcome[exit][classify(d, out, &bad)]) {
    case ACTION_NOTHING:
        return 0;
    case ACTION_OBEY:
        obey(d);
        return 0;
    case ACTION_TEXT:
        return take_text(d, out, e);
    case ACTION_FORCE:
        d->said.facts = 0;
        return force(d, run, e);
    case ACTION_BOTH:
        obey(d);
        return force(d, run, e);
    case ACTION_BAD:
        return err_set(e, -EBADMSG, "gave a bad answer: %s", bad.msg);
    case ACTION_FAIL:
        break;
    }
    return dialect_output(d->arena, run, &out, e);
}

int claude_decode(struct arena *a, const struct claude_rules *rules, const struct dialect_event *ev,
                  const struct proc_result *run, const struct dialect_answer *to, struct err *e)
{
    enum claude_event event = claude_event_of(rules->system, ev->event);
    struct str out = str_trim(strbuf_str(&run->out.text));
    struct decoding d = {
        .arena = a,
        .rules = rules,
        .event = ev->event,
        .at = &rules->at[event],
        .v = to->v,
        .warnings = to->warnings,
        .said = { .arena = a, .system = rules->system, .event = event, .warnings = to->warnings },
    };

    /* Half an answer could be half of a refusal; exit code 2 is one whatever the answer. */
    if (run->out.text.truncated && run->exit_code == 2)
        out = STR("");
    else if (run->out.text.truncated)
        return err_set(e, -EMSGSIZE, "wrote more than %zu bytes", run->out.text.len);
    return act(&d, run, (struct str){ arena_cstr(a, out), out.len }, e);
}
