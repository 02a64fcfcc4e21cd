#include "hook/inject.h"

#include "base/macros.h"

static const char *const class_names[] = {
    [INJECT_BY_POINT] = "",
    [INJECT_PERSISTENT] = "persistent",
    [INJECT_DETERMINISTIC] = "deterministic",
    [INJECT_VOLATILE] = "volatile",
};

static const char *const place_names[] = {
    [PLACE_BY_POINT] = "",     [PLACE_SYSTEM] = "system", [PLACE_MESSAGE] = "message",
    [PLACE_OUTPUT] = "output", [PLACE_TAIL] = "tail",
};

static const char *const priority_names[] = {
    [PRIORITY_NORMAL] = "normal",
    [PRIORITY_CRITICAL] = "critical",
    [PRIORITY_HIGH] = "high",
    [PRIORITY_LOW] = "low",
};

/* Index of a non-empty name, or -1. */
static int name_index(const char *const *names, size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (name.len && str_is(name, names[i]))
            return (int)i;
    return -1;
}

const char *inject_class_name(enum inject_class c)
{
    return class_names[c];
}

const char *inject_place_name(enum inject_place p)
{
    return place_names[p];
}

const char *inject_priority_name(enum inject_priority p)
{
    return priority_names[p];
}

bool inject_class_of(struct str name, enum inject_class *c)
{
    int i = name_index(class_names, ARRAY_LEN(class_names), name);

    if (i >= 0)
        *c = (enum inject_class)i;
    return i >= 0;
}

bool inject_place_of(struct str name, enum inject_place *p)
{
    int i = name_index(place_names, ARRAY_LEN(place_names), name);

    if (i >= 0)
        *p = (enum inject_place)i;
    return i >= 0;
}

bool inject_priority_of(struct str name, enum inject_priority *p)
{
    int i = name_index(priority_names, ARRAY_LEN(priority_names), name);

    if (i >= 0)
        *p = (enum inject_priority)i;
    return i >= 0;
}

unsigned inject_rank(enum inject_priority p)
{
    static const unsigned ranks[] = {
        [PRIORITY_CRITICAL] = 0,
        [PRIORITY_HIGH] = 1,
        [PRIORITY_NORMAL] = 2,
        [PRIORITY_LOW] = 3,
    };

    return ranks[p];
}

static enum inject_place default_place(enum point point)
{
    if (point == POINT_SYSTEM_TRANSFORM)
        return PLACE_SYSTEM;
    if (point == POINT_TOOL_EXECUTE_AFTER)
        return PLACE_OUTPUT;
    return PLACE_MESSAGE;
}

static enum inject_class default_class(enum point point, enum inject_place place)
{
    if (place == PLACE_TAIL)
        return INJECT_VOLATILE;
    if (place == PLACE_SYSTEM || point == POINT_CHAT_MESSAGE || place == PLACE_OUTPUT)
        return INJECT_PERSISTENT;
    return INJECT_DETERMINISTIC;
}

/* Where the caller has something in hand that is stored; see inject_apply(). */
static bool can_persist(enum point point)
{
    return point == POINT_CHAT_MESSAGE || point == POINT_TOOL_EXECUTE_AFTER ||
           point == POINT_SYSTEM_TRANSFORM;
}

void inject_settle(struct injection *i, enum point point)
{
    if (i->place == PLACE_BY_POINT)
        i->place = i->class == INJECT_VOLATILE ? PLACE_TAIL : default_place(point);
    if (i->class == INJECT_BY_POINT)
        i->class = default_class(point, i->place);
    if (i->class == INJECT_PERSISTENT && !can_persist(point)) {
        i->class = INJECT_DETERMINISTIC;
        i->place = PLACE_MESSAGE;
    }
}

size_t inject_tokens(struct str text)
{
    return (text.len + 3) / 4;
}

/* Applying ------------------------------------------------------------------------------------- */

static const struct json *append_text(struct arena *a, const struct json *text, const char *more)
{
    struct str before = json_str(a, text);

    if (!before.len)
        return json_cstring(a, more);
    return json_cstring(a, arena_printf(a, "%.*s\n\n%s", STR_ARG(before), more));
}

/* A message with parts gets one more; one with a text gets a longer text. */
static const struct json *append_to_message(struct arena *a, const struct json *message,
                                            const struct injection *i)
{
    const struct json *parts = json_get(message, STR("parts"));

    if (json_type(parts) == JSON_ARRAY)
        return json_with(a, message, STR("parts"),
                         json_append(a, parts, inject_part(a, i->source, str_of(i->text))));
    return json_with(a, message, STR("text"),
                     append_text(a, json_get(message, STR("text")), i->text));
}

static const struct json *append_to_list(struct arena *a, const struct json *list, const char *text)
{
    return json_append(a, json_type(list) == JSON_ARRAY ? list : json_array(a),
                       json_cstring(a, text));
}

const struct json *inject_apply(struct arena *a, enum point point, const struct json *data,
                                const struct injection *list)
{
    if (!data)
        data = json_object(a);
    for (const struct injection *i = list; i; i = i->next) {
        if (i->class != INJECT_PERSISTENT)
            continue;
        if (point == POINT_CHAT_MESSAGE)
            data = json_with(a, data, STR("message"),
                             append_to_message(a, json_get(data, STR("message")), i));
        else if (point == POINT_TOOL_EXECUTE_AFTER)
            data = json_with(a, data, STR("output"),
                             append_text(a, json_get(data, STR("output")), i->text));
        else if (point == POINT_SYSTEM_TRANSFORM)
            data = json_with(a, data, STR("system"),
                             append_to_list(a, json_get(data, STR("system")), i->text));
    }
    return data;
}

/* Parts ---------------------------------------------------------------------------------------- */

const struct json *inject_part(struct arena *a, const char *tag, struct str text)
{
    struct json *part = json_object(a);

    json_add(a, part, STR("type"), json_cstring(a, "text"));
    json_add(a, part, STR("text"), json_string(a, text));
    json_add(a, part, STR("synthetic"), json_bool(a, true));
    json_add(a, part, STR("tag"), json_cstring(a, tag));
    return part;
}

bool inject_is_tagged(const struct json *part, const char *tag)
{
    CLEANUP(arena) struct arena a = { 0 };
    struct str found = json_str(&a, json_get(part, STR("tag")));

    return json_is_true(json_get(part, STR("synthetic"))) && str_is_set(found) &&
           (!tag || str_is(found, tag));
}

bool inject_is_typed(struct arena *a, const struct json *message)
{
    const struct json *content = json_get(message, STR("content"));

    if (!str_is(json_str(a, json_get(message, STR("role"))), "user"))
        return false;
    for (const struct json *part = json_first(content); part; part = json_next(part))
        if (str_is(json_str(a, json_get(part, STR("type"))), "tool_result"))
            return false;
    return true;
}

struct str inject_last_text(struct arena *a, const struct json *message)
{
    const struct json *content = json_get(message, STR("content"));
    struct str text = json_str(a, content);

    for (const struct json *part = json_first(content); part; part = json_next(part))
        if (json_get(part, STR("text")) && !inject_is_tagged(part, NULL))
            text = json_str(a, json_get(part, STR("text")));
    return text;
}

/* The parts of a message: its content, or one text part where the content is a plain string. */
static const struct json *parts_of(struct arena *a, const struct json *message)
{
    const struct json *content = json_get(message, STR("content"));
    struct json *parts, *text;

    if (json_type(content) == JSON_ARRAY)
        return content;
    parts = json_array(a);
    if (json_type(content) != JSON_STRING)
        return parts;
    text = json_object(a);
    json_add(a, text, STR("type"), json_cstring(a, "text"));
    json_add(a, text, STR("text"), content);
    json_push(a, parts, text);
    return parts;
}

const struct json *inject_append_part(struct arena *a, const struct json *message,
                                      const struct json *part)
{
    return json_with(a, message, STR("content"), json_append(a, parts_of(a, message), part));
}

static bool is_text(struct arena *a, const struct json *part)
{
    return str_is(json_str(a, json_get(part, STR("type"))), "text");
}

const struct json *inject_before_text(struct arena *a, const struct json *message,
                                      const struct json *part)
{
    const struct json *parts = parts_of(a, message);
    struct json *insert = json_array(a);
    size_t at = 0;

    for (const struct json *p = json_first(parts); p && !is_text(a, p); p = json_next(p))
        at++;
    json_push(a, insert, part);
    return json_with(a, message, STR("content"), json_splice(a, parts, at, 0, insert));
}

/* The message without its tagged parts; NULL when that leaves nothing; itself when it has none. */
static const struct json *strip_message(struct arena *a, const struct json *message,
                                        const char *tag)
{
    const struct json *content = json_get(message, STR("content"));
    struct json *kept = json_array(a);
    bool stripped = false;

    for (const struct json *p = json_first(content); p; p = json_next(p)) {
        if (inject_is_tagged(p, tag))
            stripped = true;
        else
            json_push(a, kept, p);
    }
    if (!stripped)
        return message;
    return json_count(kept) ? json_with(a, message, STR("content"), kept) : NULL;
}

const struct json *inject_strip(struct arena *a, const struct json *messages, const char *tag)
{
    struct json *kept = json_array(a);
    bool changed = false;

    for (const struct json *m = json_first(messages); m; m = json_next(m)) {
        const struct json *stripped = strip_message(a, m, tag);

        changed |= stripped != m;
        if (stripped)
            json_push(a, kept, stripped);
    }
    return changed ? kept : messages;
}
