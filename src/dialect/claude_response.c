/* What tools answer, in the shapes of Claude Code: where in them the text is. */
#include "dialect/claude_response.h"

#include "base/strbuf.h"

/* Where tools keep the text that the model reads, the first that is a text. */
static const char *const places[] = {
    "", "/stdout", "/file/content", "/content", "/result", "/text", NULL,
};

/* The same of a part in a list of them, as MCP servers and subagents answer. */
static const char *const part_places[] = { "", "/text", "/resource/text", NULL };

static const char *text_place(const struct json *j, const char *const *at)
{
    while (*at && json_type(json_pointer(j, *at)) != JSON_STRING)
        at++;
    return *at;
}

/* `j` with another value at the pointer, which is there and leads through no list. */
static const struct json *put_at(struct arena *a, const struct json *j, struct str pointer,
                                 const struct json *value)
{
    struct str key;

    if (pointer.len == 0)
        return value;
    pointer.ptr++;
    pointer.len--;
    (void)str_cut(&pointer, '/', &key);
    pointer = str_is_set(pointer) ? (struct str){ pointer.ptr - 1, pointer.len + 1 } : pointer;
    return json_with(a, j, key, put_at(a, json_get(j, key), pointer, value));
}

static void add_lines(struct strbuf *all, struct str text)
{
    if (text.len && all->len && all->buf[all->len - 1] != '\n')
        strbuf_addch(all, '\n');
    strbuf_add(all, text.ptr, text.len);
}

/* What a command wrote to standard error is read by the model, too. */
static const struct json *with_errors(struct arena *a, const struct json *response,
                                      const struct json *text)
{
    struct str err = json_str(a, json_get(response, STR("stderr")));
    CLEANUP(strbuf) struct strbuf all = { 0 };

    if (err.len == 0)
        return text;
    add_lines(&all, json_str(a, text));
    add_lines(&all, err);
    return json_string_copy(a, strbuf_str(&all));
}

/* Parts ---------------------------------------------------------------------------------------- */

/* The list of parts in an answer; NULL: there is none, or no text in it. */
static const struct json *parts_of(const struct json *response)
{
    const struct json *list =
        json_type(response) == JSON_ARRAY ? response : json_get(response, STR("content"));

    if (json_type(list) != JSON_ARRAY)
        return NULL;
    for (const struct json *part = json_first(list); part; part = json_next(part))
        if (text_place(part, part_places))
            return list;
    return NULL;
}

/* What a server answers twice, as text and as data: some agents show models the one, some both. */
static const struct json *data_beside(struct arena *a, const struct json *response, struct str text)
{
    const struct json *data = json_get(response, STR("structuredContent")), *same;

    if (json_type(data) == JSON_ABSENT || json_type(data) == JSON_NULL)
        return NULL;
    if (json_parse(a, text, NULL, &same, NULL) == 0 && json_equal(same, data))
        return NULL;
    return data;
}

/* Every text of them: what a hook is not shown it can't refuse. */
static const struct json *parts_text(struct arena *a, const struct json *response,
                                     const struct json *parts)
{
    CLEANUP(strbuf) struct strbuf all = { 0 };
    const struct json *data;

    for (const struct json *part = json_first(parts); part; part = json_next(part)) {
        const char *place = text_place(part, part_places);

        add_lines(&all, json_str(a, place ? json_pointer(part, place) : NULL));
    }
    data = data_beside(a, response, strbuf_str(&all));
    if (data)
        add_lines(&all, str_of(json_text(a, data)));
    return json_string_copy(a, strbuf_str(&all));
}

/* One part has all of the text; what else was text goes. */
static const struct json *parts_with(struct arena *a, const struct json *response,
                                     const struct json *parts, const struct json *text)
{
    struct json *list = json_array(a);
    bool said = false;

    for (const struct json *part = json_first(parts); part; part = json_next(part)) {
        const char *place = text_place(part, part_places);

        if (!place)
            json_push(a, list, part);
        else if (!said)
            json_push(a, list, put_at(a, part, str_of(place), text));
        said |= place != NULL;
    }
    if (parts == response)
        return list;
    response = json_merge(a, response, json_with(a, NULL, STR("structuredContent"), json_null(a)));
    return json_with(a, response, STR("content"), list);
}

const struct json *claude_response_text(struct arena *a, const struct json *response)
{
    const struct json *parts = parts_of(response);
    const char *place = text_place(response, places);

    if (parts)
        return parts_text(a, response, parts);
    if (!place)
        return json_cstring(a, response ? json_text(a, response) : "");
    if (strcmp(place, "/stdout") == 0)
        return with_errors(a, response, json_pointer(response, place));
    return json_pointer(response, place);
}

const struct json *claude_response_with(struct arena *a, const struct json *response,
                                        const struct json *text)
{
    const struct json *parts = parts_of(response), *whole;
    const char *place = text_place(response, places);

    if (json_type(text) != JSON_STRING)
        return NULL;
    if (parts)
        return parts_with(a, response, parts, text);
    if (!place) { /* it was shown as JSON, and may still be some */
        if (json_parse(a, json_str(a, text), NULL, &whole, NULL) < 0 ||
            json_type(whole) != json_type(response))
            return NULL;
        return whole;
    }
    if (strcmp(place, "/stdout") == 0 && json_get(response, STR("stderr")))
        response = json_with(a, response, STR("stderr"), json_cstring(a, ""));
    return put_at(a, response, str_of(place), text);
}
