#include "dialect/talk.h"

/* The texts of parts, a line each; of one type only unless that is NULL. */
static const struct json *joined(struct arena *a, const struct json *parts, const char *type)
{
    CLEANUP(strbuf) struct strbuf all = { 0 };

    for (const struct json *part = json_first(parts); part; part = json_next(part)) {
        struct str piece = json_str(a, json_get(part, STR("text")));

        if (type && !str_is(json_str(a, json_get(part, STR("type"))), type))
            continue;
        if (all.len && piece.len)
            strbuf_addch(&all, '\n');
        strbuf_add(&all, piece.ptr, piece.len);
    }
    return json_string_copy(a, strbuf_str(&all));
}

const struct json *talk_prompt(struct arena *a, const struct event *ev)
{
    const struct json *message = event_data(ev, STR("message"));
    const struct json *text = json_get(message, STR("text")), *parts;

    if (json_type(message) == JSON_STRING)
        return message;
    if (text)
        return json_type(text) == JSON_STRING ? text : NULL;
    parts = json_get(message, STR("parts"));
    return parts ? joined(a, parts, NULL) : NULL;
}

const struct json *talk_last_answer(struct arena *a, const struct event *ev)
{
    const struct json *messages = event_data(ev, STR("messages")), *last = NULL;

    for (const struct json *m = json_first(messages); m; m = json_next(m)) {
        const struct json *content = json_get(m, STR("content"));

        if (!str_is(json_str(a, json_get(m, STR("role"))), "assistant"))
            continue;
        if (json_type(content) == JSON_ARRAY)
            content = joined(a, content, "text");
        if (json_str(a, content).len)
            last = content;
    }
    return last;
}
