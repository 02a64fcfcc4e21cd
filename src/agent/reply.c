#include "agent/reply.h"

#include "base/mem.h"

enum kind { KIND_TEXT, KIND_REASONING, KIND_TOOL };

struct reply_part {
    struct reply_part *next;
    unsigned number;
    enum kind kind;
    struct strbuf text; /* of a call: its arguments */
    const char *call_id, *tool;
    const struct json *native;
};

void reply_init(struct reply *r, struct arena *a, const struct model_stream *stream)
{
    *r = (struct reply){ .arena = a, .stream = stream };
    r->end = &r->first;
}

static struct reply_part *find(const struct reply *r, unsigned number)
{
    struct reply_part *p = r->first;

    while (p && p->number != number)
        p = p->next;
    return p;
}

bool reply_has(const struct reply *r, unsigned number)
{
    return find(r, number) != NULL;
}

const char *reply_call_id(const struct reply *r, unsigned number)
{
    const struct reply_part *p = find(r, number);

    return p ? p->call_id : NULL;
}

static struct reply_part *part(struct reply *r, unsigned number, enum kind kind)
{
    struct reply_part *p = find(r, number);

    if (p)
        return p;
    p = xcalloc(1, sizeof(*p));
    p->number = number;
    p->kind = kind;
    *r->end = p;
    r->end = &p->next;
    return p;
}

static void add(struct reply *r, struct reply_part *p, struct str piece)
{
    r->bytes += piece.len;
    if (r->bytes <= REPLY_MAX)
        strbuf_add(&p->text, piece.ptr, piece.len);
}

void reply_text(struct reply *r, unsigned number, struct str piece)
{
    add(r, part(r, number, KIND_TEXT), piece);
    if (piece.len && r->stream && r->stream->text)
        r->stream->text(r->stream->context, piece);
}

void reply_reasoning(struct reply *r, unsigned number, struct str piece)
{
    add(r, part(r, number, KIND_REASONING), piece);
    if (piece.len && r->stream && r->stream->reasoning)
        r->stream->reasoning(r->stream->context, piece);
}

/* Compatible servers send the name with every piece, or the id only with a later one. */
void reply_tool(struct reply *r, unsigned number, struct str call_id, struct str tool)
{
    struct reply_part *p = part(r, number, KIND_TOOL);

    if (call_id.len && !p->call_id)
        p->call_id = arena_cstr(r->arena, call_id);
    if (!tool.len || p->tool)
        return;
    p->tool = arena_cstr(r->arena, tool);
    if (r->stream && r->stream->tool)
        r->stream->tool(r->stream->context, p->tool);
}

void reply_args(struct reply *r, unsigned number, struct str piece)
{
    add(r, part(r, number, KIND_TOOL), piece);
}

void reply_native(struct reply *r, unsigned number, const char *provider, struct str key,
                  const struct json *value)
{
    struct reply_part *p = part(r, number, KIND_REASONING);
    const struct json *own = json_get(p->native, str_of(provider));

    own = json_with(r->arena, own, key, json_copy(r->arena, value));
    p->native = json_with(r->arena, p->native, str_of(provider), own);
}

void reply_native_text(struct reply *r, unsigned number, const char *provider, struct str key,
                       struct str piece)
{
    struct reply_part *p = part(r, number, KIND_REASONING);
    struct str before = json_str(r->arena, json_get(json_get(p->native, str_of(provider)), key));
    char *all = arena_printf(r->arena, "%.*s%.*s", STR_ARG(before), STR_ARG(piece));

    reply_native(r, number, provider, key, json_cstring(r->arena, all));
}

static void add_args(struct arena *a, struct json *call, struct str text)
{
    const struct json *args = NULL;

    text = (struct str){ arena_cstr(a, text), text.len };
    if (str_trim(text).len && json_parse(a, text, NULL, &args, NULL) < 0)
        args = NULL;
    if (json_type(args) == JSON_OBJECT) {
        json_add(a, call, STR("args"), args);
        return;
    }
    json_add(a, call, STR("args"), json_object(a));
    if (str_trim(text).len)
        json_add(a, call, STR("args_text"), json_string(a, text));
}

static const struct json *made(const struct reply *r, const struct reply_part *p, size_t index)
{
    static const char *const types[] = { "text", "reasoning", "tool_call" };
    struct arena *a = r->arena;
    struct json *j = json_object(a);
    struct str text = strbuf_str(&p->text);

    json_add(a, j, STR("type"), json_cstring(a, types[p->kind]));
    if (p->kind == KIND_TOOL) {
        const char *id = p->call_id ? p->call_id : arena_printf(a, "call_%zu", index);

        json_add(a, j, STR("call_id"), json_cstring(a, id));
        json_add(a, j, STR("tool"), json_cstring(a, p->tool ? p->tool : ""));
        add_args(a, j, text);
    } else {
        json_add(a, j, STR("text"), json_string(a, (struct str){ arena_cstr(a, text), text.len }));
    }
    json_add(a, j, STR("native"), p->native);
    return j;
}

const struct json *reply_message(struct reply *r)
{
    struct json *parts = json_array(r->arena), *m = json_object(r->arena);
    size_t index = 0;

    for (const struct reply_part *p = r->first; p; p = p->next) {
        /* An empty text is refused when it is sent back. */
        if (p->kind == KIND_TEXT && p->text.len == 0 && !p->native)
            continue;
        json_push(r->arena, parts, made(r, p, ++index));
    }
    json_add(r->arena, m, STR("role"), json_cstring(r->arena, "assistant"));
    json_add(r->arena, m, STR("content"), parts);
    return m;
}

void reply_release(struct reply *r)
{
    while (r->first) {
        struct reply_part *p = r->first;

        r->first = p->next;
        strbuf_release(&p->text);
        free(p);
    }
}
