#include "find/transcript.h"

#include "base/map.h"
#include "json/json.h"

#define CALLS_MAX ((size_t)20000) /* of one session */

struct reading {
    struct arena *arena;
    struct transcript *out;
    struct map ids; /* of calls that are known */
    size_t room;
};

typedef void read_fn(struct reading *r, const struct json *line);

static const char *text_of(struct reading *r, const struct json *j, const char *name)
{
    return json_cstr(r->arena, json_get(j, str_of(name)));
}

static void add(struct reading *r, const char *id, const char *tool, const char *at)
{
    struct transcript *t = r->out;

    if (!tool || t->count == CALLS_MAX || (id && map_put(&r->ids, str_of(id), t)))
        return;
    if (t->count == r->room) {
        struct transcript_call *more;

        r->room = r->room ? r->room * 2 : 32;
        more = arena_array(r->arena, struct transcript_call, r->room);
        for (size_t i = 0; i < t->count; i++)
            more[i] = t->calls[i];
        t->calls = more;
    }
    t->calls[t->count++] = (struct transcript_call){ id ? id : "", tool, at ? at : "" };
}

static void name_session(struct reading *r, const char *session, const char *cwd)
{
    if (!r->out->session)
        r->out->session = session;
    if (!r->out->cwd)
        r->out->cwd = cwd;
}

static void forget(struct reading *r, const char *id)
{
    struct transcript *t = r->out;

    for (size_t i = t->count; id && i-- > 0;)
        if (strcmp(t->calls[i].id, id) == 0) {
            t->calls[i] = t->calls[--t->count];
            return;
        }
}

/*
 * {type: assistant, sessionId, cwd, timestamp, message: {content: [{type: tool_use, id, name}]}}
 * and {type: user, message: {content: [{type: tool_result, tool_use_id, content}]}}, which says so
 * when the call never began: no such tool, or arguments it does not take. Hooks are not told of
 * those.
 */
static void read_claude(struct reading *r, const struct json *line)
{
    const struct json *content = json_pointer(line, "/message/content");
    bool asks = str_is(json_str(r->arena, json_get(line, STR("type"))), "assistant");

    name_session(r, text_of(r, line, "sessionId"), text_of(r, line, "cwd"));
    for (const struct json *c = json_first(content); c; c = json_next(c)) {
        struct str type = json_str(r->arena, json_get(c, STR("type")));
        struct str said = json_str(r->arena, json_get(c, STR("content")));

        if (asks && str_is(type, "tool_use"))
            add(r, text_of(r, c, "id"), text_of(r, c, "name"), text_of(r, line, "timestamp"));
        else if (!asks && json_is_true(json_get(c, STR("is_error"))) &&
                 str_starts(said, STR("<tool_use_error>")))
            forget(r, text_of(r, c, "tool_use_id"));
    }
}

/* {type: session_meta, payload: {id, cwd}}, {type: response_item, payload: {call_id, name}} */
static void read_codex(struct reading *r, const struct json *line)
{
    static const char *const calls[] = { "function_call", "custom_tool_call", "local_shell_call" };
    struct str type = json_str(r->arena, json_get(line, STR("type"))), kind;
    const struct json *payload = json_get(line, STR("payload"));

    if (str_is(type, "session_meta"))
        name_session(r, text_of(r, payload, "id"), text_of(r, payload, "cwd"));
    if (!str_is(type, "response_item"))
        return;
    kind = json_str(r->arena, json_get(payload, STR("type")));
    for (size_t i = 0; i < ARRAY_LEN(calls); i++)
        if (str_is(kind, calls[i])) {
            const char *name = text_of(r, payload, "name");

            add(r, text_of(r, payload, "call_id"), name ? name : "shell",
                text_of(r, line, "timestamp"));
        }
}

/* {sessionId}, {type: gemini, toolCalls: [{id, name, timestamp}]}, and whole: {messages: […]} */
static void read_gemini(struct reading *r, const struct json *line)
{
    const struct json *calls = json_get(line, STR("toolCalls"));
    const struct json *messages = json_get(line, STR("messages"));

    if (!messages)
        messages = json_pointer(line, "/$set/messages");
    name_session(r, text_of(r, line, "sessionId"), NULL);
    for (const struct json *c = json_first(calls); c; c = json_next(c))
        add(r, text_of(r, c, "id"), text_of(r, c, "name"), text_of(r, c, "timestamp"));
    for (const struct json *m = json_first(messages); m; m = json_next(m)) {
        calls = json_get(m, STR("toolCalls"));
        for (const struct json *c = json_first(calls); c; c = json_next(c))
            add(r, text_of(r, c, "id"), text_of(r, c, "name"), text_of(r, c, "timestamp"));
    }
}

static const struct {
    const char *agent;
    read_fn *read;
} known[] = {
    { "claude", read_claude },
    { "codex", read_codex },
    { "gemini", read_gemini },
};

static read_fn *find_reader(const char *agent)
{
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (strcmp(known[i].agent, agent) == 0)
            return known[i].read;
    return NULL;
}

bool transcript_is_known(const char *agent)
{
    return find_reader(agent) != NULL;
}

void transcript_read(struct arena *a, const char *agent, struct str text, struct transcript *t)
{
    struct reading r = { .arena = a, .out = t };
    read_fn *read = find_reader(agent);
    const struct json *whole;
    struct str rest = text, line;

    *t = (struct transcript){ 0 };
    if (!read)
        return;
    if (json_parse(a, text, NULL, &whole, NULL) == 0)
        read(&r, whole);
    else
        while (str_cut(&rest, '\n', &line)) {
            const struct json *j;

            if (line.len && json_parse(a, line, NULL, &j, NULL) == 0)
                read(&r, j);
        }
    map_release(&r.ids);
}
