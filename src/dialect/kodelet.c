/*
 * kodelet - hooks written for Kodelet, started as `<program> run`.
 *
 *   exit 0, stdout empty or null    no opinion
 *   exit 0, stdout a JSON object    the result of the event
 *   exit 0, stdout anything else    a failed run; so is a known field of a wrong type
 *   any other exit, or a signal     a failed run, whatever stdout says: it never blocks
 *
 * docs/kodelet.md has the tables of payloads and results.
 *
 * Tests: tests/unit/dialect/test_kodelet.c, tests/e2e/test_kodelet.py
 */
#include "dialect/dialect.h"
#include "dialect/kodelet_payload.h"
#include "hook/tools.h"

#include <errno.h>
#include <strings.h>

static bool speaks(enum point point)
{
    return kodelet_event(point) != NULL;
}

static const struct json *encode(struct arena *a, const struct dialect_event *ev)
{
    return kodelet_payload(a, ev->event, ev->as);
}

/* Reading a result ----------------------------------------------------------------------------- */

enum field {
    BLOCKED,
    REASON,
    INPUT,
    OUTPUT,
    RESULT,
    MESSAGES,
    CALLBACK,
    CALLBACK_ARGS,
    FOLLOW_UPS,
    FIELD_COUNT,
};

#define AT(point) (UINT64_C(1) << POINT_##point)

static const struct {
    const char *name;
    enum json_type type; /* JSON_ABSENT: any */
    uint64_t points;
} fields[FIELD_COUNT] = {
    [BLOCKED] = { "blocked", JSON_BOOL, AT(TOOL_EXECUTE_BEFORE) | AT(CHAT_MESSAGE) },
    [REASON] = { "reason", JSON_STRING, AT(TOOL_EXECUTE_BEFORE) | AT(CHAT_MESSAGE) },
    [INPUT] = { "input", JSON_ABSENT, AT(TOOL_EXECUTE_BEFORE) },
    [OUTPUT] = { "output", JSON_OBJECT, AT(TOOL_EXECUTE_AFTER) },
    [RESULT] = { "result", JSON_STRING, AT(TURN_AFTER) | AT(AGENT_STOP) },
    [MESSAGES] = { "messages", JSON_ARRAY, AT(TURN_AFTER) | AT(AGENT_STOP) },
    [CALLBACK] = { "callback", JSON_STRING, AT(TURN_AFTER) | AT(AGENT_STOP) },
    [CALLBACK_ARGS] = { "callback_args", JSON_OBJECT, AT(TURN_AFTER) | AT(AGENT_STOP) },
    [FOLLOW_UPS] = { "follow_up_messages", JSON_ARRAY, AT(AGENT_STOP) },
};

struct answer {
    struct arena *arena;
    const struct event *event;
    struct verdict *v;
    struct strbuf *warnings;
    bool ignored; /* the event has no results */
    const struct json *said[FIELD_COUNT];
};

/* Kodelet does not mind the case of a key, and a guard that got one wrong has always worked. */
static enum field find_field(enum point point, struct str key)
{
    for (enum field f = 0; f < FIELD_COUNT; f++)
        if ((fields[f].points >> point & 1) && strlen(fields[f].name) == key.len &&
            strncasecmp(fields[f].name, key.ptr, key.len) == 0)
            return f;
    return FIELD_COUNT;
}

static int read_fields(struct answer *r, const struct json *j, struct err *e)
{
    for (const struct json *m = json_first(j); m; m = json_next(m)) {
        struct str key = json_key(r->arena, m);
        enum field f = find_field(r->event->point, key);

        if (r->ignored) {
            strbuf_printf(r->warnings, "'%.*s' has no effect at turn_end, use after_turn\n",
                          STR_ARG(key));
        } else if (f == FIELD_COUNT) {
            strbuf_printf(r->warnings, "unknown field '%.*s'\n", STR_ARG(key));
        } else if (json_type(m) != JSON_NULL) {
            if (fields[f].type && json_type(m) != fields[f].type)
                return err_set(e, -EBADMSG, "'%s' must be %s, not %s", fields[f].name,
                               json_type_name(fields[f].type), json_type_name(json_type(m)));
            r->said[f] = m;
        }
    }
    return 0;
}

/* Whether all members of what a field says are texts, as Kodelet's types demand. */
static int check_texts(const struct answer *r, enum field f, struct err *e)
{
    for (const struct json *m = json_first(r->said[f]); m; m = json_next(m))
        if (json_type(m) != JSON_STRING)
            return err_set(e, -EBADMSG, "'%s' must be texts, not %s", fields[f].name,
                           json_type_name(json_type(m)));
    return 0;
}

static int check_messages(const struct answer *r, struct err *e)
{
    for (const struct json *m = json_first(r->said[MESSAGES]); m; m = json_next(m))
        if (json_type(json_get(m, STR("role"))) != JSON_STRING ||
            json_type(json_get(m, STR("content"))) != JSON_STRING)
            return err_set(e, -EBADMSG, "'messages' must have a text as 'role' and as 'content'");
    return 0;
}

/* What it means -------------------------------------------------------------------------------- */

static void take_block(struct answer *r)
{
    char *reason = json_cstr(r->arena, r->said[REASON]);

    if (json_is_true(r->said[BLOCKED]))
        verdict_block(r->v, reason && reason[0] ? reason : "blocked without a reason");
}

/* What comes back as it was sent is no change: guards need not look again. */
static void take_input(struct answer *r)
{
    struct arena *a = r->arena;
    const struct json *input = r->said[INPUT], *was = event_data(r->event, STR("args"));

    if (!input || json_equal(input, kodelet_tool_input(a, r->event)))
        return;
    if (json_type(input) != JSON_OBJECT) {
        strbuf_printf(r->warnings, "'input' must be an object, not %s\n",
                      json_type_name(json_type(input)));
        return;
    }
    verdict_replace(a, r->v, STR("args"),
                    tools_to_ours(a, TOOLS_KODELET, event_tool(a, r->event), input, was));
}

static const struct json *joined(struct arena *a, const struct json *lines)
{
    CLEANUP(strbuf) struct strbuf all = { 0 };

    for (const struct json *l = json_first(lines); l; l = json_next(l)) {
        struct str line = json_str(a, l);

        strbuf_add(&all, line.ptr, line.len);
        if (json_next(l))
            strbuf_addch(&all, '\n');
    }
    return lines ? json_string_copy(a, strbuf_str(&all)) : NULL;
}

/* Kodelet keeps a tool's text in one place or another, depending on the tool. */
#define PLACES 4

static void find_texts(struct arena *a, const struct json *output, const struct json *texts[PLACES])
{
    const struct json *meta = json_get(output, STR("metadata"));
    const struct json *error = json_get(output, STR("error"));

    texts[0] = json_get(meta, STR("output"));
    texts[1] = json_get(meta, STR("content"));
    texts[2] = joined(a, json_get(meta, STR("lines")));
    texts[3] = json_str(a, error).len ? error : NULL;
}

/* The first place whose text is not the one that was sent is what the hook has changed. */
static bool take_output_text(struct answer *r, const struct json *output)
{
    const struct json *sent[PLACES], *got[PLACES];
    bool found = false;

    find_texts(r->arena, output, sent);
    find_texts(r->arena, r->said[OUTPUT], got);
    for (size_t i = 0; i < PLACES; i++) {
        if (json_type(got[i]) != JSON_STRING)
            continue;
        found = true;
        if (!json_equal(got[i], sent[i])) {
            verdict_replace(r->arena, r->v, STR("output"), got[i]);
            break;
        }
    }
    return found;
}

/* What our metadata calls a member of theirs; unset: it is a text, or comes from elsewhere. */
static struct str metadata_name(struct str theirs)
{
    static const char *const elsewhere[] = { "output",  "content",       "lines",     "filePath",
                                             "command", "executionTime", "workingDir" };

    for (size_t i = 0; i < ARRAY_LEN(elsewhere); i++)
        if (str_is(theirs, elsewhere[i]))
            return (struct str){ 0 };
    return str_is(theirs, "exitCode") ? STR("exit_code") : theirs;
}

static bool take_metadata(struct answer *r, const struct json *output)
{
    struct arena *a = r->arena;
    const struct json *sent = json_get(output, STR("metadata"));
    const struct json *got = json_get(r->said[OUTPUT], STR("metadata"));
    const struct json *was = event_data(r->event, STR("metadata")), *now = was;

    for (const struct json *m = json_first(got); m; m = json_next(m)) {
        struct str key = json_key(a, m), name = metadata_name(key);

        if (str_is_set(name) && !json_equal(m, json_get(sent, key)))
            now = json_with(a, now, name, m);
    }
    if (now != was)
        verdict_replace(a, r->v, STR("metadata"), now);
    return now != was;
}

/* A hook can't make a failure a success: only the tool knows. */
static void take_output(struct answer *r)
{
    static const char *const fixed[] = { "success", "toolName" };
    const struct json *output = kodelet_tool_output(r->arena, r->event);
    bool found;

    if (!r->said[OUTPUT])
        return;
    found = take_output_text(r, output);
    found |= take_metadata(r, output);
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++) {
        const struct json *got = json_get(r->said[OUTPUT], str_of(fixed[i]));

        if (got && !json_equal(got, json_get(output, str_of(fixed[i]))))
            strbuf_printf(r->warnings, "'%s' of 'output' can't be changed\n", fixed[i]);
    }
    if (!found)
        strbuf_addstr(r->warnings, "'output' has no text\n");
}

static enum verdict_result read_result(struct answer *r)
{
    struct str word = json_str(r->arena, r->said[RESULT]);
    bool continues = r->event->point == POINT_AGENT_STOP;

    for (int i = VERDICT_CONTINUE; i <= VERDICT_CALLBACK; i++)
        if (str_is(word, verdict_result_name((enum verdict_result)i)) &&
            (i != VERDICT_CONTINUE || continues))
            return (enum verdict_result)i;
    if (word.len)
        strbuf_printf(r->warnings, "'result' must be %smutate or callback, not '%.*s'\n",
                      continues ? "continue, " : "", STR_ARG(word));
    return VERDICT_NO_RESULT;
}

/* Fields that the result has no use for are dropped, as Kodelet drops them, but not in silence. */
static void warn_of_unused(const struct answer *r, enum verdict_result result)
{
    static const enum verdict_result use[FIELD_COUNT] = {
        [MESSAGES] = VERDICT_MUTATE,
        [CALLBACK] = VERDICT_CALLBACK,
        [CALLBACK_ARGS] = VERDICT_CALLBACK,
    };

    for (enum field f = MESSAGES; f <= CALLBACK_ARGS; f++)
        if (r->said[f] && use[f] != result)
            strbuf_printf(r->warnings, "'%s' is used only with the result '%s'\n", fields[f].name,
                          verdict_result_name(use[f]));
    if (r->said[FOLLOW_UPS] && (result == VERDICT_MUTATE || result == VERDICT_CALLBACK))
        strbuf_printf(r->warnings, "'follow_up_messages' is not used with the result '%s'\n",
                      verdict_result_name(result));
}

static void take_result(struct answer *r)
{
    struct verdict *v = r->v;
    enum verdict_result result = read_result(r);
    struct str callback = json_str(r->arena, r->said[CALLBACK]);

    warn_of_unused(r, result);
    if (result == VERDICT_MUTATE && json_count(r->said[MESSAGES]) == 0) {
        strbuf_addstr(r->warnings, "the result 'mutate' needs 'messages'\n");
    } else if (result == VERDICT_CALLBACK && callback.len == 0) {
        strbuf_addstr(r->warnings, "the result 'callback' needs 'callback'\n");
    } else if (result == VERDICT_MUTATE) {
        v->result = result;
        v->messages = r->said[MESSAGES];
    } else if (result == VERDICT_CALLBACK) {
        v->result = result;
        v->callback = arena_cstr(r->arena, callback);
        v->callback_args = r->said[CALLBACK_ARGS];
    } else if (json_count(r->said[FOLLOW_UPS]) > 0) {
        v->result = VERDICT_CONTINUE;
        v->follow_ups = r->said[FOLLOW_UPS];
    } else if (result == VERDICT_CONTINUE) {
        strbuf_addstr(r->warnings, "the result 'continue' needs 'follow_up_messages'\n");
    }
}

static int take_answer(struct answer *r, const struct json *j, struct err *e)
{
    int ret;

    if (json_type(j) == JSON_NULL)
        return 0;
    if (json_type(j) != JSON_OBJECT)
        return err_set(e, -EBADMSG, "a result must be an object, not %s",
                       json_type_name(json_type(j)));
    ret = read_fields(r, j, e);
    if (ret == 0)
        ret = check_texts(r, FOLLOW_UPS, e);
    if (ret == 0)
        ret = check_texts(r, CALLBACK_ARGS, e);
    if (ret == 0)
        ret = check_messages(r, e);
    if (ret < 0)
        return ret;
    take_block(r);
    take_input(r);
    take_output(r);
    take_result(r);
    return 0;
}

static int decode(struct arena *a, const struct dialect_event *ev, const struct proc_result *run,
                  const struct dialect_answer *to, struct err *e)
{
    struct answer answer = {
        .arena = a,
        .event = ev->event,
        .v = to->v,
        .warnings = to->warnings,
        .ignored = kodelet_is_turn_end(ev->as),
    };
    const struct json *j;
    struct str out;
    int r = dialect_output(a, run, &out, e);

    if (r < 0 || out.len == 0)
        return r;
    r = json_parse(a, out, NULL, &j, e);
    if (r == 0)
        r = take_answer(&answer, j, e);
    return r < 0 ? err_wrap(e, r, "gave a bad answer") : 0;
}

const struct dialect kodelet_dialect = {
    .name = "kodelet",
    .timeout_ms = 30000,
    .speaks = speaks,
    .encode = encode,
    .decode = decode,
};
