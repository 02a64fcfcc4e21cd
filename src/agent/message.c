#include "agent/message.h"

#include <errno.h>

struct str message_role(struct arena *a, const struct json *message)
{
    return json_str(a, json_get(message, STR("role")));
}

static bool member_is(const struct json *object, struct str key, const char *text)
{
    CLEANUP(arena) struct arena a = { 0 };

    return str_is(json_str(&a, json_get(object, key)), text);
}

bool message_is(const struct json *message, const char *role)
{
    return member_is(message, STR("role"), role);
}

bool message_part_is(const struct json *part, const char *type)
{
    return member_is(part, STR("type"), type);
}

const struct json *message_text_part(struct arena *a, struct str text)
{
    struct json *part = json_object(a);

    json_add(a, part, STR("type"), json_cstring(a, "text"));
    json_add(a, part, STR("text"), json_string(a, text));
    return part;
}

const struct json *message_result_part(struct arena *a, const struct json *call,
                                       const struct json *output, bool success)
{
    struct json *part = json_object(a);

    json_add(a, part, STR("type"), json_cstring(a, "tool_result"));
    json_add(a, part, STR("call_id"), json_get(call, STR("call_id")));
    json_add(a, part, STR("tool"), json_get(call, STR("tool")));
    json_add(a, part, STR("output"), output ? output : json_cstring(a, ""));
    json_add(a, part, STR("success"), json_bool(a, success));
    return part;
}

const struct json *message_parts(struct arena *a, const struct json *message)
{
    const struct json *content = json_get(message, STR("content"));
    struct json *parts;

    if (json_type(content) == JSON_ARRAY)
        return content;
    parts = json_array(a);
    if (json_type(content) == JSON_STRING && json_str(a, content).len)
        json_push(a, parts, message_text_part(a, json_str(a, content)));
    return parts;
}

char *message_text(struct arena *a, const struct json *message)
{
    CLEANUP(strbuf) struct strbuf all = { 0 };
    const struct json *part = json_first(message_parts(a, message));

    for (; part; part = json_next(part)) {
        struct str text = json_str(a, json_get(part, STR("text")));

        if (!message_part_is(part, "text") || json_is_true(json_get(part, STR("synthetic"))))
            continue;
        if (all.len)
            strbuf_addstr(&all, "\n\n");
        strbuf_add(&all, text.ptr, text.len);
    }
    return arena_cstr(a, strbuf_str(&all));
}

const struct json *message_new(struct arena *a, const char *role, const char *id,
                               const struct json *parts)
{
    struct json *m = json_object(a);

    if (id)
        json_add(a, m, STR("id"), json_cstring(a, id));
    json_add(a, m, STR("role"), json_cstring(a, role));
    json_add(a, m, STR("content"), parts);
    return m;
}

const struct json *message_of_text(struct arena *a, const char *role, const char *id,
                                   const char *text)
{
    struct json *parts = json_array(a);

    json_push(a, parts, message_text_part(a, str_of(text)));
    return message_new(a, role, id, parts);
}

/* Of images and the like no byte is text; what they take is about the same for all. */
#define FILE_TOKENS 1500

int64_t message_tokens(const struct json *message)
{
    CLEANUP(arena) struct arena a = { 0 };
    const struct json *part = json_first(message_parts(&a, message));
    int64_t bytes = 0, files = 0;

    for (; part; part = json_next(part)) {
        if (message_part_is(part, "file"))
            files++;
        else
            bytes += (int64_t)strlen(json_text(&a, part));
    }
    return bytes / 4 + files * FILE_TOKENS;
}

/* Checking ------------------------------------------------------------------------------------ */

struct checking {
    struct arena *arena;
    const struct json *open; /* calls that have no result yet: their ids as keys */
    size_t index;
};

/* What no provider could translate would be left out there, in silence. */
static const struct part_kind {
    const char *type;
    const char *role;     /* whose it is; NULL: anybody's */
    const char *needs[2]; /* fields that are texts */
} kinds[] = {
    { "text", NULL, { NULL } },
    { "file", NULL, { "data" } },
    { "reasoning", "assistant", { NULL } },
    { "tool_call", "assistant", { "call_id", "tool" } },
    { "tool_result", "tool", { "call_id" } },
};

static int find_kind(const struct checking *c, const struct json *part,
                     const struct part_kind **kind, struct err *e)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (message_part_is(part, kinds[i].type)) {
            *kind = &kinds[i];
            return 0;
        }
    return err_set(e, -EINVAL,
                   "message %zu has a part that is no text, reasoning, tool_call, tool_result or "
                   "file",
                   c->index);
}

static int check_fields(const struct checking *c, const struct json *part,
                        const struct part_kind *kind, struct err *e)
{
    const struct json *args = json_get(part, STR("args"));

    for (size_t i = 0; i < ARRAY_LEN(kind->needs) && kind->needs[i]; i++)
        if (!json_str(c->arena, json_get(part, str_of(kind->needs[i]))).len)
            return err_set(e, -EINVAL, "message %zu has a %s without '%s'", c->index, kind->type,
                           kind->needs[i]);
    if (args && json_type(args) != JSON_OBJECT)
        return err_set(e, -EINVAL, "message %zu has a %s whose 'args' are no object", c->index,
                       kind->type);
    return 0;
}

static int check_kind(const struct checking *c, const struct json *message, const struct json *part,
                      struct err *e)
{
    const struct part_kind *kind = NULL;
    int r = find_kind(c, part, &kind, e);

    if (r < 0)
        return r;
    if (kind->role && !message_is(message, kind->role))
        return err_set(e, -EINVAL, "message %zu has a %s: only messages of the role '%s' do",
                       c->index, kind->type, kind->role);
    return check_fields(c, part, kind, e);
}

static bool says_nothing(struct arena *a, const struct json *part)
{
    return message_part_is(part, "text") && !str_trim(json_str(a, json_get(part, STR("text")))).len;
}

/* Whether calls and results are pairs. */
static int check_pair(struct checking *c, const struct json *part, struct err *e)
{
    struct str id = json_str(c->arena, json_get(part, STR("call_id")));

    if (message_part_is(part, "tool_call"))
        c->open = json_with(c->arena, c->open, id, json_bool(c->arena, true));
    if (!message_part_is(part, "tool_result"))
        return 0;
    if (!json_get(c->open, id))
        return err_set(e, -EINVAL, "message %zu has the result of a call '%.*s' that is not there",
                       c->index, STR_ARG(id));
    c->open = json_with(c->arena, c->open, id, NULL);
    return 0;
}

/* Providers refuse a history in which anything stands between a call and its result. */
static int check_order(const struct checking *c, const struct json *message, struct err *e)
{
    const struct json *left = json_first(c->open);

    if (!left || message_is(message, "tool"))
        return 0;
    return err_set(e, -EINVAL, "message %zu comes before the result of the call '%.*s'", c->index,
                   STR_ARG(json_key(c->arena, left)));
}

static int check_message(struct checking *c, const struct json *message, struct err *e)
{
    const struct json *parts = message_parts(c->arena, message);
    struct str role = message_role(c->arena, message);
    int r = check_order(c, message, e);
    bool empty = true, result = false;

    if (r < 0)
        return r;
    if (!str_is(role, "user") && !str_is(role, "assistant") && !str_is(role, "tool"))
        return err_set(e, -EINVAL, "message %zu has the role '%.*s': use user, assistant or tool",
                       c->index, STR_ARG(role));
    for (const struct json *part = json_first(parts); part && r == 0; part = json_next(part)) {
        empty &= says_nothing(c->arena, part);
        result |= message_part_is(part, "tool_result");
        r = check_kind(c, message, part, e);
        if (r == 0)
            r = check_pair(c, part, e);
    }
    if (r == 0 && empty)
        return err_set(e, -EINVAL, "message %zu is empty", c->index);
    if (r == 0 && str_is(role, "tool") && !result)
        return err_set(e, -EINVAL, "message %zu is a tool's and has no result", c->index);
    return r;
}

int message_check_history(const struct json *messages, struct err *e)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct checking c = { .arena = &a, .open = json_object(&a) };

    if (json_count(messages) == 0)
        return err_set(e, -EINVAL, "there are no messages");
    for (const struct json *m = json_first(messages); m; m = json_next(m)) {
        int r;

        c.index++;
        r = check_message(&c, m, e);
        if (r < 0)
            return r;
    }
    if (json_first(c.open))
        return err_set(e, -EINVAL, "the call '%.*s' has no result",
                       STR_ARG(json_key(&a, json_first(c.open))));
    return 0;
}

int message_check(const struct json *messages, struct err *e)
{
    int r = message_check_history(messages, e);

    if (r < 0)
        return r;
    if (message_is(json_at(messages, json_count(messages) - 1), "assistant"))
        return err_set(e, -EINVAL, "the last message must be the user's or a tool's");
    return 0;
}
